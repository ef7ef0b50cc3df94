"""The law along T: forecast accuracy at new reasoning lengths from two or more observed ones.

    T = 30 60 90, accuracy 0.19 0.46 0.64 (± 0.01)   ->   T = 150: 0.77, 90 % 0.67 … 0.87

At a fixed N, accuracy goes from ζ at T = 0 to α at T = ∞ in one of two shapes:

    Acc(T) = α − (α − ζ) S(T/τ) + δ(log T),     S(u) = e^{−u^c}  or  1 / (1 + u^c)

The paper's law is the first shape with c = 1. Questions with very different rates look like c < 1, or like
the second shape. δ is the law's error, an Ornstein-Uhlenbeck process of standard deviation s: between
settings it interpolates, beyond them the forecast is off by about s. We do not select one law but average
over a grid of (shape, τ, c, s), weighted by marginal likelihood, with α and ζ nearly uniform on [0, 1]. Two
or three settings do not determine a law; the interval then shows how far the laws disagree. The grid of τ
scales with the fitted T, so the unit of T does not matter. Accuracy may fall with T (ζ > α).

Settings without answers are forecast from those with answers by this law, at each N:

settings 100, 200, 300 at N = 16: 0.62 0.71 0.74   ->   setting 500 at N = 16: 0.77, 90 % 0.72 … 0.82
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri
from scipy.stats import qmc

from predict.estimate import Options, Status, everywhere
from predict.evidence.points import Floats, Ints, Points, Pool
from predict.pool_luck import luck_of_mean
from results.votes.exact import accuracy_by_question

EXPONENTS = (0.5, 0.7, 1.0, 1.5, 2.0, 3.0)
SPREAD = 0.5
"""Prior standard deviation of log c, whose mean is 0."""

SCALES = 25
BEYOND = 3.0
"""τ runs from a third of the smallest fitted T to three times the largest."""

SIZES = (0.006, 0.02, 0.06)
"""s, the standard deviation of the law's error, in accuracy."""

REACH = 2.0
"""δ at T and δ at e²·T have correlation 1/e."""

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

    sizes: the s to average over. Returns the mean (m,) and draws (R, m), each column sorted.
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


ORIGINS = 3
TRUST = 1.0
"""The law's own standard deviation counts as this many rolling origins."""

DRAWS = 200

AROUND = ndtri(np.array([0.1, 0.3, 0.5, 0.7, 0.9]))
"""Normal scores of log T at which a setting is forecast if its T is itself a forecast."""


@dataclass(frozen=True)
class Carried:
    """A setting with answers: `means` (len(N),), and the variances of their parts, by `own` uncertainty about
    the setting's questions, by the answers' `luck`, and by the draw of the `questions`."""

    T: float
    means: Floats
    own: Floats
    luck: Floats
    questions: Floats


def other_settings(
    carried: Sequence[Carried], N: Ints, targets: Points, options: Options
) -> tuple[Floats, np.ndarray, Floats]:
    """Forecast settings without answers from those with answers, by `along_T` at each N of the targets.

    Returns mean (M,), status and draws (2, R, M). Those for these questions include the luck of the pool
    that the forecast will be compared with, those for new questions the draw of the questions: a shift of all
    targets together, as large as at the setting with the nearest T.
    """
    T = np.array([one.T for one in carried])
    means, own = np.stack([one.means for one in carried]), np.stack([one.own for one in carried])
    common = np.stack([[one.luck for one in carried], [one.questions for one in carried]])
    R, M = options.replicates, len(targets)
    mean, draws = np.full(M, np.nan), np.full((2, R, M), np.nan)
    possible = np.isfinite(targets.T) & (targets.T > 0) & bool(np.isfinite(T).all() and (T > 0).all())
    rng = np.random.default_rng(options.seed)
    order, luck = rng.permutation(R), rng.standard_normal(R)
    unsure = np.zeros(M) if targets.spread is None else targets.spread
    steps = AROUND if unsure.any() else np.zeros(1)
    step = rng.integers(len(steps), size=R)
    wider = _widening(T, means, own, options.seed) if R and possible.any() else 1.0
    for n in np.unique(targets.N[possible]):
        here = possible & (n == targets.N)
        j = int(np.searchsorted(N, n))
        fit = np.isfinite(means[:, j])
        if len(np.unique(T[fit])) < 2:
            continue
        around = targets.T[here, None] * np.exp(unsure[here, None] * steps)
        centre, spread = along_T(T[fit], means[fit, j], own[fit, j], around.ravel(), R, options.seed)
        drawn = (centre + wider * (spread - centre)).reshape(R, *around.shape)
        drawn = drawn[np.arange(R), :, step]
        nearest = np.abs(np.log(targets.T[here])[:, None] - np.log(T[fit])).argmin(axis=1)
        mean[here] = centre.reshape(around.shape).mean(axis=1)
        shift = np.sqrt(common[:, fit, j][:, nearest])
        draws[:, :, here] = drawn[order] + shift[:, None] * luck[:, None]
    known = np.isfinite(mean)
    status = everywhere(Status.OK, M)
    status[known & _unchecked(T, targets.T)] = str(Status.BOUND_HIT)
    status[~known] = str(Status.NOT_IDENTIFIABLE)
    return mean, status, draws


def _unchecked(T: Floats, at: Floats) -> np.ndarray:
    """Whether `at` (M,) lies farther beyond the lengths `T` than rolling origins within them can check.

    With the longest and the shortest T a factor r apart, they check forecasts up to r times beyond the fitted
    T. With two settings, none is left to check a law by, and any law goes through both.
    """
    shortest, longest = np.nanmin(T, initial=np.inf), np.nanmax(T, initial=-np.inf)
    reach = longest / shortest if len(np.unique(T)) > 2 else 1.0
    return np.asarray((at > reach * longest) | (at < shortest / reach))


def _widening(T: Floats, means: Floats, own: Floats, seed: int) -> float:
    """The factor, at least 1, by which to widen intervals beyond the fitted settings.

    Rolling origin: at each N, the settings longer than each of up to `ORIGINS` settings are forecast from it
    and the shorter ones (at least one); the errors are measured in standard deviations.
    """
    lengths = np.unique(T)
    off = []
    for last in lengths[1:-1][-ORIGINS:]:
        near, squares = last >= T, []
        for j in np.flatnonzero(np.isfinite(means).all(axis=0)):
            mean, draws = along_T(T[near], means[near, j], own[near, j], T[~near], DRAWS, seed)
            spread = draws.var(axis=0) + own[~near, j]
            squares.append(((means[~near, j] - mean) ** 2 / spread).mean())
        off += [np.mean(squares)] if squares else []
    return max(1.0, float(np.sqrt((TRUST + sum(off)) / (TRUST + len(off)))))


def answers_luck(pool: Pool, N: Ints, method: str) -> Floats:
    """Variance of the accuracy on a pool of this size around that on infinitely many answers: (len(N),)."""
    half = max(int(pool.answers.sizes.min()) // 2, 1)
    f = accuracy_by_question(pool.answers.counts(), method, np.minimum(N, half))
    return luck_of_mean(f, N, pool.answers.sizes if pool.whole is None else pool.whole, method)
