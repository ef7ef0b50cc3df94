"""Best-of-N: laws of p, and their posterior by integration."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta, betabinom, norm

from predict.answers.best_of_n import (
    BETA,
    CENTRE,
    RATES,
    SPREAD,
    RateLaws,
    fit_rates,
    laws_with_zero,
    posterior_draws,
    rate_laws,
)
from predict.answers.population import Population
from predict.estimate import Options
from predict.estimators import estimate
from predict.evidence.points import Evidence, Points
from results.votes.exact import VoteCounts
from results.votes.multinomial import best_of_n_accuracy
from tests.predict.answers.pools import pool_of, targets


def counted(right: np.ndarray, answers: int) -> VoteCounts:
    """Counts with `right` of `answers` right for each question, the others all the same wrong answer."""
    none = np.zeros(len(right), np.int64)
    return VoteCounts(right, answers - right, np.arange(len(right) + 1), none)


@pytest.mark.parametrize(("a", "b", "c"), [(0.3, 1.5, 0.6), (2.0, 0.7, 0.95), (0.02, 0.5, 1.0)])
def test_a_law_is_a_scaled_beta(a: float, b: float, c: float) -> None:
    logs = [np.log(a), np.log(b), 40.0 if c == 1 else np.log(c / (1 - c))]
    law = rate_laws((np.array(logs) - CENTRE) / SPREAD)
    for N in (1, 16, 256):
        exact = quad(lambda p, N=N: N * (1 - c * p) ** (N - 1) * c * beta.sf(p, a, b), 0, 1, limit=400)[0]
        assert law @ best_of_n_accuracy(RATES, np.array([N]))[:, 0] == pytest.approx(exact, abs=1e-3)
    if c == 1:
        assert rate_laws(((np.array(logs) - CENTRE) / SPREAD)[:2]) == pytest.approx(law, abs=1e-12)


def test_a_share_of_questions_is_never_right() -> None:
    """p ~ Beta(0.5, 2) for 0.7 of the questions, and 0 for the others: closed form of the beta-binomial."""
    law = laws_with_zero((np.array([np.log(0.5), np.log(2.0), np.log(0.7 / 0.3)]) - CENTRE) / SPREAD)
    exact = [0.7 * (1 - betabinom.pmf(0, N, 0.5, 2.0)) for N in (1, 16, 256)]
    assert law @ best_of_n_accuracy(RATES, np.array([1, 16, 256])) == pytest.approx(exact, abs=1e-3)


@pytest.mark.parametrize(("questions", "answers", "a", "b"), [(40, 4, 0.7, 0.9), (300, 8, 0.3, 1.5)])
def test_forecasts_are_means_over_the_posterior_of_the_law(
    questions: int, answers: int, a: float, b: float
) -> None:
    """With c = 1: against a grid of (log a, log b), with likelihood and best-of-N from the beta-binomial."""
    rng, N = np.random.default_rng(1), np.array([1, answers, 64])
    right = rng.binomial(answers, rng.beta(a, b, questions))
    grid = np.stack(np.meshgrid(*[np.linspace(-4, 4, 121)] * 2), axis=-1).reshape(-1, 2)
    laws = np.exp(CENTRE[:2] + SPREAD * grid)
    seen, times = np.unique(right, return_counts=True)
    logs = sum(m * betabinom.logpmf(k, answers, *laws.T) for k, m in zip(seen, times, strict=True))
    chances = np.exp(logs - logs.max()) * norm.pdf(grid).prod(axis=1)
    chances /= chances.sum()
    none = [
        sum(
            m * betabinom.pmf(0, n, laws[:, 0] + k, laws[:, 1] + answers - k)
            for k, m in zip(seen, times, strict=True)
        )
        for n in N
    ]
    values = 1 - np.stack(none, axis=1) / questions
    mean = chances @ values
    sd = np.sqrt(chances @ (values - mean) ** 2)
    found = fit_rates(counted(right, answers), families=(BETA,))
    drawn = law_means(found, best_of_n_accuracy(RATES, N), 4000)
    assert drawn.mean(axis=0) == pytest.approx(mean, abs=0.15 * sd.max())
    assert drawn.std(axis=0) == pytest.approx(sd, rel=0.15, abs=1e-3)
    means = (found.posterior() @ best_of_n_accuracy(RATES, N)).mean(axis=0)
    assert means == pytest.approx(mean, abs=0.01)


def law_means(found: Population, values: np.ndarray, R: int) -> np.ndarray:
    """Mean over questions of the posterior mean of `values` (K, M), for R draws of the law: (R, M)."""
    laws = found.fit.draw_weights(R, np.random.default_rng(0))
    likelihood = found.likelihood[found.pattern]
    mass = (1 / np.maximum(laws @ likelihood.T, 1e-300)) @ likelihood * laws / len(likelihood)
    return np.asarray(mass @ values)


def test_a_posterior_of_three_numbers_is_sampled() -> None:
    """A skewed posterior (the prior times a normal law of x_0 x_1 + x_2), compared with a grid."""

    def log_density(x: np.ndarray) -> np.ndarray:
        return -2 * (x[..., 0] * x[..., 1] + x[..., 2] - 1) ** 2 - (x**2).sum(axis=-1) / 2

    axis = np.linspace(-5, 5, 81)
    grid = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    exact = np.exp(log_density(grid))
    integral = exact.sum() * (axis[1] - axis[0]) ** 3
    exact /= exact.sum()
    x, logs = posterior_draws(log_density, 3)
    assert np.exp(logs).mean() == pytest.approx(integral, rel=0.1)
    chances = np.exp(logs) / np.exp(logs).sum()
    assert chances @ x == pytest.approx(exact @ grid, abs=0.12)
    assert chances @ x**2 == pytest.approx(exact @ grid**2, rel=0.2)
    assert 1 / (chances**2).sum() > 100  # effective number of draws


def test_a_largest_chance_below_one_is_found() -> None:
    """p = 0.5 · Beta(2, 1): best-of-8 is 0.93, which a law without c would overestimate."""
    p = 0.5 * np.random.default_rng(0).beta(2.0, 1.0, 4000)
    right = np.random.default_rng(1).binomial(6, p)
    found = fit_rates(counted(right, 6))
    N = np.array([1, 8, 32])
    assert found.fit.weights @ best_of_n_accuracy(RATES, N) == pytest.approx(
        (1 - (1 - p[:, None]) ** N).mean(axis=0), abs=0.015
    )
    assert found.fit.weights[RATES > 0.6].sum() < 0.05


def test_questions_that_are_never_right_are_found() -> None:
    """3 in 10 are never right; Beta(a, b) alone forecasts 0.87 for the best of 64, which is 0.70."""
    p = np.where(np.arange(2000) % 10 < 3, 0.0, np.random.default_rng(0).beta(2.0, 1.0, 2000))
    right = np.random.default_rng(1).binomial(8, p)
    best, truth = best_of_n_accuracy(RATES, np.array([64]))[:, 0], (1 - (1 - p) ** 64).mean()
    assert fit_rates(counted(right, 8)).fit.weights @ best == pytest.approx(truth, abs=0.01)
    assert fit_rates(counted(right, 8), families=(BETA,)).fit.weights @ best > truth + 0.15


def test_a_family_counts_by_its_prior_probability() -> None:
    """With a prior of 3 to 1 for two equal families, the first has three quarters of the weight."""
    right = np.random.default_rng(0).binomial(4, 0.3, 50)
    fit = fit_rates(counted(right, 4), families=(replace(BETA, prior=0.6), replace(BETA, prior=0.2))).fit
    assert isinstance(fit, RateLaws)
    assert fit.chances[: len(fit.chances) // 2].sum() == pytest.approx(0.75)


def statuses(right: np.ndarray, answers: int, N: list[int]) -> list[str]:
    """The statuses of the forecasts at `N`."""
    pool = pool_of(np.where(np.arange(answers) < right[:, None], 0, 1), "a")
    one = Points(np.array(["a"]), np.ones(1), np.ones(1, dtype=np.int64))
    observed = Evidence(one, np.ones(1), np.ones(1), (pool,), "best_of_n")
    return estimate("mixture", observed, targets(N, "a"), Options(replicates=200)).status.tolist()


def test_the_status_is_of_the_target() -> None:
    """300 questions, 8 answers: best-of-256 is beyond the range of any backtest."""
    rng = np.random.default_rng(1)
    right = rng.binomial(8, rng.beta(0.3, 1.5, 300))
    assert statuses(right, 8, [1, 8, 256]) == ["ok", "ok", "bound_hit"]


@pytest.mark.parametrize(("a", "b", "c"), [(30, 30, 0.9), (5, 200, 0.9), (100, 400, 1.0)])
def test_a_narrow_posterior_far_from_the_prior_is_found(a: float, b: float, c: float) -> None:
    """From many answers to similar questions: enough draws have weight, and they match the moments."""
    rng = np.random.default_rng(0)
    right = rng.binomial(64, c * rng.beta(a, b, 1319))
    fit = fit_rates(counted(right, 64)).fit
    assert isinstance(fit, RateLaws)
    assert 1 / (fit.chances**2).sum() > 30
    pairs = (right * (right - 1)).mean() / (64 * 63)
    assert fit.weights @ RATES == pytest.approx(right.mean() / 64, rel=0.01)
    assert fit.weights @ RATES**2 == pytest.approx(pairs, rel=0.03)
