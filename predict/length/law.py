"""The law along T: accuracy at new reasoning lengths from that at two lengths or more.

    T = 30 60 90, accuracy 0.19 0.46 0.64 (± 0.01)   ->   T = 150: 0.79, 90 % 0.69 … 0.87

At a fixed N accuracy goes from ζ at T = 0 to α at T = ∞, and two shapes of the way there are considered:

    Acc(T) = α − (α − ζ) S(T/τ) + δ(log T),     S(u) = e^{−u^c}  or  1 / (1 + u^c)

The paper's law is the first one with c = 1; a population whose questions have very different rates looks
like c < 1 or like the second. δ is what the law misses: an Ornstein-Uhlenbeck process of size s, so that
points between settings are interpolated and those beyond are off by up to about s. No law is chosen: all of
a grid of (shape, τ, c, s) count by their marginal likelihood, with α and ζ uniform on [0, 1]. Two or three
settings do not fix a law, and then the interval holds how far the laws disagree. τ is searched around the
fitted T, so the unit of T does not matter. Accuracy may fall with T as well (ζ > α).
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import ndtri
from scipy.stats import qmc

from predict.protocol import Floats, Ints

EXPONENTS = (0.5, 0.7, 1.0, 1.5, 2.0, 3.0)
SPREAD = 0.25
"""Standard deviation of log c: a priori c is near 1."""

SCALES = 25
BEYOND = 3.0
"""τ from a third of the smallest fitted T to three times the largest."""

SIZES = (0.006, 0.02, 0.06)
"""s, the size of what the law misses, in accuracy."""

REACH = 2.0
"""δ at T and at e²·T are correlated by 1/e."""

WIDER = 1.25
"""The draws lie this many times as far from the forecast as the laws alone say, as no law need hold: curves
that still rise steeply rise for longer than the average of the laws. Where they do (dearer settings of the
cached tiny.csv and fig2f.csv, forecast from the cheaper ones) the 90 % intervals held 74 % and 84 % of the
truths without it, 98 % and 95 % with it."""

_LEVELS = 1.0
"""Standard deviation about 1/2 of the normal law that stands for a uniform one before it is cut to [0, 1]."""


@dataclass(frozen=True)
class AlongT:
    """Forecast at m values of T: mean (m,), draws (R, m), each column sorted."""

    mean: Floats
    draws: Floats


def along_T(T: Floats, accuracy: Floats, variance: Floats, at: Floats, R: int, seed: int = 0) -> AlongT:
    """Forecast the accuracy at `at` (m,) from that at n ≥ 2 positive `T`; `variance` (n,) of its errors."""
    shape, c, tau, size = (
        part.ravel()
        for part in np.meshgrid(
            [0, 1], EXPONENTS, np.geomspace(T.min() / BEYOND, T.max() * BEYOND, SCALES), SIZES, indexing="ij"
        )
    )
    regressor, regressor_at = _levels(T, shape, c, tau), _levels(at, shape, c, tau)
    missed = size[:, None, None] ** 2
    noise = np.diag(variance + 1e-8) + missed * (_correlation(T, T) + 1e-3 * np.eye(len(T)))
    inverse = np.linalg.inv(noise)
    # α and ζ: normal given all the rest; log of the marginal likelihood of the data
    slope = np.swapaxes(regressor, 1, 2) @ inverse
    covariance = np.linalg.inv(slope @ regressor + np.eye(2) / _LEVELS**2)
    centre = 0.5 + (covariance @ slope @ (accuracy - 0.5)[:, None])[..., 0]
    marginal = noise + _LEVELS**2 * regressor @ np.swapaxes(regressor, 1, 2)
    deviation = (accuracy - 0.5) * np.ones((len(size), 1))
    score = -0.5 * np.einsum("ci,ci->c", deviation, np.linalg.solve(marginal, deviation[..., None])[..., 0])
    score += -0.5 * np.linalg.slogdet(marginal)[1] - 0.5 * (np.log(c) / SPREAD) ** 2
    # … cut to [0, 1] by points of that normal law
    ends = centre[:, None] + _normal_points() @ np.swapaxes(np.linalg.cholesky(covariance), 1, 2)
    weight = np.exp(score - score.max())[:, None] * ((ends >= 0) & (ends <= 1)).all(axis=2)
    if not weight.any():
        ends, weight = np.clip(ends, 0.0, 1.0), np.exp(score - score.max())[:, None] * np.ones(ends.shape[:2])
    kept = weight.sum(axis=1) > 1e-5 * weight.sum()
    ends, weight = ends[kept], weight[kept] / weight[kept].sum()
    # δ at the new T given the residuals
    near = missed[kept] * _correlation(at, T)
    gain = near @ inverse[kept]
    rest = accuracy - ends @ np.swapaxes(regressor[kept], 1, 2)
    value = ends @ np.swapaxes(regressor_at[kept], 1, 2) + rest @ np.swapaxes(gain, 1, 2)
    unknown = np.maximum(missed[kept, 0] - np.einsum("cij,cij->ci", gain, near), 0.0)
    mean = np.clip(np.einsum("ck,ckm->m", weight, value), 0.0, 1.0)
    rng = np.random.default_rng(seed)
    law, point = np.unravel_index(rng.choice(weight.size, R, p=weight.ravel()), weight.shape)
    draws = value[law, point] + np.sqrt(unknown[law]) * rng.standard_normal((R, len(at)))
    return AlongT(mean, np.sort(mean + WIDER * (draws - mean), axis=0))


def _levels(T: Floats, shape: Ints, c: Floats, tau: Floats) -> Floats:
    """The regressors of α and ζ at `T` (n,) for each law: shape (laws, n, 2)."""
    u = (T / tau[:, None]) ** c[:, None]
    left = np.where(shape[:, None] == 0, np.exp(-np.minimum(u, 700.0)), 1 / (1 + u))
    return np.stack([1 - left, left], axis=-1)


def _correlation(one: Floats, other: Floats) -> Floats:
    return np.asarray(np.exp(-np.abs(np.log(one)[:, None] - np.log(other)) / REACH))


@cache
def _normal_points() -> Floats:
    """64 evenly spread points of the standard normal law in the plane."""
    return np.asarray(ndtri(np.clip(qmc.Sobol(2, seed=0).random(64), 1e-9, 1 - 1e-9)))
