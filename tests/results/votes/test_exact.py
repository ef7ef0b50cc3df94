"""results.votes against all subsets of small pools, exact integer arithmetic, scipy and real answers."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from results import BadInput, VoteCounts, all_of_n, answer_pools, best_of_n, majority_accuracy, majority_curve
from results.votes.exact_kernel import unit_legendre
from tests.by_hand import by_subsets, voted


def listed(correct: int, wrong: list[int], nulls: int) -> list[int]:
    return [0] * correct + [kind + 1 for kind, count in enumerate(wrong) for _ in range(count)] + [-1] * nulls


def in_whole_numbers(correct: int, wrong: list[int], nulls: int, n: int) -> float:
    """The same expectation by counting subsets in integers, tracking the number of tied answers."""
    total = Fraction(0)
    for m in range(1, min(correct, n) + 1):
        ways = {(0, 0): 1}  # (answers drawn, wrong answers tied at m) -> ways
        for count in wrong:
            grown: Counter[tuple[int, int]] = Counter()
            for ((drawn, tied), number), k in itertools.product(ways.items(), range(min(count, m) + 1)):
                if drawn + k <= n - m:
                    grown[drawn + k, tied + (k == m)] += number * math.comb(count, k)
            ways = grown
        for (drawn, tied), number in ways.items():
            total += Fraction(math.comb(correct, m) * number * math.comb(nulls, n - m - drawn), tied + 1)
    return float(total / math.comb(correct + sum(wrong) + nulls, n))


small_pools = st.tuples(st.integers(0, 6), st.lists(st.integers(1, 4), max_size=4), st.integers(0, 3)).filter(
    lambda counts: 1 <= counts[0] + sum(counts[1]) + counts[2] <= 11
)


@pytest.mark.parametrize("counts", [(-1, [2], 0), (1, [-1, 2], 0), (1, [2], -1), (None, [2], 0)])
def test_a_count_that_is_none_is_refused(counts):
    with pytest.raises(BadInput, match="from 0"):
        majority_curve(*counts)


@settings(max_examples=60, deadline=None)
@given(small_pools)
def test_equals_mean_over_all_subsets(counts):
    answers = listed(*counts)
    expected = [by_subsets(answers, n, right=0, null=-1) for n in range(1, len(answers) + 1)]
    np.testing.assert_allclose(majority_curve(*counts), expected, rtol=0, atol=6e-13)  # twelve digits


@pytest.mark.parametrize(
    ("correct", "wrong", "nulls"),
    [
        (14, [14, 13, 9, 5, 3, 2, 1, 1, 1], 1),
        (5, [1] * 50, 9),
        (40, [40, 40, 40, 40], 0),
        (12, [12, 11, 11, 10, 9] + [3] * 8 + [2] * 10, 7),
        (90, [85, 60], 21),
    ],
)
def test_equals_exact_integer_arithmetic_up_to_256_answers(correct, wrong, nulls):
    curve = majority_curve(correct, wrong, nulls)
    for n in {2, 3, 8, 17, curve.size // 2, curve.size - 1}:
        assert curve[n - 1] == pytest.approx(in_whole_numbers(correct, wrong, nulls, n), rel=1e-11)


@pytest.mark.parametrize(("correct", "wrong"), [(400, 600), (501, 500), (800, 700), (2000, 1900)])
def test_two_camps_follow_the_hypergeometric_law(correct, wrong):
    pool = correct + wrong  # pools on both sides of the size above which each N gets its own tilt
    ns = np.array([1, 2, 9, 64, 333, pool - 1, pool])
    counts = VoteCounts(np.array([correct]), np.array([wrong]), np.array([0, 1]), np.array([0]))
    drawn = stats.hypergeom(pool, correct, ns)
    expected = drawn.sf(ns // 2) + np.where(ns % 2 == 0, 0.5 * drawn.pmf(ns // 2), 0.0)
    np.testing.assert_allclose(majority_accuracy(counts, ns)[0], expected, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize(
    ("ns", "told"), [*((ns, r"smallest pool \(7\)") for ns in ([0], [8], [-1, 2])), ([1.5], "whole numbers")]
)
def test_vote_refuses_more_answers_than_the_pool(ns, told):
    counts = VoteCounts(np.array([7]), np.array([], int), np.array([0, 0]), np.array([0]))
    with pytest.raises(ValueError, match=told):
        majority_accuracy(counts, ns)


@pytest.mark.parametrize("count", [1, 2, 5, 40, 130])
def test_quadrature_nodes_are_those_of_numpy(count):
    nodes, weights = np.empty(count), np.empty(count)
    unit_legendre(count, nodes, weights)
    expected_nodes, expected_weights = np.polynomial.legendre.leggauss(count)
    np.testing.assert_allclose(np.sort(nodes), (expected_nodes + 1) / 2, atol=1e-14)
    np.testing.assert_allclose(weights[np.argsort(nodes)], expected_weights / 2, rtol=1e-10)


def pools_and_n() -> Iterator[tuple[int, int, int]]:
    return ((pool, c, n) for pool in (1, 2, 5, 16, 64) for c in range(pool + 1) for n in range(1, pool + 1))


def none_of(pool: int, wrong: int, n: int) -> Fraction:
    """The probability that n draws from the pool are all wrong."""
    return Fraction(math.comb(wrong, n), math.comb(pool, n))


def test_best_of_n_and_all_of_n_are_the_exact_fractions():
    pool, correct, n = np.array(list(pools_and_n())).T
    best = [float(1 - none_of(p, p - c, k)) for p, c, k in pools_and_n()]
    every = [float(none_of(p, c, k)) for p, c, k in pools_and_n()]
    np.testing.assert_allclose(best_of_n(pool, correct, n), best, atol=6e-13)
    np.testing.assert_allclose(all_of_n(pool, correct, n), every, atol=6e-13)


def test_they_stay_exact_for_ten_thousand_answers():
    for few, n in ((3, 4_000), (1, 5_000)):
        none = float(none_of(10_000, 10_000 - few, n))
        assert best_of_n(10_000, few, n) == pytest.approx(1 - none, rel=1e-11)
        assert all_of_n(10_000, 10_000 - few, n) == pytest.approx(none, rel=1e-11)


@pytest.mark.parametrize(("pool", "correct", "n"), [(4, 5, 1), (4, -1, 1), (4, 2, 0), (4, 2, 5)])
@pytest.mark.parametrize("method", [best_of_n, all_of_n])
def test_counts_that_cannot_be_are_refused(method, pool, correct, n):
    with pytest.raises(ValueError, match="1 <= n <= pool"):
        method(pool, correct, n)


def answers_table() -> pd.DataFrame:
    rows = [
        ("b", 1, "7", False),
        ("b", 0, "18", True),
        ("b", 2, None, False),
        ("b", 3, "18.0", True),
        ("b", 4, "7", False),
        ("a", 0, "7", False),
        ("a", 1, "9", False),
    ]
    columns = ["question_id", "sample", "answer", "correct"]
    return pd.DataFrame(rows, columns=columns).assign(tokens=[10, 20, None, 40, 50, 60, 70])


@pytest.mark.parametrize("order", [slice(None), [6, 5, 4, 3, 2, 1, 0], [3, 1, 6, 0, 2, 5, 4]])
def test_answers_are_gathered_by_question_and_sample_whatever_the_order_of_the_rows(order):
    """All right answers are 0, and wrong ones are numbered by their text."""
    pools = answer_pools(answers_table().iloc[order], score="sample")
    assert pools.question_ids == ["a", "b"]
    assert pools.starts.tolist() == [0, 2, 7]
    assert pools.votes.tolist() == [1, 2, 0, 1, -1, 0, 1]
    np.testing.assert_array_equal(pools.scores, [0, 1, 0, 1, 2, 3, 4])
    np.testing.assert_array_equal(pools.tokens, [60, 70, 20, 10, 30, 40, 50])  # 30 is the mean of the others
    counts = pools.counts()
    assert (counts.correct.tolist(), counts.nulls.tolist()) == ([0, 2], [0, 1])
    assert (counts.wrong.tolist(), counts.starts.tolist()) == ([1, 1, 2], [0, 2, 3])
    assert counts.pools.tolist() == [2, 5]


large_pools = st.tuples(
    st.integers(0, 150), st.lists(st.integers(1, 60), max_size=12), st.integers(0, 40)
).filter(lambda counts: counts[0] + sum(counts[1]) + counts[2] >= 1)


@settings(max_examples=60, deadline=None)
@given(large_pools)
def test_ends_of_a_large_pool_and_the_bound_in_between(counts):
    curve, answers = majority_curve(*counts), listed(*counts)
    assert curve[0] == pytest.approx(counts[0] / len(answers), rel=1e-12)
    assert curve[-1] == pytest.approx(voted(answers, right=0, null=-1), abs=1e-12)
    best = best_of_n(curve.size, counts[0], np.arange(1, curve.size + 1))
    assert np.all((curve >= 0) & (curve <= best + 1e-12))
