"""Which requests are drawn together: alike, and not too many.

    waiting: 32 answers to a prompt, 16 to each of two others, 1 to go on from each of 30 answers
    -> batches of 32 rows, 32 rows, 30 rows

CTranslate2 computes a batch's prompts together up to the shortest, and goes on token by token to the longest
for each answer: prompts of one batch are about as long as one another. Finished answers leave their batch;
new ones cannot join it.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from harness.engines.base import Sampling

MOST_ROWS = 32
"""Answers in a batch. The tiny model was 40 % slower with 64: see studies/benchmarks/README.md."""
MOST_APART = 8
"""Tokens by which prompts of one batch may differ in length."""


class Drawn(NamedTuple):
    """What was drawn: the text before its stop string, all tokens, and whether it ended before its limit.

    `logprob` is None unless it was asked for.
    """

    text: str
    tokens: int
    ended: bool
    logprob: float | None = None


@dataclass(eq=False)
class Request:
    """`n` answers to the prompt `ids`."""

    ids: tuple[int, ...]
    n: int
    sampling: Sampling
    answers: "asyncio.Future[list[Drawn]]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    def succeed(self, answers: list[Drawn]) -> None:
        if not self.answers.done():  # cancelled meanwhile
            self.answers.set_result(answers)

    def fail(self, error: Exception) -> None:
        if not self.answers.done():
            self.answers.set_exception(error)


def room(tokens: int, sampling: Sampling, most_tokens: int) -> int:
    """How many answers to prompts of so many tokens one batch may have.

    `most_tokens` have room in memory, prompts included.
    """
    return max(1, min(MOST_ROWS, most_tokens // (tokens + sampling.max_new_tokens)))


def pieces(ids: Sequence[int], n: int, sampling: Sampling, most_tokens: int) -> list[int]:
    """`n` answers to a prompt as numbers that one batch has room for, the largest first."""
    most = room(len(ids), sampling, most_tokens)
    return [most] * (n // most) + [n % most] * (n % most > 0)


def next_batch(waiting: list[Request], most_tokens: int) -> list[Request]:
    """Takes the first of `waiting`, and of the others those that can be drawn with it."""
    if not waiting:
        return []
    first = waiting.pop(0)
    batch, shortest, longest = [first], len(first.ids), len(first.ids)
    for other in list(waiting):
        if (other.n, other.sampling) != (first.n, first.sampling):
            continue
        low, high = min(shortest, len(other.ids)), max(longest, len(other.ids))
        rows = (len(batch) + 1) * first.n
        if high - low <= MOST_APART and rows <= room(high, first.sampling, most_tokens):
            waiting.remove(other)
            batch.append(other)
            shortest, longest = low, high
    return batch
