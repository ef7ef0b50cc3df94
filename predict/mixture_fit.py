"""The population of questions: smooth weights over the atoms, fitted to all questions of a setting.

    weights w = softmax(base + F α),   maximise  Σ_q log Σ_k w_k L_qk − ridge/2 |α|²   over α

F holds smooth features of an atom (p, a, rest and their products), so that a few dozen questions can
already say something about the 2,448 weights; free weights (the plain NPMLE) follow the noise. A few answers
a question leave much of the population open, and there the base decides. Two are fitted, which differ in how
many questions are guessed at, each with two ridges, and averaged with equal weight; where they disagree, the
interval is wider.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.special import betainc

from predict.mixture_atoms import A_EDGES, CHOICES, P_EDGES, RESTS, THETAS, A, P
from predict.protocol import Floats

_STEPS = 40
ENOUGH = 1e-2
"""Newton stops when a step gains less than this much log-likelihood: far below what changes a forecast."""

GUESSES = (0.02, 0.5)
"""Shares of the questions whose right answer is one guess among others, before any answer is seen: hardly
any, or half of them."""

ENDS = 1e-3
"""Share of the questions never answered right, and of those always answered right, as far as not known."""

_FLOOR = 1e-6

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
    """The base log-weights, one for each of `GUESSES`."""
    return [base(guesses) for guesses in GUESSES]


def base(guesses: float) -> Floats:
    """Log-weights of the atoms before any answer is seen, shape (ATOMS,): a share `guesses` of the questions
    is guessed, the others are known.

    Known: p is uniform, whatever a and `rest` are. Guessed: the right answer is an ordinary member of the
    guesses. Among those of Ewens(θ) an answer given at random has a share of Beta(1, θ), and so has the next
    one of what is left: p and a. Among J + 2 options (a symmetric Dirichlet law of weight ½) they have
    Beta(½, (J+1)/2) and Beta(½, J/2). So wrong answers that are all different speak against p.
    """
    even = np.full(len(A), 1 / len(A))
    known = np.outer(_p_cells(1.0, 1.0), even)
    guessed = [np.outer(_p_cells(1.0, theta), _a_cells(1.0, theta)) for theta in THETAS]
    guessed += [np.outer(_p_cells(0.5, (J + 1) / 2), _a_cells(0.5, J / 2)) for J in CHOICES]
    share = (1 - guesses) * known[:, :, None] + guesses * np.stack(guessed, axis=2)
    return np.asarray(np.log(share).ravel())


def _p_cells(one: float, other: float) -> Floats:
    """How much of Beta(one, other) each p of the grid stands for."""
    inner = np.diff(betainc(one, other, P_EDGES)) + _FLOOR
    return np.concatenate([[ENDS], inner, [ENDS]])


def _a_cells(one: float, other: float) -> Floats:
    return np.asarray(np.diff(betainc(one, other, A_EDGES)) + _FLOOR)


def fit_mixtures(
    likelihood: Likelihood, times: Floats, F: Floats, bases: list[Floats], ridges: tuple[float, ...]
) -> list[MixtureFit]:
    """All fits to U patterns seen `times` (U,); `likelihood` (U, atoms) up to a factor per pattern.

    Each fit starts where the one before, under the same base but a stronger ridge, came out.
    """
    fits: list[MixtureFit] = []
    for here in bases:
        alpha = np.zeros(F.shape[1])
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
