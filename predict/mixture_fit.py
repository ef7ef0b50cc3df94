"""The population of questions: smooth weights over the atoms, fitted to all questions of a setting.

    weights w = softmax(base + F α),   maximise  Σ_q log Σ_k w_k L_qk − ridge/2 |α|²   over α

F holds smooth features of an atom (p, a, rest and their products), so that a few dozen questions can
already say something about the 1,360 weights; free weights (the plain NPMLE) follow the noise. Which base
measure and how much ridge is right cannot be told from the data at hand, so all are fitted and averaged
with equal weight.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from predict.mixture_atoms import RESTS, THETAS, A, P
from predict.protocol import Floats

_STEPS = 40
ENOUGH = 1e-2
"""Newton stops when a step gains less than this much log-likelihood: far below what changes a forecast."""

Likelihood = Floats | csr_array
"""Dense, or sparse where most atoms are out of the question for most patterns."""


@dataclass(frozen=True)
class MixtureFit:
    """One fit: α (features,), weights (ATOMS,), and the covariance of α by Laplace's approximation."""

    base: Floats
    alpha: Floats
    weights: Floats
    covariance: Floats


def features() -> Floats:
    """F, shape (ATOMS, features): centred, of unit spread over the atoms."""
    u = 2 * np.arcsin(np.sqrt(P)) / (np.pi / 2) - 1
    v = 2 * A / A.max() - 1
    choices = RESTS - len(THETAS)
    t = np.append(np.linspace(-1, 1, len(THETAS)), np.zeros(choices))
    choice = np.append(np.zeros(len(THETAS)), np.ones(choices))
    grids = np.meshgrid(np.arange(len(P)), np.arange(len(A)), np.arange(RESTS), indexing="ij")
    i, j, k = (grid.ravel() for grid in grids)
    u, v, t, choice, p = u[i], v[j], t[k], choice[k], P[i]
    columns = [
        u, u**2, u**3, u**4, p == 0, p == 1,
        v, v**2, A[j] == 0, t, t**2, choice,
        u * v, u**2 * v, u * v**2, u * t, v * t, u * choice, v * choice, u**2 * t,
    ]  # fmt: skip
    matrix = np.stack([np.asarray(column, dtype=float) for column in columns], axis=1)
    matrix -= matrix.mean(axis=0)
    return np.asarray(matrix / matrix.std(axis=0))


def bases() -> list[Floats]:
    """Three base log-weights: even in a and `rest`, of three shapes in p."""
    p = np.clip(P, 1e-4, 1 - 1e-4)
    inner = (P > 0) & (P < 1)
    shapes = [
        np.where(inner, 0.5 * np.log(p * (1 - p)), -6.0),  # uniform in p
        np.where(inner, 0.0, -1.0),  # uniform in arcsin √p
        np.where(inner, -0.25 * np.log(p * (1 - p)), 1.0),  # most questions easy or hopeless
    ]
    return [np.repeat(shape, len(A) * RESTS) for shape in shapes]


def fit_mixtures(
    likelihood: Likelihood, times: Floats, F: Floats, base: list[Floats], ridges: tuple[float, ...]
) -> list[MixtureFit]:
    """All fits to U patterns seen `times` (U,); `likelihood` (U, atoms) up to a factor per pattern.

    Each fit starts where the one before came out: at its α, or, under another base, at the α whose weights
    are nearest to its weights.
    """
    fits: list[MixtureFit] = []
    alpha = np.zeros(F.shape[1])
    for here in base:
        if fits:
            alpha = alpha + np.asarray(np.linalg.lstsq(F, fits[-1].base - here)[0])
        for ridge in sorted(ridges, reverse=True):
            problem = _Problem(likelihood, times, F, here, ridge)
            alpha, curvature = problem.maximum(alpha)
            covariance = np.asarray(np.linalg.inv(curvature), dtype=np.float64)
            fits.append(MixtureFit(here, alpha, weights_at(here, alpha, F), covariance))
    return fits


def weights_at(base: Floats, alpha: Floats, F: Floats) -> Floats:
    """softmax(base + F α)."""
    logits = base + F @ alpha
    weights = np.exp(logits - logits.max())
    return np.asarray(weights / weights.sum())


@dataclass(frozen=True)
class _Problem:
    """One penalised likelihood in α."""

    likelihood: Likelihood
    times: Floats
    F: Floats
    base: Floats
    ridge: float

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
        marginal = self.likelihood @ weights_at(self.base, alpha, self.F)
        return float(self.times @ np.log(np.maximum(marginal, 1e-300)) - self.ridge / 2 * alpha @ alpha)

    def derivatives(self, alpha: Floats) -> tuple[Floats, Floats]:
        """The gradient, and minus the Hessian with eigenvalues of at least the ridge: steps go uphill.

        The gradient is the posterior minus the prior mean of the features, summed over questions, minus the
        ridge's pull; minus the Hessian is the prior minus the posterior covariance, plus the ridge.
        """
        w = weights_at(self.base, alpha, self.F)
        marginal = np.maximum(self.likelihood @ w, 1e-300)
        mass = w * ((self.times / marginal) @ self.likelihood)
        means = (self.likelihood @ (w[:, None] * self.F)) / marginal[:, None]
        prior, total = w @ self.F, self.times.sum()
        gradient = mass @ self.F - total * prior - self.ridge * alpha
        second = (self.F * (total * w - mass)[:, None]).T @ self.F
        second += (means * self.times[:, None]).T @ means - total * np.outer(prior, prior)
        values, vectors = np.linalg.eigh((second + second.T) / 2)
        return gradient, (vectors * (np.maximum(values, 0.0) + self.ridge)) @ vectors.T
