"""Groups similar requests into batches that fit into memory.

    waiting: 32 requests of one prompt, 16 of each of two others, 1 to continue each of 30 answers
    -> batches of 32 rows, 32 rows, 30 rows

CTranslate2 reads a batch's prompts together up to the length of the shortest, and the rest of longer ones
token by token for each answer. So a batch's prompts have similar lengths, and equally many answers.

How many tokens a batch may hold depends on their size in memory:

    tiny: 4 layers of 4 heads of 32 -> 4,096 bytes a token

CTranslate2 keeps keys and values in single precision for every query head, the prompt's once per answer, and
copies all of them in every step.
"""

import asyncio
import ctypes
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from harness.engines.base import Sampling

MOST_ROWS = 32
"""The most answers in a batch. The tiny model was 40 % slower with 64: studies/benchmarks/README.md."""
MOST_APART = 8
"""The most tokens by which prompts of one batch may differ in length."""


class Drawn(NamedTuple):
    """A sampled answer: its text before the stop string, its token count, whether it ended before its limit.

    `logprob` is None unless it was asked for.
    """

    text: str
    tokens: int
    ended: bool
    logprob: float | None = None


@dataclass(eq=False)
class PromptRequest:
    """A request for an answer to the prompt `ids`."""

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


Batch = list[list[PromptRequest]]
"""A list of requests for each prompt, equally many."""


def room(tokens: int, sampling: Sampling, most_tokens: int) -> int:
    """The most answers that one batch may have, to prompts of that many tokens.

    `most_tokens` fit into memory, including the prompts.
    """
    return max(1, min(MOST_ROWS, most_tokens // (tokens + sampling.max_new_tokens)))


def next_batch(waiting: list[PromptRequest], most_tokens: int) -> Batch:
    """Remove from `waiting` its first request and those that can share its batch; return the batch."""
    if not waiting:
        return []
    first = waiting[0]
    alike: dict[tuple[int, ...], list[PromptRequest]] = {}
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


UNKNOWN = 16_384
"""Tokens of a batch if the model's shape or the machine's memory is unknown."""
SHARE = 0.5
"""The share of the machine's memory for the keys and values of all batches."""
COPIES = 2
"""Keys and values are held for the current step and the one before."""
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4


def most_tokens(config: Mapping[str, Any], batches: int) -> int:
    """The most tokens of a batch if `batches` run at a time, for a model with this config.json."""
    each = bytes_per_token(config)
    if each is None or "SC_PHYS_PAGES" not in os.sysconf_names:
        return UNKNOWN
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return int(SHARE * memory / (COPIES * batches * each))


def bytes_per_token(config: Mapping[str, Any]) -> int | None:
    """Bytes of the keys and values of one token of one answer; None for an unknown kind of config.json."""
    layers, heads = (config.get(name) for name in ("num_hidden_layers", "num_attention_heads"))
    if not layers or not heads or not config.get("hidden_size"):
        return None
    head = config.get("head_dim") or config["hidden_size"] // heads
    return int(2 * 4 * layers * heads * head)


def keep_freed_memory() -> None:
    """Make glibc keep freed memory, instead of requesting cleared pages from the kernel in every step.

    This doubled the speed of a model of 1.5 billion parameters (studies/benchmarks/README.md).
    """
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        libc.mallopt(M_MMAP_MAX, 0)
        libc.mallopt(M_TRIM_THRESHOLD, 2**31 - 1)
