"""The population of questions: smooth weights over the atoms, fitted to all questions of a setting.

    weights w = softmax(base + F α),   maximise  Σ_q log Σ_k w_k L_qk − ridge/2 |α|²   over α

F holds smooth features of an atom (p, a, rest and their products), so that a few dozen questions can
already say something about the 1,360 weights; free weights (the plain NPMLE) follow the noise. Which base
measure and how much ridge is right cannot be told from the data at hand, so all are fitted and averaged
with equal weight.
"""

from dataclasses import dataclass

import numpy as np

from predict.mixture_atoms import RESTS, THETAS, A, P
from predict.protocol import Floats

_STEPS = 40


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
    """Six base log-weights: three shapes in p times two in a."""
    p = np.clip(P, 1e-4, 1 - 1e-4)
    inner = (P > 0) & (P < 1)
    shapes = [
        np.where(inner, 0.5 * np.log(p * (1 - p)), -6.0),  # uniform in p
        np.where(inner, 0.0, -1.0),  # uniform in arcsin √p
        np.where(inner, -0.25 * np.log(p * (1 - p)), 1.0),  # most questions easy or hopeless
    ]
    leads = [np.zeros(len(A)), -2.0 * A]
    return [
        np.broadcast_to(shape[:, None, None] + lead[None, :, None], (len(P), len(A), RESTS)).ravel()
        for shape in shapes
        for lead in leads
    ]


def fit_mixtures(
    likelihood: Floats, times: Floats, F: Floats, base: list[Floats], ridges: tuple[float, ...]
) -> list[MixtureFit]:
    """All fits to U patterns seen `times` (U,); `likelihood` (U, atoms) up to a factor per pattern."""
    fits = []
    for start in base:
        alpha = np.zeros(F.shape[1])
        for ridge in sorted(ridges, reverse=True):  # the strong ridge's solution is near the weaker one's
            fit = _newton(likelihood, times, F, start, ridge, alpha)
            alpha = fit.alpha
            fits.append(fit)
    return fits


def weights_at(base: Floats, alpha: Floats, F: Floats) -> Floats:
    """softmax(base + F α)."""
    logits = base + F @ alpha
    weights = np.exp(logits - logits.max())
    return np.asarray(weights / weights.sum())


def _newton(
    likelihood: Floats, times: Floats, F: Floats, base: Floats, ridge: float, start: Floats
) -> MixtureFit:
    """Maximise the penalised likelihood from `start` by Newton steps, halved until they gain."""
    alpha = start
    total = times.sum()
    value, w, marginal = _value(likelihood, times, F, base, ridge, alpha)
    for _ in range(_STEPS):
        gradient, curvature = _derivatives(likelihood, times, F, w, marginal, ridge, alpha)
        step = np.linalg.solve(curvature, gradient)
        size = 1.0
        while True:
            trial = _value(likelihood, times, F, base, ridge, alpha + size * step)
            if trial[0] >= value - 1e-12 or size < 1e-4:
                break
            size /= 2
        gain = trial[0] - value
        alpha, (value, w, marginal) = alpha + size * step, trial
        if gain < 1e-7 * total:
            break
    _, curvature = _derivatives(likelihood, times, F, w, marginal, ridge, alpha)
    return MixtureFit(base, alpha, w, np.asarray(np.linalg.inv(curvature), dtype=np.float64))


def _value(
    likelihood: Floats, times: Floats, F: Floats, base: Floats, ridge: float, alpha: Floats
) -> tuple[float, Floats, Floats]:
    w = weights_at(base, alpha, F)
    marginal = likelihood @ w
    return float(times @ np.log(np.maximum(marginal, 1e-300)) - ridge / 2 * alpha @ alpha), w, marginal


def _derivatives(
    likelihood: Floats, times: Floats, F: Floats, w: Floats, marginal: Floats, ridge: float, alpha: Floats
) -> tuple[Floats, Floats]:
    """The gradient, and minus the Hessian with its eigenvalues raised to at least the ridge."""
    scaled = times / np.maximum(marginal, 1e-300)
    mass = w * (scaled @ likelihood)  # Σ_q times_q · P(atom k | q)
    posterior_mean = ((likelihood * w) @ F) / np.maximum(marginal, 1e-300)[:, None]
    prior_mean = w @ F
    total = times.sum()
    gradient = mass @ F - total * prior_mean - ridge * alpha
    second = (F * (total * w - mass)[:, None]).T @ F
    second += (posterior_mean * times[:, None]).T @ posterior_mean - total * np.outer(prior_mean, prior_mean)
    values, vectors = np.linalg.eigh((second + second.T) / 2 + ridge * np.eye(len(alpha)))
    return gradient, (vectors * np.maximum(values, ridge)) @ vectors.T
