"""Which requests a run sends next: all that are planned or, with a stop rule, one block after another.

    --set stop_rule=lead:4      question 7 so far: 18, 18, 5       ask for 3 more: no fewer can settle it

With a rule, a vote's answers (to one question at one setting) are requested in blocks: the fewest that can
settle it (`results.stopping.ahead`). A block is evaluated once all its answers are stored. The next requests
thus depend on the stored answers and their indices alone, so a killed run resumes as if it had not been
killed. A failed answer leaves its block open until it is requested again.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from harness.experiment import Experiment
from harness.questions.load import Question
from harness.run.cut_answers import Stored
from harness.run.queries import Query, remaining
from harness.store.row import Key, Row, key_of
from harness.store.samples_file import SAMPLES, read_rows


class PlannedRequests:
    """The requests of a run or a judge, all known beforehand."""

    def __init__(self, queries: Callable[[], Iterator[Any]]) -> None:
        """`queries` returns a fresh iterator over all requests at each call."""
        self.left = sum(1 for _ in queries())
        """The most answers that are still to come."""
        self._queries = queries()

    async def next(self) -> Any:
        """The next request, None when there is none left."""
        return next(self._queries, None)

    def ended(self, _query: Any, row: Any) -> int:
        """Record a request's row (None if it failed); return how many planned answers it makes needless."""
        self.left -= row is not None
        return 0

    def close(self) -> None:
        """Wake all workers that wait for a request."""

    def summary(self) -> dict[str, Any]:
        """What to add to the tally in run.json."""
        return {}

    def told(self) -> list[str]:
        """Lines for the user at the end."""
        return []


@dataclass
class _Vote:
    """The answers to one question at one setting; the first `asked` have been evaluated."""

    place: int
    question: Question
    setting: str
    budget: int | None
    answers: dict[int, tuple[str | None, bool, int | None]] = field(default_factory=dict)
    """By sample index: the answer, whether it is right, its number of tokens."""
    asked: int = 0
    requests: int = 0
    """Requests in progress for the current block."""
    settled: bool = False


class Blocks:
    """The requests of a run with a stop rule; same interface as `PlannedRequests`."""

    def __init__(
        self,
        experiment: Experiment,
        questions: Sequence[Question],
        done: Mapping[Key, set[int]],
        folder: Path,
    ) -> None:
        self._experiment = experiment
        self._queue: asyncio.PriorityQueue[tuple[float, int, Query | None]] = asyncio.PriorityQueue()
        self._counter = itertools.count()
        self._under_way = 0
        settings = [(question, *setting) for question in questions for setting in experiment.settings]
        self._votes = {
            (question.question_id, setting, "sample"): _Vote(place, question, setting, budget)
            for place, (question, setting, budget) in enumerate(settings)
        }
        for row in read_rows(folder / SAMPLES) if (folder / SAMPLES).exists() else ():
            self._count(row)
        greedy = experiment.model_copy(update={"samples": 0})
        for place, query in enumerate(remaining(greedy, questions, done)):
            self._send(place, query)
        self.left = self._under_way
        for vote in self._votes.values():
            self._go_on(vote)
            self.left += 0 if vote.settled else experiment.samples - len(vote.answers)

    async def next(self) -> Query | None:
        """The next request, for the first question that needs one; waits while one may still come."""
        if not self._under_way:
            return None
        _, _, query = await self._queue.get()
        if query is None:
            self.close()  # wakes the next worker
        return query

    def ended(self, query: Query, row: Row | None) -> int:
        """As in `PlannedRequests`. A vote continues once its whole block is stored."""
        needless = 0
        vote = self._votes.get((query.question.question_id, query.setting, query.decoding))
        self._under_way -= 1
        if row is not None:
            self._count(row)
        if vote is not None:
            vote.requests -= 1
            if not vote.requests and all(index in vote.answers for index in self._block(vote)):
                self._go_on(vote)
                needless = self._experiment.samples - len(vote.answers) if vote.settled else 0
        self.left -= (row is not None) + needless
        if not self._under_way:
            self.close()
        return needless

    @property
    def settled(self) -> set[Key]:
        """The votes that need no further answers."""
        return {key for key, vote in self._votes.items() if vote.settled}

    def close(self) -> None:
        """Wake all workers that wait for a request, one after the other."""
        self._queue.put_nowait((float("inf"), next(self._counter), None))

    def _count(self, row: Row) -> None:
        vote = self._votes.get(key_of(row))
        if vote is not None and row["sample"] < self._experiment.samples:
            vote.answers[row["sample"]] = (row["answer"], row["correct"], row["tokens"])

    def _go_on(self, vote: _Vote) -> None:
        """Advance past the stored blocks, and request the missing answers of the next one."""
        while block := self._block(vote):
            missing = [index for index in block if index not in vote.answers]
            if missing:
                for index in missing:
                    vote.requests += 1
                    self._send(vote.place, Query(vote.question, vote.setting, vote.budget, "sample", index))
                return
            vote.asked = block.stop
        vote.settled = True

    def _send(self, place: int, query: Query) -> None:
        self._under_way += 1
        self._queue.put_nowait((place, next(self._counter), query))

    def _block(self, vote: _Vote) -> range:
        """The sample indices of the next block; empty if the vote is settled."""
        so_far = [vote.answers[index][0] for index in range(vote.asked)]
        size = _block_size(str(self._experiment.stop_rule), _alike(so_far), self._experiment.samples)
        return range(vote.asked, vote.asked + size)

    def summary(self) -> dict[str, Any]:
        """The rule, what it has saved, and how many votes are right, by setting."""
        import pandas as pd

        from results.summary.samples import of_ended

        settings = []
        for setting, _ in self._experiment.settings:
            rows = [
                (vote.place, index, *answer)
                for vote in self._votes.values()
                if vote.setting == setting and vote.settled
                for index, answer in vote.answers.items()
            ]
            if rows:
                table = pd.DataFrame(rows, columns=["question_id", "sample", "answer", "correct", "tokens"])
                ended = of_ended(table, self._experiment.samples)
                known = table["tokens"].notna().all() and table["tokens"].any()
                settings.append(
                    {
                        "setting": setting,
                        "votes": ended["votes"],
                        "ended_early": int(ended["ended_early"]),
                        "answers": ended["answers"],
                        "answers_of_all": ended["votes"] * self._experiment.samples,
                        "tokens_share": ended["tokens_share"] if known else None,
                        "right": ended["right"],
                    }
                )
        return {"stopping": {"rule": self._experiment.stop_rule, "settings": settings}}

    def told(self) -> list[str]:
        """A line for each setting."""
        lines = []
        for counts in self.summary()["stopping"]["settings"]:
            where = f"setting {counts['setting']}: " if len(self._experiment.settings) > 1 else ""
            share = counts["tokens_share"]
            ended = f"ended {counts['ended_early']:,} of {counts['votes']:,} votes early"
            answers = f"{counts['answers']:,} of {counts['answers_of_all']:,} answers"
            tokens = "" if share is None else f", about {share:.1%} of the tokens of all"
            right = f"{counts['right']:.1%} of the votes are right"
            lines.append(f"{where}{self._experiment.stop_rule} {ended}: {answers}{tokens}; {right}")
        return lines


def requests_of(
    experiment: Experiment,
    questions: Sequence[Question],
    done: Mapping[Key, set[int]],
    folder: Path,
    stored: Stored | None = None,
) -> PlannedRequests | Blocks:
    """The requests that the run in `folder` has still to send, given the answers `done`.

    `stored`: another run's answers, all of which are cut; any stop rule has already been applied to them.
    """
    if stored:
        return PlannedRequests(lambda: stored.remaining(experiment, questions, done))
    if experiment.stop_rule is None:
        return PlannedRequests(lambda: remaining(experiment, questions, done))
    return Blocks(experiment, questions, done, folder)


def _alike(answers: Iterable[str | None]) -> tuple[int | None, ...]:
    """The answers numbered by first appearance, so that equivalent votes compare equal."""
    numbers: dict[str, int] = {}
    return tuple(None if one is None else numbers.setdefault(one, len(numbers)) for one in answers)


@cache
def _block_size(rule_text: str, answers: tuple[int | None, ...], most: int) -> int:
    """How many answers to request next; 0 if the vote is settled."""
    from results.stopping import ahead, named, seen_of, settled

    rule, threshold = named(rule_text)
    state = seen_of(answers, most)
    if len(answers) >= most or (answers and settled(rule, threshold, state)[0]):
        return 0
    return int(ahead(rule, threshold, state)[0])
