"""Atoms and votes: probabilities sum to 1, and tables of votes agree with sums over all outcomes."""

import tracemalloc
from collections import Counter
from math import factorial, prod

import numpy as np
import pytest

from predict.answers.atom_votes import vote_table, votes_cast
from predict.answers.atoms import ATOMS, RESTS, A, P, Patterns, log_likelihood, patterns
from results.votes.exact import VoteCounts


def partitions(n: int, largest: int) -> list[tuple[int, ...]]:
    """The partitions of n into numbers up to `largest`, in descending order."""
    if n == 0:
        return [()]
    return [(k, *rest) for k in range(min(n, largest), 0, -1) for rest in partitions(n - k, k)]


@pytest.mark.parametrize("n", [2, 5, 11, 12])
def test_over_all_outcomes_of_n_answers_chances_sum_to_one_and_credits_to_the_vote(n: int) -> None:
    outcomes = [(s, blocks) for s in range(n + 1) for blocks in partitions(n - s, n)]
    right, wrong = zip(*((s, np.array(blocks, np.int64)) for s, blocks in outcomes), strict=True)
    every = Patterns(np.array(right), wrong, np.ones(len(wrong)), np.arange(len(wrong)))
    ways = [  # to divide the n answers into such blocks
        factorial(n) // prod(map(factorial, [s, *blocks, *Counter(blocks).values()]))
        for s, blocks in outcomes
    ]
    chances = np.array(ways)[:, None] * np.exp(log_likelihood(every))
    assert chances.sum(axis=0) == pytest.approx(np.ones(ATOMS), abs=1e-9)
    credit = [(s >= max(blocks, default=0)) / (1 + blocks.count(s)) for s, blocks in outcomes]
    assert credit @ chances == pytest.approx(vote_table(n), abs=1e-9)


def test_one_answer_is_right_with_probability_p_and_no_vote_leaves_the_unit_interval() -> None:
    one = vote_table(1).reshape(len(P), len(A), RESTS)
    assert one == pytest.approx(np.broadcast_to(P[:, None, None], one.shape))
    far = vote_table(100)
    assert np.isfinite(far).all()
    assert (far >= 0).all()
    assert (far <= 1).all()


def test_votes_beyond_the_largest_table_keep_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("predict.answers.atom_votes.LARGEST", 32)
    assert vote_table(10**6) is vote_table(32)


def test_tables_by_votes_cast_are_exact_up_to_24_and_close_beyond() -> None:
    tables, weights = votes_cast(40)
    assert weights.sum(axis=1) == pytest.approx(np.ones(41))
    assert tables @ weights[17] == pytest.approx(vote_table(17))
    for votes in (25, 33):  # even numbers of votes, which may tie, would be off by 0.0026
        assert tables @ weights[votes] == pytest.approx(vote_table(votes), abs=0.0022)


def test_answers_counted_zero_times_are_no_answers() -> None:
    with_zero = patterns(VoteCounts(np.array([2]), np.array([0, 3, 0, 1]), np.array([0, 4]), np.array([0])))
    assert with_zero.wrong[0].tolist() == [3, 1]


def test_a_table_keeps_no_more_memory_than_itself() -> None:
    """The credits from which it is computed, 400 times as large, are not cached."""
    tracemalloc.start()
    table = vote_table(121)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 20 * table.nbytes
