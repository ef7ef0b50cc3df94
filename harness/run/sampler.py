"""Samples the answers that an experiment asks for, and stores each as soon as it arrives.

    outcome = await sample(experiment, questions, folder, open_engine)
    -> RunOutcome(planned=38400, missing=0, failures=[], tally=...)

The path of an answer is `_Sampling.answer`: reply, grade, row, stored, counted. If a request
fails for good, its answer is missing from the table; it does not count as wrong. A run can be
stopped at any moment; sampling into the same folder again requests what is missing.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness.engines.base import Completion, Engine
from harness.engines.forcing import forced
from harness.experiment import Experiment
from harness.questions.load import Question
from harness.run.blocks import Blocks, PlannedRequests, requests_of
from harness.run.cut_answers import Stored
from harness.run.queries import Query, asked_questions, prompt_for, sampling_for
from harness.run.session import Session
from harness.store.record import Record, asked_of, grader_in
from harness.store.regrade import regrade
from harness.store.resume import check_same_run, locked, read_done, set_aside
from harness.store.row import Row
from harness.store.samples_file import SAMPLES, Moved, SamplesFile, mend
from harness.tally.counts import Tally
from harness.tally.rate import Pace
from results import BadInput
from results.tables.files import read_record

LOOKS = (20, 200)
"""Numbers of finished questions, summed over settings, after which a run checks for warnings."""


@dataclass(frozen=True)
class RunOutcome:
    """What is in the folder at the end; `failures` gives the reason for each request without an answer.

    told: lines on what a stop rule has saved.
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
    say: Callable[[str], None] = lambda _line: None,
    stored: Stored | None = None,
) -> RunOutcome:
    """Sample what is missing in `folder`, or cut and conclude answers `stored` elsewhere.

    `questions`: all of the data set, whatever the experiment's limit. The engine is opened
    only if something is missing. `restart` moves an earlier run's files aside. Answers are
    read by the grader that last read the stored ones; if the experiment now names another,
    all are read again; `say` reports both. Raises BadInput: a folder in use or with another
    experiment, a prompt that cannot be filled in, no engine.
    """
    experiment.reading.check_installed()
    if experiment.forced_from and stored is None:
        raise BadInput(f"{folder}: holds answers that were forced: continue with `tts force`")
    asked = asked_questions(experiment, questions)

    with locked(folder):
        if restart:
            set_aside(folder)
        experiment, before = _continued(experiment, questions, folder, say)
        planned = len(asked) * experiment.answers_per_question
        if stored:
            planned = stored.planned(experiment, asked)
        tally = Tally(experiment, planned)
        done = read_done(folder, tally)
        record = Record(folder, experiment, questions, before, (tally.answers, tally.tokens))
        requests = requests_of(experiment, asked, done, folder, stored)
        if not requests.left:
            record.keep(tally.summary() | requests.summary(), planned)
            return RunOutcome(planned, 0, [], tally, Pace(0), requests.told())
        with SamplesFile(folder) as file:
            async with open_engine() as engine:
                about = {"name": engine.name, "version": engine.version, **engine.describe()}
                for name, (then, now) in record.begin(about, planned).items():
                    say(f"warning: {name} is {now!r} and was {then!r} in the last session (see run.json)")
                session = _Sampling(experiment, engine, file, tally, requests, planned, say, stored)
                await session.draw_and_record(record)
        return RunOutcome(planned, requests.left, session.failures, tally, session.pace, requests.told())


def _continued(
    experiment: Experiment,
    questions: Sequence[Question],
    folder: Path,
    say: Callable[[str], None],
) -> tuple[Experiment, dict[str, Any] | None]:
    """The experiment with which the run in `folder` continues, and the run's record, if there is one.

    An incomplete last row is repaired, and all answers are read again if the experiment now
    names another grader.
    """
    before = check_same_run(folder, experiment, questions)
    is_begun = (folder / SAMPLES).exists()
    if is_begun:
        mend(folder / SAMPLES)
    if not before:
        return experiment, before
    last = grader_in(before)
    if asked_of(before) == experiment.reading != last:
        say(f"answers are read with {last}, as `tts regrade` last read them")
        return experiment.model_copy(update=asdict(last)), before
    if is_begun and last != experiment.reading:
        again = regrade(folder, experiment.reading, asked=True)
        say(
            f"the answers in {folder} are read again, with {experiment.reading} instead of {last}; "
            f"{again.changed} differ, the old verdicts are in {again.kept.name}"
        )
        before = read_record(folder)
    return experiment, before


class _Sampling(Session):
    """The session in which one command adds answers to a run."""

    def __init__(
        self,
        experiment: Experiment,
        engine: Engine,
        file: SamplesFile,
        tally: Tally,
        requests: PlannedRequests | Blocks,
        planned: int,
        say: Callable[[str], None],
        stored: Stored | None,
    ) -> None:
        super().__init__(requests, experiment.concurrency, planned)
        self._experiment = experiment
        self._engine = engine
        self._file = file
        self._tally = tally
        self._say = say
        self._stored = stored
        self._looks = [count for count in LOOKS if count > tally.finished]

    async def draw_and_record(self, record: Record) -> None:
        """Sample what is missing, and write to `record` how the session ended, even if by an error."""
        try:
            await self.draw()
            self._file.sync()
        except Moved:  # no place for the record either
            raise
        except BaseException:
            with suppress(OSError):  # the samples file has already reported a full disk
                self._end(record)
            raise
        self._end(record)

    def _end(self, record: Record) -> None:
        happened = list(getattr(self._engine, "events", ()))  # to the engine's server, if it has one
        record.end(self.pace, self._tally.summary() | self.requests.summary(), happened)

    async def answer(self, query: Query) -> tuple[Row, int]:
        """Request an answer, grade it, store its row and count it; return the row and its tokens."""
        row = row_of(self._experiment, query, await self._completion(query))
        self._file.append(row)
        self._tally.add(row)
        return row, row["tokens"] or 0

    async def _completion(self, query: Query) -> Completion:
        prompt, sampling = prompt_for(self._experiment, query), sampling_for(self._experiment, query)
        seed = query.seed(self._experiment.seed)
        if self._stored:
            return await self._stored.forced(self._engine, query, prompt, sampling, seed)
        reply = await self._engine.generate(prompt, sampling, seed)
        if self._experiment.budget_by == "force":
            reply = await forced(self._engine, prompt, reply, sampling, seed)
        return reply

    async def requests_wanted(self) -> int:
        """As many as suit the servers at a URL, which may come and go; unchanged if that is unknown."""
        copies = getattr(self._engine, "copies", None) if self._experiment.url else None
        there = await copies() if copies else None
        if there is None:
            return self.wanted
        wanted = self._experiment.requests_for(there)
        if wanted != self.wanted:
            self._say(f"{there} copies of the model at {self._experiment.url}: {wanted} requests in flight")
        return wanted

    def look(self) -> None:
        """Warn while the run can still be stopped."""
        if self._looks and self._tally.finished >= self._looks[0]:
            self._looks.pop(0)
            for warning in self._tally.warnings(self._file.path.parent):
                self._say(f"warning, so far: {warning}")

    def words(self) -> list[str]:
        """The accuracy so far."""
        correct = self._tally.accuracy
        return [] if correct is None else [f"{correct:.1%} of finished questions correct"]


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
        **({} if completion.cached_tokens is None else {"cached_tokens": completion.cached_tokens}),
        "seed": completion.seed,
        "text": completion.text,
        **thought_of(completion),
        **({"logprob": completion.logprob} if experiment.logprobs else {}),
        "dataset": experiment.name,
        "model": experiment.model,
        "decoding": query.decoding,
        **({"shard": experiment.shard} if experiment.shard else {}),
        **(
            {"stop_rule": experiment.stop_rule} if experiment.stop_rule and query.decoding == "sample" else {}
        ),
    }


def thought_of(completion: Completion) -> Row:
    """The cells of a row about thinking; none for answers without thinking."""
    thoughts = {"reasoning": completion.reasoning, "reasoning_tokens": completion.reasoning_tokens}
    if completion.reasoning is None:  # a server may hide it, but report its tokens
        thoughts = {name: cell for name, cell in thoughts.items() if cell is not None}
    return thoughts
