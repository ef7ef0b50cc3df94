"""Which requests are drawn together: alike, of like length, and no more than there is room for."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.engines.base import Sampling
from harness.engines.ctranslate2.batches import (
    MOST_APART,
    MOST_ROWS,
    Request,
    next_batch,
    pieces,
)

SAMPLING = Sampling(100, 1.0)
MOST_TOKENS = 65_536


def request(tokens: int, n: int = 1, sampling: Sampling = SAMPLING) -> Request:
    return Request(tuple(range(tokens)), n, sampling)


def in_a_loop(work: Any) -> Any:
    async def run() -> Any:
        return work()

    return asyncio.run(run())


@given(
    st.lists(st.tuples(st.integers(1, 5000), st.sampled_from([1, 2, 16, 32]), st.integers(1, 3)), max_size=40)
)
def test_batches_are_alike_and_small_and_leave_nothing_out(asked: list[tuple[int, int, int]]) -> None:
    def work() -> None:
        waiting = [request(tokens, n, Sampling(400 * kind, 1.0)) for tokens, n, kind in asked]
        waiting = [one for one in waiting if one.n <= max(pieces(one.ids, one.n, one.sampling, MOST_TOKENS))]
        taken, everything = list[Request](), list(waiting)
        while waiting:
            first = waiting[0]
            batch = next_batch(waiting, MOST_TOKENS)
            taken += batch
            lengths = [len(one.ids) for one in batch]
            rows = sum(one.n for one in batch)
            assert batch[0] is first
            assert {(one.n, one.sampling) for one in batch} == {(first.n, first.sampling)}
            assert max(lengths) - min(lengths) <= MOST_APART
            assert rows <= MOST_ROWS
            assert len(batch) == 1 or rows * (max(lengths) + first.sampling.max_new_tokens) <= MOST_TOKENS
        assert sorted(map(id, taken)) == sorted(map(id, everything))
        assert next_batch(waiting, MOST_TOKENS) == []

    in_a_loop(work)


def test_endings_of_one_prompt_s_answers_go_together() -> None:
    def work() -> list[int]:
        waiting = [request(40 + place % 3) for place in range(30)] + [request(200)]
        return [len(next_batch(waiting, MOST_TOKENS)) for _ in range(2)]

    assert in_a_loop(work) == [30, 1]


@pytest.mark.parametrize(
    ("tokens", "n", "limit", "expected"),
    [
        (30, 32, 100, [32]),
        (30, 100, 100, [32, 32, 32, 4]),
        (3996, 32, 100, [16, 16]),
        (10**6, 2, 100, [1, 1]),
    ],
)
def test_many_answers_are_drawn_in_pieces(tokens: int, n: int, limit: int, expected: list[int]) -> None:
    assert pieces(range(tokens), n, Sampling(limit, 1.0), MOST_TOKENS) == expected
