"""Which requests share a batch: same sampling, similar prompt lengths, and no more than fit into memory."""

import asyncio
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import wraps
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.engines.base import Sampling
from harness.engines.ctranslate2.batches import (
    MOST_APART,
    MOST_ROWS,
    UNKNOWN,
    PromptRequest,
    bytes_per_token,
    most_tokens,
    next_batch,
    room,
)
from harness.engines.token_ids import read_object
from harness.experiment import TINY_MODEL
from tests.conftest import ROOT

SAMPLING = Sampling(100, 1.0)
SAMPLINGS = [Sampling(50, 1.0), Sampling(100, 1.0), Sampling(100, 0.0)]
MOST_TOKENS, FEW_TOKENS = 65_536, 8192


def requests(tokens: int, n: int = 1, sampling: Sampling = SAMPLING) -> list[PromptRequest]:
    return [PromptRequest(tuple(range(tokens)), sampling) for _ in range(n)]


def in_a_loop(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test inside an event loop, which creating a request needs."""

    @wraps(test)
    def run(**arguments: Any) -> None:
        async def work() -> None:
            test(**arguments)

        asyncio.run(work())

    return run


@given(
    asked=st.lists(
        st.tuples(st.integers(1, 625), st.sampled_from([1, 2, 16, 40]), st.sampled_from(SAMPLINGS)),
        max_size=40,
    )
)
@in_a_loop
def test_batches_are_alike_and_small_and_leave_nothing_out(asked: list[tuple[int, int, Sampling]]) -> None:
    waiting = list(chain.from_iterable(requests(*alike) for alike in asked))
    taken, everything = list[PromptRequest](), list(waiting)
    while waiting:
        first, waited = waiting[0], Counter((one.ids, one.sampling) for one in waiting)
        batch = next_batch(waiting, FEW_TOKENS)
        together = list(chain.from_iterable(batch))
        taken += together
        lengths, limit = [len(group[0].ids) for group in batch], first.sampling.max_new_tokens
        most = room(len(first.ids), first.sampling, FEW_TOKENS)
        assert together[0] is first
        assert {one.sampling for one in together} == {first.sampling}
        assert all(len({one.ids for one in group}) == 1 for group in batch)
        assert {len(group) for group in batch} == {min(most, waited[first.ids, first.sampling])}
        assert max(lengths) - min(lengths) <= MOST_APART
        assert len(together) <= MOST_ROWS
        assert len(together) == 1 or len(together) * (max(lengths) + limit) <= FEW_TOKENS
    assert sorted(map(id, taken)) == sorted(map(id, everything))
    assert next_batch(waiting, FEW_TOKENS) == []


@in_a_loop
def test_endings_of_one_prompt_s_answers_go_together() -> None:
    endings = [PromptRequest((*range(40 + place % 3), place), SAMPLING) for place in range(30)]
    waiting = endings + requests(200)
    assert [len(next_batch(waiting, MOST_TOKENS)) for _ in range(2)] == [30, 1]


@pytest.mark.parametrize(
    ("tokens", "n", "expected"),
    [(30, 32, [32]), (30, 100, [32, 32, 32, 4]), (3996, 32, [16, 16]), (10**6, 2, [1, 1])],
)
@in_a_loop
def test_many_answers_are_drawn_in_pieces(tokens: int, n: int, expected: list[int]) -> None:
    waiting, sizes = requests(tokens, n), []
    while batch := next_batch(waiting, MOST_TOKENS):
        sizes.append(sum(map(len, batch)))
    assert sizes == expected


@in_a_loop
def test_shorter_prompts_take_as_much_room_as_the_longest_one() -> None:
    """Room for 8 answers to a prompt of 20 tokens with 100 more each, and for 8.9 to one of 12."""
    shorter = [PromptRequest((*range(19 - MOST_APART), place), SAMPLING) for place in range(30)]
    assert sum(map(len, next_batch([*requests(20), *shorter], 8 * 120 + 110))) == 8


QWEN = {"num_hidden_layers": 28, "num_attention_heads": 12, "hidden_size": 1536, "num_key_value_heads": 2}


def test_a_token_has_a_key_and_a_value_for_each_head_of_each_layer() -> None:
    assert bytes_per_token(read_object(TINY_MODEL / "config.json")) == 4 * 4 * 32 * 2 * 4
    assert bytes_per_token(QWEN) == 28 * 12 * 128 * 2 * 4
    assert bytes_per_token({"n_layer": 2}) is None


def test_batches_share_half_of_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"SC_PHYS_PAGES": 6_000_000, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", known.__getitem__)
    assert most_tokens(QWEN, 1) == 6_000_000 * 4096 // (4 * 344_064)
    assert most_tokens(QWEN, 2) == most_tokens(QWEN, 1) // 2
    assert most_tokens({}, 1) == UNKNOWN


def test_freed_memory_is_kept_by_a_process_that_asks_for_it() -> None:
    """Run in a separate process, since the setting cannot be undone."""
    script = """
import resource
from harness.engines.ctranslate2.batches import keep_freed_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        bytearray(50_000_000)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

first = faults()
keep_freed_memory()
faults()
print(first, faults())
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    before, after = map(int, done.stdout.split())
    assert after < before / 10 or sys.platform != "linux"
