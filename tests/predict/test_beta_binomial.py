"""The beta-binomial: parameters recovered, best-of-N against numerical integration and simulation."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta as beta_law

from predict.beta_binomial import BetaFit, best_of_n_given, fit_beta, rates


def test_parameters_of_a_large_sample_are_recovered() -> None:
    rng = np.random.default_rng(0)
    trials = np.full(20_000, 10)
    successes = rng.binomial(trials, rng.beta(0.7, 1.9, len(trials)))
    found = fit_beta(successes, trials)
    assert found.a == pytest.approx(0.7, rel=0.05)
    assert found.b == pytest.approx(1.9, rel=0.05)
    assert not found.at_bound


def test_best_of_n_is_the_posterior_integral() -> None:
    fit = BetaFit(0.7, 1.9, np.eye(2), False)
    found = best_of_n_given(fit, np.array([0, 2]), np.array([4, 4]), np.array([1, 16]))
    for row, s in zip(found, (0, 2), strict=True):
        law = beta_law(0.7 + s, 1.9 + 4 - s)
        for value, n in zip(row, (1, 16), strict=True):
            expected, _ = quad(lambda p, n=n, law=law: (1 - (1 - p) ** n) * law.pdf(p), 0, 1)
            assert value == pytest.approx(expected, abs=1e-6)


def test_best_of_one_is_the_posterior_mean_rate() -> None:
    fit = BetaFit(1.3, 0.4, np.eye(2), False)
    s, n = np.array([0, 3, 5]), np.array([5, 5, 5])
    assert best_of_n_given(fit, s, n, np.array([1]))[:, 0] == pytest.approx(rates(fit, s, n))


@pytest.mark.parametrize("right", [0, 4])
def test_unanimous_counts_run_to_a_bound_and_say_so(right: int) -> None:
    found = fit_beta(np.full(30, right), np.full(30, 4))
    assert found.at_bound
    value = best_of_n_given(found, np.full(30, right), np.full(30, 4), np.array([16])).mean()
    assert value == pytest.approx(1.0 if right else 0.0, abs=0.05)
