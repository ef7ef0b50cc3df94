"""Which requests are drawn together: alike, and not too many.

    waiting: 32 requests of one prompt, 16 of each of two others, 1 to go on from each of 30 answers
    -> batches of 32 rows, 32 rows, 30 rows

CTranslate2 computes a batch's prompts together up to the shortest, and goes on token by token to the longest
for each answer: prompts of one batch are about as long as one another. Finished answers leave their batch;
new ones cannot join it. The answers to one prompt share the pass over it; the prompts of a batch have
equally many.
"""

import asyncio
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
    """An answer to the prompt `ids`."""

    ids: tuple[int, ...]
    sampling: Sampling
    answer: "asyncio.Future[Drawn]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    def succeed(self, answer: Drawn) -> None:
        if not self.answer.done():  # cancelled meanwhile
            self.answer.set_result(answer)

    def fail(self, error: Exception) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


Batch = list[list[Request]]
"""The requests of each prompt, equally many."""


def room(tokens: int, sampling: Sampling, most_tokens: int) -> int:
    """How many answers to prompts of so many tokens one batch may have.

    `most_tokens` have room in memory, prompts included.
    """
    return max(1, min(MOST_ROWS, most_tokens // (tokens + sampling.max_new_tokens)))


def next_batch(waiting: list[Request], most_tokens: int) -> Batch:
    """Takes the first of `waiting`, and of the others those that can be drawn with it."""
    if not waiting:
        return []
    first = waiting[0]
    alike: dict[tuple[int, ...], list[Request]] = {}
    for request in waiting:
        if request.sampling == first.sampling:
            alike.setdefault(request.ids, []).append(request)
    n = min(len(alike[first.ids]), room(len(first.ids), first.sampling, most_tokens))
    batch, shortest, longest = Batch(), len(first.ids), len(first.ids)
    for ids, requests in alike.items():
        low, high = min(shortest, len(ids)), max(longest, len(ids))
        rows = (len(batch) + 1) * n
        fits = high - low <= MOST_APART and rows <= room(high, first.sampling, most_tokens)
        if fits and len(requests) >= n:
            batch.append(requests[:n])
            shortest, longest = low, high
    taken = {id(request) for requests in batch for request in requests}
    waiting[:] = [request for request in waiting if id(request) not in taken]
    return batch
