"""Fit smooth weights of the atoms that explain the answers to all questions of a setting.

    w = softmax(base + F α),   maximise  Σ_q log Σ_k w_k L_qk − ridge/2 |α|²   over α

F holds a few smooth features of each atom (`prior`), L the likelihood of each question's answers under each
atom. Unconstrained weights (the nonparametric maximum likelihood estimate) would overfit.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from predict.evidence.points import Floats

_MAX_STEPS = 500

CONVERGED = 1e-12
"""Newton stops when the next step would gain less log-likelihood than this. Intervals are drawn from the
maximum and its curvature; if these were only approximate, rounding would make machines differ."""

_SPREAD_AT = 2.0
"""Standard deviations from the maximum at which the spread of α is measured, on each side."""


@dataclass(frozen=True)
class PenalisedLikelihood:
    """The penalised log-likelihood of α.

    likelihood: (U, K) P(counts | atom) up to a factor per row; times: (U,) questions with these counts;
    base: (K,) log-weights at α = 0; F: (K, features); ridge: the precision of α's normal prior.
    """

    likelihood: Floats
    times: Floats
    base: Floats
    F: Floats
    ridge: float

    def weights(self, alpha: Floats) -> Floats:
        """The atom weights, shape (..., K), at `alpha` (..., features)."""
        return np.asarray(softmax(self.base + alpha @ self.F.T, axis=-1))

    def value(self, alpha: Floats) -> Floats:
        """Its value at `alpha` (R, features): shape (R,)."""
        marginal = np.maximum(self.weights(alpha) @ self.likelihood.T, 1e-300)
        return np.asarray(np.log(marginal) @ self.times - self.ridge / 2 * (alpha**2).sum(axis=-1))

    def derivatives(self, alpha: Floats) -> tuple[Floats, Floats]:
        """The gradient, and minus the Hessian with eigenvalues raised to at least the ridge: steps go uphill.

        The gradient is the posterior minus the prior mean of the features, summed over questions, minus the
        ridge's pull; minus the Hessian is the prior minus the posterior covariance, plus the ridge.
        """
        w = self.weights(alpha)
        marginal = np.maximum(self.likelihood @ w, 1e-300)
        mass = w * ((self.times / marginal) @ self.likelihood)
        means = (self.likelihood @ (w[:, None] * self.F)) / marginal[:, None]
        prior, total = w @ self.F, self.times.sum()
        gradient = mass @ self.F - total * prior - self.ridge * alpha
        second = (self.F * (total * w - mass)[:, None]).T @ self.F
        second += (means * self.times[:, None]).T @ means - total * np.outer(prior, prior)
        values, vectors = np.linalg.eigh((second + second.T) / 2)
        return gradient, (vectors * (np.maximum(values, 0.0) + self.ridge)) @ vectors.T

    def maximum(self) -> Floats:
        """α at the maximum reached from 0 by Newton steps, each halved while it loses."""
        alpha = np.zeros(self.F.shape[1])
        value = self.value(alpha)
        for _ in range(_MAX_STEPS):
            gradient, curvature = self.derivatives(alpha)
            step = np.linalg.solve(curvature, gradient)
            if gradient @ step < CONVERGED:
                break
            size, trial = 1.0, self.value(alpha + step)
            while size > 1e-4 and trial < value:
                size /= 2
                trial = self.value(alpha + size * step)
            alpha, value = alpha + size * step, trial
        return alpha


@dataclass(frozen=True)
class WeightFit:
    """Fitted weights: α (features,) at the maximum, weights (K,), and by Laplace's approximation the
    covariance of α and the log-evidence, log P(answers)."""

    problem: PenalisedLikelihood
    alpha: Floats
    weights: Floats
    covariance: Floats
    log_evidence: float = 0.0

    def draw_weights(self, R: int, rng: np.random.Generator) -> Floats:
        """R draws of the weights, shape (R, K); α has a split normal law (Geweke 1989, Econometrica 57).

        Along each axis of the covariance (a column of its Cholesky factor), the spread on each side matches
        the fall of the posterior two standard deviations away: it is often much flatter near the maximum.
        """
        axes = np.linalg.cholesky(self.covariance)
        ends = self.alpha + _SPREAD_AT * np.stack([-axes.T, axes.T])
        fall = self.problem.value(self.alpha) - self.problem.value(ends)
        sizes = np.minimum(_SPREAD_AT / np.sqrt(2 * np.maximum(fall, 1e-6)), 1.0)
        z = rng.standard_normal((R, len(self.alpha)))
        return self.problem.weights(self.alpha + (z * np.where(z < 0, sizes[0], sizes[1])) @ axes.T)


def fit_weights(problem: PenalisedLikelihood) -> WeightFit:
    """Maximise over α, with Laplace's approximation to its posterior."""
    alpha = problem.maximum()
    curvature = problem.derivatives(alpha)[1]
    covariance = np.asarray(np.linalg.inv(curvature), dtype=np.float64)
    freedom = float(np.linalg.slogdet(curvature)[1]) - len(alpha) * np.log(problem.ridge)
    log_evidence = float(problem.value(alpha)) - freedom / 2
    return WeightFit(problem, alpha, problem.weights(alpha), covariance, log_evidence)
