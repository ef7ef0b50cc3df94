"""Draws the answers that an experiment asks for, and stores each as soon as it is there.

    outcome = await sample(experiment, questions, folder, open_engine)
    -> Outcome(planned=38400, missing=0, failures=[], tally=...)

The path of an answer is the loop in `_Session.work`: reply, grade, row, stored, counted. A request that fails
for good leaves its answer out of the table: it is not wrong. A run can be stopped at any moment; sampling
into the same folder asks for what is missing.
"""

import asyncio
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from harness.engines.base import Completion, Engine
from harness.engines.forcing import forced
from harness.errors import EngineError, EngineGone, RequestRefused
from harness.experiment import Experiment
from harness.questions.load import Question
from harness.run.in_flight import requests_wanted
from harness.run.plan import Query, asked_questions, prompt_for, sampling_for
from harness.run.sizing import duration
from harness.run.stopping import Blocks, Planned, requests_of
from harness.run.stored import Stored
from harness.store.record import Record, grader_in, read_by_another_rule, read_record
from harness.store.regrade import regrade
from harness.store.resume import check_same_run, locked, put_bad_rows_aside, read_done, set_aside
from harness.store.row import Row
from harness.store.samples_file import SAMPLES, Moved, SamplesFile, mend
from harness.tally.counts import Tally
from harness.tally.pace import Pace
from results import BadInput

FEWEST_FAILURES = 16
"""A run ends after this many failed requests in a row, or after `concurrency` of them if that is more."""
SHOW_SECONDS = 10.0
FRAME_SECONDS = 0.1
"""What stands beside the progress bar is made up as often as it may be looked at, not for each answer."""
LOOKS = (20, 200)
"""Finished questions, counted in each setting, after which a run looks for what its user should know."""


@dataclass(frozen=True)
class Outcome:
    """What is in the folder at the end; `failures` has the reason for each request without an answer.

    told: what a stop rule has saved.
    """

    planned: int
    missing: int
    failures: list[str]
    tally: Tally
    pace: Pace
    told: list[str]


async def sample(
    experiment: Experiment,
    questions: Sequence[Question],
    folder: Path,
    open_engine: Callable[[], AbstractAsyncContextManager[Engine]],
    restart: bool = False,
    quarantine: bool = False,
    say: Callable[[str], None] = lambda _line: None,
    stored: Stored | None = None,
) -> Outcome:
    """Sample what is missing in `folder`, or end the answers `stored` elsewhere.

    `questions` are all of the data set, whatever the experiment's limit. The engine is opened only
    where something is missing. `restart` puts an earlier run's files aside, `quarantine` rows that cannot be
    used. Answers that other readers than the experiment's have read are read again. `say` is told of both.
    Raises BadInput: a folder in use or with another experiment, a prompt that cannot be filled in, no engine.
    """
    experiment.reading.check_installed()
    if experiment.forced_from and stored is None:
        raise BadInput(f"{folder}: holds answers that were forced: continue with `harness force`")
    asked = asked_questions(experiment, questions)

    with locked(folder):
        if restart:
            set_aside(folder)
        before = check_same_run(folder, experiment, questions)
        if there := (folder / SAMPLES).exists():
            mend(folder / SAMPLES)
        if quarantine and there:
            bad, aside = put_bad_rows_aside(folder)
            say(f"{bad} rows are put aside{f' in {aside}' if bad else ''}")
        changed = before and (grader_in(before) != experiment.reading or read_by_another_rule(before))
        if before and there and changed:
            found = regrade(folder, experiment.reading)
            say(
                f"the answers in {folder} are read again: before with {grader_in(before)}, now with "
                f"{experiment.reading}; {found.changed} differ, the old verdicts are in {found.kept.name}"
            )
            before = read_record(folder)
        planned = len(asked) * experiment.answers_per_question
        if stored:
            planned = stored.planned(experiment, asked)
        tally = Tally(experiment, planned)
        done = read_done(folder, tally)
        record = Record(folder, experiment, questions, before, (tally.answers, tally.tokens))
        requests = requests_of(experiment, asked, done, folder, stored)
        if not requests.left:
            record.keep(tally.summary() | requests.summary())
            return Outcome(planned, 0, [], tally, Pace(0), requests.told())
        with SamplesFile(folder) as file:
            async with open_engine() as engine:
                about = {"name": engine.name, "version": engine.version, **engine.describe()}
                for name, (then, now) in record.begin(about, planned).items():
                    say(f"warning: {name} is {now!r} and was {then!r} in the last session (see run.json)")
                session = _Session(experiment, engine, file, tally, requests, say, stored)
                try:
                    await session.draw(planned)
                except Moved:  # nor is there a place for the record
                    raise
                except BaseException:
                    with suppress(OSError):  # the samples file has already reported a full disk
                        record.end(session.pace, tally.summary() | requests.summary(), _events(engine))
                    raise
                record.end(session.pace, tally.summary() | requests.summary(), _events(engine))
        return Outcome(planned, requests.left, session.failures, tally, session.pace, requests.told())


def _events(engine: Engine) -> list[str]:
    """What happened to the engine's server, if it has one."""
    return list(getattr(engine, "events", ()))


@dataclass
class _Session:
    """The answers that one command adds to a run."""

    experiment: Experiment
    engine: Engine
    file: SamplesFile
    tally: Tally
    requests: Planned | Blocks
    say: Callable[[str], None]
    stored: Stored | None = None

    def __post_init__(self) -> None:
        self.failures: list[str] = []
        self.pace = Pace(self.experiment.concurrency)
        self.looks = [count for count in LOOKS if count > self.tally.finished]
        self.asked = self.failed_in_a_row = 0
        self.missing = self.requests.left
        self.gone = False
        self.shown = 0.0
        self.wanted, self.working = self.experiment.concurrency, 0
        """Requests that are to be in flight, and how many are sent one after the other."""

    async def draw(self, planned: int) -> None:
        """Send all requests, so many at a time as the servers are there for, unless they go away."""
        self.bar = tqdm(
            total=planned,
            initial=planned - self.missing,
            bar_format="{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} answers [{elapsed}{postfix}]",
            mininterval=0.5 if sys.stderr.isatty() else 10,
        )
        self.wanted = await requests_wanted(self.experiment, self.engine, self.wanted, self.say)
        beside = None
        try:
            with self.bar:
                async with asyncio.TaskGroup() as group:
                    beside = asyncio.create_task(self._keep_showing(group))
                    self._fill(group)
            self.file.sync()
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        finally:
            if beside:
                beside.cancel()

    def _fill(self, group: asyncio.TaskGroup) -> None:
        while self.working < self.wanted:
            self.working += 1
            group.create_task(self.work())

    async def work(self) -> None:
        """Ask for one answer after the other, from the request to its row on the disk and in the tally."""
        while self.working <= self.wanted and not self.is_over() and (query := await self.requests.next()):
            self.asked += 1
            self.pace.ending = self.asked == self.missing
            try:
                completion = await self._answer_to(query)
            except EngineError as error:
                self._note_failure(query, error)
                self.requests.ended(query, None)
                continue
            self.failed_in_a_row = 0
            row = row_of(self.experiment, query, completion)
            self.file.append([row])
            self.tally.add(row)
            self.pace.add(1, row["tokens"] or 0)
            needless = self.requests.ended(query, row)
            self.missing -= needless
            self._show_progress(1 + needless)
            if self.looks and self.tally.finished >= self.looks[0]:
                self.looks.pop(0)
                for warning in self.tally.warnings(self.file.path.parent):
                    self.say(f"warning, so far: {warning}")
        self.working -= 1
        if self.working < self.wanted:
            self.requests.close()

    async def _answer_to(self, query: Query) -> Completion:
        """The answer that a query asks for. Raises EngineError."""
        prompt, sampling = prompt_for(self.experiment, query), sampling_for(self.experiment, query)
        seed = query.seed(self.experiment.seed)
        if self.stored:
            return await self.stored.forced(self.engine, query, prompt, sampling, seed)
        reply = await self.engine.generate(prompt, sampling, seed)
        if self.experiment.budget_by == "force":
            reply = await forced(self.engine, prompt, reply, sampling, seed)
        return reply

    def is_over(self) -> bool:
        limit = max(FEWEST_FAILURES, self.wanted)
        return self.gone or self.failed_in_a_row >= limit

    def _note_failure(self, query: Query, error: EngineError) -> None:
        if isinstance(error, EngineGone):
            if not self.gone:
                self.failures.append(str(error))
            self.gone = True
            return
        self.failures.append(f"{query}: {error}")
        if not isinstance(error, RequestRefused):  # which is said by a server that is there
            self.failed_in_a_row += 1

    async def _keep_showing(self, group: asyncio.TaskGroup) -> None:
        """Show that nothing comes, which no answer would, and follow servers that come and go."""
        while True:
            await asyncio.sleep(SHOW_SECONDS)
            before = self.wanted
            self.wanted = await requests_wanted(self.experiment, self.engine, before, self.say)
            if self.wanted > before:
                self._fill(group)
            if self.pace.stuck_for() is not None:
                self._show_progress(0)
                self.bar.refresh()

    def _show_progress(self, answers: int) -> None:
        self.bar.update(answers)
        now = time.monotonic()
        if answers and now - self.shown < FRAME_SECONDS and self.requests.left:
            return
        self.shown = now
        first = f"no rate before {self.experiment.concurrency:,} answers have ended"
        said = [] if self.pace.ending else [first]
        if rates := self.pace.rates():
            seconds = self.pace.seconds_left(self.requests.left)
            left = "?" if seconds is None else duration(seconds)
            said = [f"{rates[0]:,.1f} answers/s", f"{rates[1]:,.0f} tokens/s", f"{left} left"]
        if (silent := self.pace.stuck_for()) is not None:
            said = [f"stuck: no answer for {duration(silent)}"]
        if (correct := self.tally.accuracy) is not None:
            said.append(f"{correct:.1%} of finished questions correct")
        self.bar.set_postfix_str(", ".join(said), refresh=False)


def row_of(experiment: Experiment, query: Query, completion: Completion) -> Row:
    """The row of the samples table for one answer, with the labels of the question's choices, if any."""
    question = query.question
    return {
        "question_id": question.question_id,
        "setting": query.setting,
        "sample": query.sample,
        "gold": question.gold,
        **experiment.reading.verdict(
            completion.text, question.gold, completion.finish_reason, question.labels
        ),
        **({"labels": " ".join(question.labels)} if question.labels else {}),
        "tokens": completion.tokens,
        "finish_reason": completion.finish_reason,
        "prompt_tokens": completion.prompt_tokens,
        "seed": completion.seed,
        "text": completion.text,
        **thought_of(completion),
        **({"logprob": completion.logprob} if experiment.logprobs else {}),
        "dataset": experiment.dataset,
        "model": experiment.model,
        "decoding": query.decoding,
        **({"shard": experiment.shard} if experiment.shard else {}),
        **(
            {"stop_rule": experiment.stop_rule} if experiment.stop_rule and query.decoding == "sample" else {}
        ),
    }


def thought_of(completion: Completion) -> Row:
    """The cells of a row about thinking, which answers without any do not have."""
    told = {"reasoning": completion.reasoning, "reasoning_tokens": completion.reasoning_tokens}
    if completion.reasoning is None:  # the server may hide it, and tell its tokens
        told = {name: cell for name, cell in told.items() if cell is not None}
    return told
