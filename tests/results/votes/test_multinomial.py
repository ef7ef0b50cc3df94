"""The exact vote of N fresh answers against enumeration, exact fractions and invariants."""

from fractions import Fraction
from itertools import product
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from results.votes.multinomial import best_of_n_accuracy, vote_accuracy, vote_limit


def enumerated(p, gold, n):
    """P(gold wins, ties shared) by enumerating count vectors; probability missing from p casts no vote."""
    cells = [*p, max(0.0, 1 - sum(p))]
    total = 0.0
    for counts in product(range(n + 1), repeat=len(cells)):
        if sum(counts) != n or counts[gold] == 0 or counts[gold] < max(counts[:-1]):
            continue
        weight = factorial(n) * prod(q**c / factorial(c) for q, c in zip(cells, counts, strict=True))
        total += weight / counts[:-1].count(counts[gold])
    return total


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize(
    "p", [[0.5, 0.5], [0.2, 0.5, 0.3], [0.25, 0.25, 0.25, 0.25], [0.7, 0.0, 0.3], [1.0, 0.0]]
)
def test_vote_equals_the_enumeration_of_all_counts(p, n):
    found = vote_accuracy(np.array([p]), np.array([0]), (n,))[0, 0]
    assert found == pytest.approx(enumerated(p, 0, n), abs=1e-13)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=40).filter(lambda w: sum(w) > 0.01),
    st.sampled_from([1, 2, 3, 5, 16, 64, 200]),
)
def test_some_answer_wins_with_probability_one(weights, n):
    p = np.array(weights) / sum(weights)
    k = len(p)
    wins = vote_accuracy(np.tile(p, (k, 1)), np.arange(k), (n,))[:, 0]
    assert wins.sum() == pytest.approx(1, abs=1e-10)
    assert np.all(np.diff(wins[np.argsort(p)]) > -1e-12)  # a likelier answer wins more often


def test_many_equal_answers_share_every_kind_of_tie():
    for k, n in ((435, 16), (435, 64), (435, 256), (2000, 16), (2000, 100)):
        p = np.full((1, k), 1 / k)
        assert vote_accuracy(p, np.array([7]), (n,))[0, 0] == pytest.approx(1 / k, rel=1e-9)


def test_votes_tend_to_the_limit():
    p = np.array([[0.4, 0.3, 0.3], [0.3, 0.4, 0.3], [0.4, 0.4, 0.2], [1.0, 0.0, 0.0]])
    gold = np.array([0, 0, 1, 0])
    np.testing.assert_allclose(vote_limit(p, gold), [1, 0, 0.5, 1])
    np.testing.assert_allclose(vote_accuracy(p, gold, (4000,))[:, 0], [1, 0, 0.5, 1], atol=1e-4)


def test_senseless_numbers_of_votes_are_refused():
    for n in (0, 10**6):
        with pytest.raises(ValueError, match="N must be"):
            vote_accuracy(np.array([[1.0, 0.0]]), np.array([0]), (n,))


@pytest.mark.parametrize("n", [2, 9, 40])
def test_three_answers_in_exact_fractions(n):
    """Right 5/12, wrong 1/4 and 1/6, null 1/6, in integer arithmetic, without rounding or Poissonization."""
    right, one, other, null = (Fraction(k, 12) for k in (5, 3, 2, 2))
    total = Fraction(0)
    for c in range(1, n + 1):
        for a in range(min(c, n - c) + 1):
            for b in range(min(c, n - c - a) + 1):
                rest = n - a - b - c
                ways = factorial(n) // (factorial(a) * factorial(b) * factorial(c) * factorial(rest))
                chance = ways * right**c * one**a * other**b * null**rest
                total += chance / (1 + (a == c) + (b == c))
    p = np.array([[3 / 12, 5 / 12, 2 / 12]])
    assert vote_accuracy(p, np.array([1]), (n,))[0, 0] == pytest.approx(float(total), abs=1e-13)


def test_stacked_laws_share_their_right_answer():
    laws = np.random.default_rng(3).dirichlet(np.ones(4), size=(2, 3))
    gold = np.array([1, 3])
    found, limit = vote_accuracy(laws, gold[:, None], (1, 5)), vote_limit(laws, gold[:, None])
    assert found.shape == (2, 3, 2)
    for row in range(2):
        np.testing.assert_array_equal(found[row], vote_accuracy(laws[row], gold[[row] * 3], (1, 5)))
        np.testing.assert_array_equal(limit[row], vote_limit(laws[row], gold[[row] * 3]))
        np.testing.assert_allclose(found[row, :, 0], laws[row, :, gold[row]])


def test_best_of_fresh_answers():
    found = best_of_n_accuracy([0.0, 1e-9, 0.25, 1.0], (1, 3, 10**6))
    assert found.shape == (4, 3)
    np.testing.assert_allclose(found[:, 0], [0, 1e-9, 0.25, 1])
    np.testing.assert_allclose(found[:, 1], [0, 3e-9, 1 - 0.75**3, 1], rtol=1e-8)
    assert found[1, 2] == pytest.approx(1e-3, rel=1e-3)
