"""The fit of (a, b) against sums without special functions, and on counts with a ridged likelihood."""

import math

import numpy as np
import pytest

from studies.forecasts.beta_binomial import BOUND, fit_beta

EDGE = math.exp(BOUND)


def slope(x: float, terms: int) -> float:
    """d/dx log Γ(x + terms) / Γ(x), as an exact sum."""
    return math.fsum(1 / (x + i) for i in range(terms))


def slopes(a: float, b: float, right: list[int], trials: int) -> tuple[float, float]:
    """The slopes of the log-likelihood along log a and log b."""
    both = len(right) * slope(a + b, trials)
    along_a = math.fsum(slope(a, s) for s in right) - both
    along_b = math.fsum(slope(b, trials - s) for s in right) - both
    return a * along_a, b * along_b


@pytest.mark.parametrize(
    ("a", "b", "trials"), [(0.7, 1.9, 4), (0.1, 0.1, 16), (30.0, 4.0, 64), (3.0, 0.2, 7), (20.0, 9.0, 30)]
)
def test_slopes_vanish_at_the_fit(a: float, b: float, trials: int) -> None:
    rng = np.random.default_rng(trials)
    right = rng.binomial(trials, rng.beta(a, b, 150))
    found = fit_beta(right, np.full(150, trials))
    assert max(found) < EDGE
    assert slopes(*found, right.tolist(), trials) == pytest.approx((0.0, 0.0), abs=1e-9)


def test_counts_with_less_scatter_than_a_binomial_end_at_the_bound_and_not_where_a_search_gave_up() -> None:
    right = np.array([3, 4, 4, 5, 4, 3, 5, 4] * 5)
    a, b = fit_beta(right, np.full(40, 40))
    assert b == pytest.approx(EDGE, rel=1e-12)
    along_a, along_b = slopes(a, b, right.tolist(), 40)
    assert along_a == pytest.approx(0.0, abs=1e-9)
    assert along_b > 0


def test_counts_that_are_all_nothing_or_all_end_at_both_bounds() -> None:
    assert fit_beta(np.zeros(30, int), np.full(30, 8)) == pytest.approx((1 / EDGE, EDGE))
    assert fit_beta(np.full(30, 8), np.full(30, 8)) == pytest.approx((EDGE, 1 / EDGE))
