"""Samples the answers that an experiment asks for, and stores each chunk as soon as it is there.

    outcome = await sample(experiment, questions, folder, open_engine)
    -> Outcome(planned=38400, missing=0, failures=[], tally=...)

A request that keeps failing leaves its answers absent from the table: they are not wrong. A run can be
stopped at any moment; sampling into the same folder goes on with what is missing.
"""

import asyncio
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from harness.engines.base import Completion, Engine, EngineError, EngineGone, RequestRefused
from harness.experiment import Experiment
from harness.grader import GRADERS
from harness.questions.load import Question
from harness.run.plan import (
    Chunk,
    asked_questions,
    planned_answers,
    prompt_for,
    remaining_chunks,
    sampling_for,
)
from harness.run.record import Record
from harness.run.store import Row, SampleStore, locked
from harness.run.tally import Tally

FEWEST_FAILURES = 16
"""A run ends after this many failed requests in a row, or after `concurrency` of them if that is more."""


@dataclass(frozen=True)
class Outcome:
    """What stands in the folder at the end; `failures` says of each request without answers why."""

    planned: int
    missing: int
    failures: list[str]
    tally: Tally


async def sample(
    experiment: Experiment,
    questions: Sequence[Question],
    folder: Path,
    open_engine: Callable[[], AbstractAsyncContextManager[Engine]],
    restart: bool = False,
) -> Outcome:
    """Sample what is missing in `folder`.

    `questions` are all of the data set, whatever the experiment's limit and shard. The engine is opened only
    where something is missing. `restart` puts an earlier run's files aside. Raises BadInput: the folder is in
    use or holds another experiment, a prompt cannot be filled, no engine.
    """
    asked = asked_questions(experiment, questions)
    for chunk in remaining_chunks(experiment, asked[:1], {}):
        prompt_for(experiment, chunk)
    record = Record(folder, experiment, questions)
    tally = Tally(experiment)
    with locked(folder):
        if restart:
            record.set_aside()
        record.continue_from_disk()
        with SampleStore(folder, tally.add) as store:
            missing = sum(len(chunk.samples) for chunk in remaining_chunks(experiment, asked, store.done))
            run = _Run(experiment, store, tally, planned_answers(experiment, asked), missing)
            if missing:
                async with open_engine() as engine:
                    record.begin(
                        {"name": engine.name, "version": engine.version, **engine.describe()}, run.planned
                    )
                    try:
                        await run.draw(engine, remaining_chunks(experiment, asked, store.done))
                    except BaseException:
                        with suppress(OSError):  # of a full disk the store has told
                            record.end(run.drawn, run.drawn_tokens, tally.summary())
                        raise
                    record.end(run.drawn, run.drawn_tokens, tally.summary())
            else:
                record.keep(tally.summary())
    return Outcome(run.planned, run.missing - run.drawn, run.failures, tally)


class _Run:
    """One pass over the chunks that are missing."""

    def __init__(
        self, experiment: Experiment, store: SampleStore, tally: Tally, planned: int, missing: int
    ) -> None:
        self.planned = planned
        self.missing = missing
        self.drawn = self.drawn_tokens = 0
        self.failures: list[str] = []
        self._experiment = experiment
        self._store = store
        self._tally = tally
        self._free = asyncio.Semaphore(experiment.concurrency)
        self._failed_in_a_row = 0
        self._gone = False

    async def draw(self, engine: Engine, chunks: Iterable[Chunk]) -> None:
        """Ask for one chunk after the other, many at a time, until no more are left or the server is gone."""
        self._started = time.monotonic()
        self._bar = tqdm(
            total=self.planned,
            initial=self.planned - self.missing,
            unit=" answers",
            smoothing=0,  # the mean rate: answers come in bursts
            mininterval=0.5 if sys.stderr.isatty() else 10,
        )
        most_failures = max(FEWEST_FAILURES, self._experiment.concurrency)
        try:
            with self._bar:
                async with asyncio.TaskGroup() as group:
                    for chunk in chunks:
                        await self._free.acquire()
                        if self._gone or self._failed_in_a_row >= most_failures:
                            break
                        group.create_task(self._ask(engine, chunk))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None

    async def _ask(self, engine: Engine, chunk: Chunk) -> None:
        """Store the answers to one request, or note why there are none."""
        try:
            completions = await engine.generate(
                prompt_for(self._experiment, chunk),
                len(chunk.samples),
                sampling_for(self._experiment, chunk),
                chunk.seed(self._experiment.seed),
            )
        except EngineGone as error:
            if not self._gone:
                self.failures.append(str(error))
            self._gone = True
        except EngineError as error:
            self.failures.append(f"{chunk}: {error}")
            if isinstance(error, RequestRefused):  # by a server that is there
                self._tally.refuse(chunk.setting, chunk.decoding, len(chunk.samples))
            else:
                self._failed_in_a_row += 1
        else:
            self._failed_in_a_row = 0
            self._store.append(_rows(self._experiment, chunk, completions))
            self.drawn += len(completions)
            self.drawn_tokens += sum(completion.tokens for completion in completions)
            self._show_progress(len(completions))
        self._free.release()

    def _show_progress(self, answers: int) -> None:
        rate = self.drawn_tokens / (time.monotonic() - self._started)
        correct = self._tally.correct / self._tally.answers
        self._bar.set_postfix_str(f"{rate:,.0f} tokens/s, {correct:.1%} correct", refresh=False)
        self._bar.update(answers)


def _rows(experiment: Experiment, chunk: Chunk, completions: Sequence[Completion]) -> list[Row]:
    """The rows of the samples table for the answers to one chunk."""
    rows = []
    for index, completion in zip(chunk.samples, completions, strict=True):
        answer = GRADERS[experiment.answer_format](completion.text)
        rows.append(
            {
                "question_id": chunk.question.question_id,
                "setting": chunk.setting,
                "sample": index,
                "answer": answer,
                "gold": chunk.question.gold,
                "correct": answer == chunk.question.gold,
                "tokens": completion.tokens,
                "finish_reason": completion.finish_reason,
                "prompt_tokens": completion.prompt_tokens,
                "seed": completion.seed,
                "text": completion.text,
                "dataset": experiment.dataset,
                "model": experiment.model,
                "decoding": chunk.decoding,
            }
        )
    return rows
