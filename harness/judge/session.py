"""Asks a judge of the answers that have no verdict yet, and stores each verdict as soon as it is there.

    failures = await judge_answers(judge, missing, scores, in_flight=512)

A request that fails for good leaves its answer without a verdict, and is sent again when the command is run
again. Judging can be stopped at any moment.
"""

from collections.abc import Mapping
from typing import NamedTuple

from harness.judge.answers import Asked
from harness.judge.scores import Scores
from harness.judge.verdicts import Judge, Verdict
from harness.run.session import Session
from harness.run.stopping import Planned
from harness.store.samples_file import SamplesFile


class Question(NamedTuple):
    """What is asked, and the key of its verdict."""

    key: str
    asked: Asked

    def __str__(self) -> str:
        return f"question {self.asked.question_id}"


class _Judging(Session):
    """The verdicts that one command adds."""

    refusals_end_it = True

    def __init__(
        self, judge: Judge, requests: Planned, scores: Scores, file: SamplesFile, in_flight: int, planned: int
    ) -> None:
        super().__init__(requests, in_flight, planned)
        self._judge, self._scores, self._file = judge, scores, file

    async def answer(self, query: Question) -> tuple[Verdict, int]:
        """From the request to the verdict on the disk."""
        verdict = await self._judge.verdict(query.asked)
        self._scores.keep(self._file, query.key, query.asked, verdict)
        return verdict, verdict.prompt_tokens + verdict.tokens


async def judge_answers(
    judge: Judge, missing: Mapping[str, Asked], scores: Scores, in_flight: int, before: int = 0
) -> list[str]:
    """Store a verdict on each of `missing`, and return the reason for each one that failed.

    `in_flight` are asked at a time; `before` have their verdict already. Ends early where the server is gone,
    or where as many fail in a row. Raises BadInput: a disk that is full, a judge that gives no verdicts.
    """
    requests = Planned(lambda: (Question(key, asked) for key, asked in missing.items()))
    with scores.open() as file:
        at_a_time, planned = min(in_flight, len(missing)), before + len(missing)
        session = _Judging(judge, requests, scores, file, at_a_time, planned)
        await session.draw()
    return session.failures
