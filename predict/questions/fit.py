"""The population of questions, fitted: smooth weights over the atoms that explain all questions of a setting.

    w = softmax(base + F α),   maximise  Σ_q log Σ_k w_k L_qk − ridge/2 |α|²   over α

All models are fitted and averaged by their evidence, the probability of the answers under each (Laplace's
approximation); where those that explain the answers equally well disagree, the interval is wider.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from predict.protocol import Floats
from predict.questions.models import MixtureModel, weights_at

_STEPS = 40
ENOUGH = 1e-2
"""Newton stops when a step gains less than this much log-likelihood: far below what changes a forecast."""

FAR = 2.0
"""Standard deviations at which the spread of α is measured, in each direction."""

Likelihood = Floats | csr_array
"""Dense, or sparse where most atoms are out of the question for most patterns."""


@dataclass(frozen=True)
class Problem:
    """One penalised likelihood in α."""

    likelihood: Likelihood
    times: Floats
    model: MixtureModel

    def maximum(self, alpha: Floats) -> tuple[Floats, Floats]:
        """The maximum near `alpha` by Newton steps, halved until they gain; the curvature before the last."""
        value = self.value(alpha)
        for _ in range(_STEPS):
            gradient, curvature = self.derivatives(alpha)
            step = np.linalg.solve(curvature, gradient)
            size, trial = 1.0, self.value(alpha + step)
            while trial < value and size > 1e-4:
                size /= 2
                trial = self.value(alpha + size * step)
            if trial < value:
                break
            gain, value, alpha = trial - value, trial, alpha + size * step
            if gain < ENOUGH:
                break
        return alpha, curvature

    def value(self, alpha: Floats) -> float:
        """Σ_q log Σ_k w_k L_qk − ridge/2 |α|²."""
        marginal = self.likelihood @ weights_at(self.model, alpha)
        return float(self.times @ np.log(np.maximum(marginal, 1e-300)) - self.model.ridge / 2 * alpha @ alpha)

    def derivatives(self, alpha: Floats) -> tuple[Floats, Floats]:
        """The gradient, and minus the Hessian with eigenvalues of at least the ridge: steps go uphill.

        The gradient is the posterior minus the prior mean of the features, summed over questions, minus the
        ridge's pull; minus the Hessian is the prior minus the posterior covariance, plus the ridge.
        """
        w, F, ridge = weights_at(self.model, alpha), self.model.F, self.model.ridge
        marginal = np.maximum(self.likelihood @ w, 1e-300)
        mass = w * ((self.times / marginal) @ self.likelihood)
        means = (self.likelihood @ (w[:, None] * F)) / marginal[:, None]
        prior, total = w @ F, self.times.sum()
        gradient = mass @ F - total * prior - ridge * alpha
        second = (F * (total * w - mass)[:, None]).T @ F
        second += (means * self.times[:, None]).T @ means - total * np.outer(prior, prior)
        values, vectors = np.linalg.eigh((second + second.T) / 2)
        return gradient, (vectors * (np.maximum(values, 0.0) + ridge)) @ vectors.T


@dataclass(frozen=True)
class MixtureFit:
    """One fit: α (features,), weights (atoms,), the covariance of α and the evidence, both by Laplace's
    approximation."""

    problem: Problem
    alpha: Floats
    weights: Floats
    covariance: Floats
    log_evidence: float

    def draw_weights(self, R: int, rng: np.random.Generator) -> Iterator[Floats]:
        """R draws of the weights (atoms,), α following a split normal law (Geweke 1989, Econometrica 57).

        Along an axis of the covariance, to either side, α spreads as far as the posterior does two standard
        deviations away: near its maximum it is often much flatter than further out.
        """
        values, vectors = np.linalg.eigh(self.covariance)
        axes = vectors * np.sqrt(values)
        top = self.problem.value(self.alpha)
        fall = np.array(
            [
                [top - self.problem.value(self.alpha + side * FAR * axis) for axis in axes.T]
                for side in (-1, 1)
            ]
        )
        sizes = np.minimum(FAR / np.sqrt(2 * np.maximum(fall, 1e-6)), 1.0)
        for _ in range(R):
            z = rng.standard_normal(len(self.alpha))
            size = np.where(z < 0, sizes[0], sizes[1])
            yield weights_at(self.problem.model, self.alpha + axes @ (z * size))


def fit_mixtures(
    likelihood: Likelihood, times: Floats, models: Sequence[MixtureModel]
) -> tuple[MixtureFit, ...]:
    """All fits to U patterns seen `times` (U,); `likelihood` (U, atoms) up to a factor per pattern.

    Each starts where an earlier one came out, as far as its features are the same, or at 0: where its own
    likelihood is largest. (There can be several maxima; starting high also saves steps.)
    """
    fits: list[MixtureFit] = []
    for model in models:
        problem = Problem(likelihood, times, model)
        starts = [np.zeros(model.F.shape[1]), *(_fitted_to(fit.alpha, model) for fit in fits)]
        alpha, curvature = problem.maximum(max(starts, key=problem.value))
        covariance = np.asarray(np.linalg.inv(curvature), dtype=np.float64)
        freedom = float(np.linalg.slogdet(curvature)[1]) - len(alpha) * np.log(model.ridge)
        log_evidence = problem.value(alpha) - freedom / 2
        fits.append(MixtureFit(problem, alpha, weights_at(model, alpha), covariance, log_evidence))
    return tuple(fits)


def _fitted_to(alpha: Floats, model: MixtureModel) -> Floats:
    """α of another model with as many features as `model` has: the first ones are the same."""
    found = np.zeros(model.F.shape[1])
    found[: len(alpha)] = alpha[: len(found)]
    return found
