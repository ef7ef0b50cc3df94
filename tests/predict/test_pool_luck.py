"""The luck of a pool, against sums over all possible pools."""

import numpy as np
import pytest
from scipy.stats import binom

from predict.pool_luck import luck_of_pool
from results.votes.exact import best_of_n, majority_curve


@pytest.mark.parametrize(("N", "pool"), [(1, 20), (1, 1), (2, 16), (3, 8), (5, 9), (8, 16), (9, 9), (16, 40)])
def test_the_vote_of_two_answers_that_are_equally_likely(N: int, pool: int) -> None:
    """Sum over all pools with their binomial probabilities."""
    right = np.arange(pool + 1)
    chance = binom.pmf(right, pool, 0.5)
    value = np.array([majority_curve(int(r), [int(pool - r)])[N - 1] for r in right])
    expected = chance @ (value - 0.5) ** 2
    for method in ("majority", "weighted_majority"):
        found = luck_of_pool(np.array([0.5]), N, np.array([pool]), method)
        assert found == pytest.approx([expected], rel=1e-9 if N <= 2 or pool == N else 0.04)


@pytest.mark.parametrize("p", [0.02, 0.2, 0.7])
@pytest.mark.parametrize(("N", "pool"), [(1, 20), (4, 4), (4, 16), (8, 16), (16, 40)])
def test_best_of_n_is_exact(p: float, N: int, pool: int) -> None:
    right = np.arange(pool + 1)
    chance, value = binom.pmf(right, pool, p), best_of_n(pool, right, N)
    mean = chance @ value
    found = luck_of_pool(np.array([mean]), N, np.array([pool]), "best_of_n")
    assert found == pytest.approx([chance @ (value - mean) ** 2], rel=1e-9)


def test_one_answer_however_often_it_is_right() -> None:
    f = np.array([0.1, 0.5, 0.99, 1.0])
    for method in ("majority", "best_of_n"):
        assert luck_of_pool(f, 1, np.full(4, 20), method) == pytest.approx(f * (1 - f) / 20)


@pytest.mark.parametrize(
    ("method", "N"), [("majority", 5), ("majority", 12), ("best_of_n", 4), ("best_of_n", 8)]
)
@pytest.mark.parametrize("seen", [4, 9, 12])
def test_what_the_answers_seen_leave_open(method: str, N: int, seen: int) -> None:
    """`seen` of 12 answers are known: the variance left, averaged over all that may have been seen."""
    p, pool = (0.5, 12) if method == "majority" else (0.2, 12)
    expected = 0.0
    for first in range(seen + 1):
        right = first + np.arange(pool - seen + 1)
        if method == "majority":
            value = np.array([majority_curve(int(r), [int(pool - r)])[N - 1] for r in right])
        else:
            value = best_of_n(pool, right, N)
        chance = binom.pmf(right - first, pool - seen, p)
        expected += binom.pmf(first, seen, p) * (chance @ (value - chance @ value) ** 2)
    f = np.array([0.5 if method == "majority" else 1 - (1 - p) ** N])
    found = luck_of_pool(f, N, np.array([pool]), method, np.array([seen]))
    assert found == pytest.approx([expected], rel=1e-6, abs=1e-12)
