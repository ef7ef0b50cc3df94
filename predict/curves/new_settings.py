"""Forecasts at settings without answers, from those with answers: `length.law` along T for each N.

settings 100, 200, 300 at N = 16: 0.62 0.71 0.74   ->   setting 500 at N = 16: 0.77, 90 % 0.72 … 0.82
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from predict.curves.law_along_t import along_T
from predict.estimate import Options, Status, everywhere
from predict.evidence.points import Floats, Ints, Points, Pool
from predict.pool_luck import luck_of_pool
from results.votes.exact import accuracy_by_question

ORIGINS = 3
TRUST = 1.0
"""The law's own standard deviation counts for so many rolling origins."""

DRAWS = 200

AROUND = ndtri(np.array([0.1, 0.3, 0.5, 0.7, 0.9]))
"""Normal scores of log tokens at which a setting is forecast whose tokens are themselves a forecast."""


@dataclass(frozen=True)
class Carried:
    """A setting with answers: `means` (len(N),), and their variances of `these` and of `new` questions."""

    pool: Pool
    means: Floats
    these: Floats
    new: Floats


def other_settings(
    carried: Sequence[Carried], N: Ints, targets: Points, method: str, options: Options
) -> tuple[Floats, np.ndarray, Floats]:
    """Forecast settings without answers from those with.

    Returns mean (M,), status and draws (2, R, M): those of these questions include the luck of the pool that
    the forecast will be compared with, those of new ones the luck of the questions. Both are taken from the
    setting with the nearest T.
    """
    T = np.array([one.pool.T for one in carried])
    means = np.stack([one.means for one in carried])
    these = np.stack([one.these for one in carried])
    new = np.stack([one.new for one in carried])
    luck = np.stack([answers_luck(one.pool, N, method) for one in carried])
    questions = np.maximum(new - these, 0.0)
    return spread_out(T, N, means, these, np.stack([luck, questions]), targets, options)


def spread_out(
    T: Floats, N: Ints, means: Floats, own: Floats, common: Floats, targets: Points, options: Options
) -> tuple[Floats, np.ndarray, Floats]:
    """`along_T` for each N of the targets, from means and variances `own` (settings, len(N)).

    `own` is noise of each setting by itself; `common` (2, settings, len(N)) shifts all targets together, of
    these questions and of new ones. Returns mean (M,), status, and draws (2, R, M).
    """
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
    """Whether `at` (M,) lies farther beyond the lengths `T` than rolling origins within them can reach.

    With longest and shortest a factor r apart these are forecasts up to r times beyond what was fitted. Of
    two settings none is left to check a law by, and any law goes through both.
    """
    shortest, longest = np.nanmin(T, initial=np.inf), np.nanmax(T, initial=-np.inf)
    reach = longest / shortest if len(np.unique(T)) > 2 else 1.0
    return np.asarray((at > reach * longest) | (at < shortest / reach))


def _widening(T: Floats, means: Floats, own: Floats, seed: int) -> float:
    """How many times wider intervals beyond the fitted settings must be, at least once.

    Rolling origin: the settings dearer than each of up to `ORIGINS` are forecast from it and the cheaper
    ones, of which there must be one, at each N; the misses are counted in standard deviations.
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
    """Variance of the accuracy on a pool like this one around that on very many answers: (len(N),).

    f, a question's accuracy, is read on half of the answers seen.
    """
    half = max(int(pool.answers.sizes.min()) // 2, 1)
    f = accuracy_by_question(pool.answers.counts(), method, np.minimum(N, half))
    measured = pool.answers.sizes if pool.whole is None else pool.whole
    luck = [
        luck_of_pool(each, int(n), np.maximum(measured, n), method).mean()
        for each, n in zip(f.T, N, strict=True)
    ]
    return np.array(luck) / len(f)
