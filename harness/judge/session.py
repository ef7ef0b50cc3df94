"""Asks a judge of the answers that have no verdict yet, and stores each verdict as soon as it is there.

    failures = await judge_answers(judge, missing, scores, in_flight=512)

A request that fails for good leaves its answer without a verdict, and is sent again when the command is run
again. Judging can be stopped at any moment.
"""

import asyncio
import sys
from collections.abc import Iterator, Mapping

from tqdm import tqdm

from harness.errors import EngineError, EngineGone
from harness.judge.answers import Asked
from harness.judge.scores import Scores
from harness.judge.verdicts import Judge
from harness.run.sampler import FEWEST_FAILURES
from harness.run.sizing import duration
from harness.store.samples_file import SamplesFile
from harness.tally.pace import Pace


async def judge_answers(
    judge: Judge, missing: Mapping[str, Asked], scores: Scores, in_flight: int, before: int = 0
) -> list[str]:
    """Store a verdict on each of `missing`, and return the reason for each one that failed.

    `in_flight` are asked at a time; `before` have their verdict already. Ends early where the server is gone,
    or where as many fail in a row. Raises BadInput: a disk that is full, a judge that gives no verdicts.
    """
    with scores.open() as file:
        session = _Session(judge, missing, scores, file, in_flight, before)
        try:
            with session.bar:
                async with asyncio.TaskGroup() as group:
                    for _ in range(min(in_flight, len(missing))):
                        group.create_task(session.work())
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
    return session.failures


class _Session:
    """The verdicts that one command adds."""

    def __init__(
        self,
        judge: Judge,
        missing: Mapping[str, Asked],
        scores: Scores,
        file: SamplesFile,
        in_flight: int,
        before: int,
    ) -> None:
        self.failures: list[str] = []
        self._judge, self._scores, self._file = judge, scores, file
        self._left: Iterator[tuple[str, Asked]] = iter(missing.items())
        self._to_come = self._unasked = len(missing)
        self._failed_in_a_row, self._most_failures = 0, max(FEWEST_FAILURES, in_flight)
        self._gone = False
        self._pace = Pace(min(in_flight, len(missing)))
        self.bar = tqdm(
            total=before + len(missing),
            initial=before,
            bar_format="{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} answers [{elapsed}{postfix}]",
            mininterval=0.5 if sys.stderr.isatty() else 10,
        )

    async def work(self) -> None:
        """Take one answer after the other, from the request to the verdict on the disk."""
        while not self._is_over() and (one := next(self._left, None)):
            key, asked = one
            self._unasked -= 1
            self._pace.ending = self._unasked == 0
            try:
                verdict = await self._judge.verdict(asked)
            except EngineError as error:
                self._note(asked, error)
                continue
            self._failed_in_a_row = 0
            self._scores.keep(self._file, key, asked, verdict)
            self._to_come -= 1
            self._pace.add(1, verdict.prompt_tokens + verdict.tokens)
            self._show()

    def _is_over(self) -> bool:
        return self._gone or self._failed_in_a_row >= self._most_failures

    def _note(self, asked: Asked, error: EngineError) -> None:
        if isinstance(error, EngineGone):
            if not self._gone:
                self.failures.append(str(error))
            self._gone = True
            return
        self.failures.append(f"question {asked.question_id}: {error}")
        self._failed_in_a_row += 1

    def _show(self) -> None:
        if rates := self._pace.rates():
            seconds = self._pace.seconds_left(self._to_come)
            left = "?" if seconds is None else duration(seconds)
            said = f"{rates[0]:,.1f} answers/s, {rates[1]:,.0f} tokens/s, {left} left"
            self.bar.set_postfix_str(said, refresh=False)
        self.bar.update(1)
