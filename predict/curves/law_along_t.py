"""The law along T: forecast accuracy at new reasoning lengths from two or more observed ones.

    T = 30 60 90, accuracy 0.19 0.46 0.64 (± 0.01)   ->   T = 150: 0.79, 90 % 0.69 … 0.87

At a fixed N accuracy goes from ζ at T = 0 to α at T = ∞, in one of two shapes:

    Acc(T) = α − (α − ζ) S(T/τ) + δ(log T),     S(u) = e^{−u^c}  or  1 / (1 + u^c)

The paper's law is the first shape with c = 1. Questions with very different rates look like c < 1, or like
the second shape. δ is what the law misses, an Ornstein-Uhlenbeck process of standard deviation s: between
settings it interpolates, beyond them the forecast is off by about s. We do not choose one law. We average
over a grid of (shape, τ, c, s), weighted by marginal likelihood, with α and ζ uniform on [0, 1]. Two or three
settings do not determine a law; the interval then shows how far the laws disagree. The grid of τ follows the
fitted T, so the unit of T does not matter. Accuracy may fall with T (ζ > α).
"""

import numpy as np
from scipy.special import ndtri
from scipy.stats import qmc

from results.votes.exact import Floats

EXPONENTS = (0.5, 0.7, 1.0, 1.5, 2.0, 3.0)
SPREAD = 0.5
"""Prior standard deviation of log c, whose mean is 0."""

SCALES = 25
BEYOND = 3.0
"""τ from a third of the smallest fitted T to three times the largest."""

SIZES = (0.006, 0.02, 0.06)
"""s, the standard deviation of what the law misses, in accuracy."""

REACH = 2.0
"""δ at T and at e²·T are correlated by 1/e."""

_LEVELS = 1.0
"""α and ζ are normal with mean 1/2 and this standard deviation, cut to [0, 1]: nearly uniform."""

_POINTS = ndtri(np.clip(qmc.Sobol(2, seed=0).random(64), 1e-9, 1 - 1e-9))
"""Quasi-random points of the standard normal law in the plane."""


def along_T(
    T: Floats,
    accuracy: Floats,
    variance: Floats,
    at: Floats,
    R: int,
    seed: int = 0,
    sizes: tuple[float, ...] = SIZES,
) -> tuple[Floats, Floats]:
    """Forecast at `at` (m,) from `accuracy` (n,) with error `variance` (n,) at n ≥ 2 positive lengths `T`.

    sizes: the s that are averaged over. Returns the mean (m,) and draws (R, m), each column sorted.
    """
    axes = [0, 1], EXPONENTS, np.geomspace(T.min() / BEYOND, T.max() * BEYOND, SCALES), sizes
    shape, c, tau, size = np.stack(np.meshgrid(*axes, indexing="ij")).reshape(len(axes), -1)
    regressor, regressor_at = _levels(T, shape, c, tau), _levels(at, shape, c, tau)
    missed = size[:, None, None] ** 2
    noise = np.diag(variance + 1e-8) + missed * (_correlation(T, T) + 1e-3 * np.eye(len(T)))
    inverse = np.linalg.inv(noise)
    # given a law, α and ζ are normal; `score` is the log of the marginal likelihood of the data
    slope = np.swapaxes(regressor, 1, 2) @ inverse
    covariance = np.linalg.inv(slope @ regressor + np.eye(2) / _LEVELS**2)
    centre = 0.5 + (covariance @ slope @ (accuracy - 0.5)[:, None])[..., 0]
    marginal = noise + _LEVELS**2 * regressor @ np.swapaxes(regressor, 1, 2)
    deviation = (accuracy - 0.5) * np.ones((len(size), 1))
    score = -0.5 * np.einsum("ci,ci->c", deviation, np.linalg.solve(marginal, deviation[..., None])[..., 0])
    score += -0.5 * np.linalg.slogdet(marginal)[1] - 0.5 * (np.log(c) / SPREAD) ** 2
    # cut α and ζ to [0, 1]: keep the points of the normal law that lie inside
    ends = centre[:, None] + _POINTS @ np.swapaxes(np.linalg.cholesky(covariance), 1, 2)
    weight = np.exp(score - score.max())[:, None] * ((ends >= 0) & (ends <= 1)).all(axis=2)
    if not weight.any():
        ends, weight = np.clip(ends, 0.0, 1.0), np.exp(score - score.max())[:, None] * np.ones(ends.shape[:2])
    kept = weight.sum(axis=1) > 1e-5 * weight.sum()
    ends, weight = ends[kept], weight[kept] / weight[kept].sum()
    # δ at the new T, given the residuals at the observed ones
    near = missed[kept] * _correlation(at, T)
    gain = near @ inverse[kept]
    rest = accuracy - ends @ np.swapaxes(regressor[kept], 1, 2)
    value = ends @ np.swapaxes(regressor_at[kept], 1, 2) + rest @ np.swapaxes(gain, 1, 2)
    unknown = np.maximum(missed[kept, 0] - np.einsum("cij,cij->ci", gain, near), 0.0)
    mean = np.clip(np.einsum("ck,ckm->m", weight, value), 0.0, 1.0)
    rng = np.random.default_rng(seed)
    law, point = np.unravel_index(rng.choice(weight.size, R, p=weight.ravel()), weight.shape)
    draws = value[law, point] + np.sqrt(unknown[law]) * rng.standard_normal((R, len(at)))
    return mean, np.sort(draws, axis=0)


def _levels(T: Floats, shape: Floats, c: Floats, tau: Floats) -> Floats:
    """The regressors of α and ζ at `T` (n,) for each law: shape (laws, n, 2)."""
    u = (T / tau[:, None]) ** c[:, None]
    left = np.where(shape[:, None] == 0, np.exp(-np.minimum(u, 700.0)), 1 / (1 + u))
    return np.stack([1 - left, left], axis=-1)


def _correlation(one: Floats, other: Floats) -> Floats:
    return np.asarray(np.exp(-np.abs(np.log(one)[:, None] - np.log(other)) / REACH))
