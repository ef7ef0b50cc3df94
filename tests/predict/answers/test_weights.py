"""The fitted weights: derivatives against differences, maximum and spread against integration."""

import numpy as np
import pytest

from predict.answers.atoms import ATOMS
from predict.answers.prior import base, features
from predict.answers.weights import PenalisedLikelihood, WeightFit, fit_weights


def problem(questions: int, columns: slice, ridge: float = 2.0) -> PenalisedLikelihood:
    """Questions that each favour some atoms strongly."""
    rng = np.random.default_rng(0)
    likelihood = rng.random((questions, ATOMS)) ** 8
    return PenalisedLikelihood(likelihood, np.ones(questions), base(), features()[:, columns], ridge)


def test_gradient_and_curvature_agree_with_differences() -> None:
    one = problem(30, slice(None))
    alpha = np.random.default_rng(1).normal(0, 0.1, one.F.shape[1])
    gradient, _ = one.derivatives(alpha)
    step = 1e-5 * np.eye(len(alpha))
    slopes = (one.value(alpha + step) - one.value(alpha - step)) / 2e-5
    assert gradient == pytest.approx(slopes, abs=1e-4)
    best = one.maximum()
    _, curvature = one.derivatives(best)
    bends = [(one.derivatives(best - e)[0] - one.derivatives(best + e)[0]) / 2e-5 for e in step]
    values, vectors = np.linalg.eigh(np.array(bends))  # curvature below the ridge is raised to it
    assert curvature == pytest.approx((vectors * np.maximum(values, one.ridge)) @ vectors.T, abs=1e-3)


def test_the_maximum_is_found_until_rounding_decides() -> None:
    one = problem(30, slice(None))
    best = one.maximum()
    assert np.abs(one.derivatives(best)[0]).max() < 1e-5


def test_draws_do_not_depend_on_rounding() -> None:
    """Processors add in different orders, so draws must not use a basis whose signs or order may change."""
    one = problem(30, slice(None))
    rounded = one.likelihood * (1 + 1e-13 * np.random.default_rng(2).standard_normal(one.likelihood.shape))
    other = PenalisedLikelihood(rounded, one.times, one.base, one.F, one.ridge)
    draws = [fit_weights(p).draw_weights(20, np.random.default_rng(3)) for p in (one, other)]
    assert draws[0] == pytest.approx(draws[1], rel=1e-5)


@pytest.mark.parametrize(("questions", "ridge"), [(40, 0.5), (400, 2.0)])
def test_draws_follow_the_posterior_by_integration(questions: int, ridge: float) -> None:
    """With one feature the posterior of α can be tabulated; split normal draws match its sd within 15 %."""
    one = problem(questions, slice(0, 1), ridge)
    grid = np.linspace(-6, 6, 4001)[:, None]
    logs = one.value(grid)
    density = np.exp(logs - logs.max())
    density /= density.sum()
    weights = one.weights(grid)
    share = weights[:, : ATOMS // 2].sum(axis=1)
    mean = density @ share
    spread = np.sqrt(density @ (share - mean) ** 2)
    drawn = fit_weights(one).draw_weights(4000, np.random.default_rng(0))[:, : ATOMS // 2].sum(axis=1)
    assert drawn.mean() == pytest.approx(mean, abs=0.2 * spread)
    assert drawn.std() == pytest.approx(spread, rel=0.15)


def test_draws_spread_as_far_as_the_posterior_falls_on_each_side() -> None:
    """A posterior with sd 0.5 below its maximum and 0.8 above, where the curvature says 1."""

    class Lopsided(PenalisedLikelihood):
        def value(self, alpha: np.ndarray) -> np.ndarray:
            sd = np.where(alpha < 0, 0.5, 0.8)
            return -((alpha / sd) ** 2).sum(axis=-1) / 2

        def weights(self, alpha: np.ndarray) -> np.ndarray:
            return alpha

    lopsided = Lopsided(*(np.zeros(1),) * 4, ridge=1.0)
    drawn = WeightFit(lopsided, np.zeros(1), np.zeros(1), np.eye(1)).draw_weights(
        20_000, np.random.default_rng(0)
    )
    below, above = drawn[drawn < 0], drawn[drawn > 0]
    assert np.sqrt([(below**2).mean(), (above**2).mean()]) == pytest.approx([0.5, 0.8], rel=0.03)


@pytest.mark.parametrize("ridge", [0.5, 20.0])
def test_the_evidence_is_the_integral_over_the_prior(ridge: float) -> None:
    one = problem(400, slice(0, 1), ridge)
    alpha = np.linspace(-6, 6, 4001)
    logs = one.value(alpha[:, None]) + np.log(ridge / (2 * np.pi)) / 2
    exact = np.log(np.exp(logs - logs.max()).sum() * (alpha[1] - alpha[0])) + logs.max()
    assert fit_weights(one).log_evidence == pytest.approx(exact, abs=0.05)
