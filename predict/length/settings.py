"""Forecasts at settings without answers, from those with answers: `law_along_t` along T for each N.

settings 100, 200, 300 at N = 16: 0.62 0.71 0.74   ->   setting 500 at N = 16: 0.77, 90 % 0.72 … 0.82
"""

import numpy as np
from scipy.special import ndtri

from predict.curves.intervals import SHARED
from predict.curves.law_along_t import along_T
from predict.protocol import Floats, Ints, Options, Points, Pool, Status, everywhere
from results.votes.exact import accuracy_by_question

ORIGINS = 3
TRUST = 1.0
"""The law's own standard deviation counts for so many rolling origins."""

DRAWS = 200

AROUND = ndtri(np.array([0.1, 0.3, 0.5, 0.7, 0.9]))
"""Normal scores of log tokens at which a setting is forecast whose tokens are themselves a forecast."""


def other_settings(
    carried: list[tuple[Pool, Floats, Floats]], N: Ints, targets: Points, method: str, options: Options
) -> tuple[Floats, np.ndarray, Floats, Floats]:
    """Forecast settings without answers from those with: (pool, means (len(N),), draws (R, len(N))) each.

    Returns mean (M,), status, condition (NaN, as no system is solved) and draws (R, M). The draws include the
    luck of the pool that the forecast will be compared with. For the target "population" it is the luck of
    the questions. Both are taken from the setting with the nearest T.
    """
    T = np.array([pool.T for pool, _, _ in carried])
    means = np.stack([mean for _, mean, _ in carried])
    scatter = np.stack([drawn.var(axis=0) if len(drawn) else np.zeros(len(N)) for _, _, drawn in carried])
    if options.target == "population":
        own, common = (1 - SHARED) * scatter, SHARED * scatter
    else:
        own, common = scatter, np.stack([_luck(pool, N, method, options) for pool, _, _ in carried])
    return spread_out(T, N, means, own, common, targets, options)


def spread_out(
    T: Floats, N: Ints, means: Floats, own: Floats, common: Floats, targets: Points, options: Options
) -> tuple[Floats, np.ndarray, Floats, Floats]:
    """`along_T` for each N of the targets, from means and variances `own` and `common` (settings, len(N)).

    `own` is noise of each setting by itself; `common` shifts all targets together.
    """
    R, M = options.replicates, len(targets)
    mean, draws = np.full(M, np.nan), np.full((R, M), np.nan)
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
        draws[:, here] = drawn[order] + np.sqrt(common[fit, j][nearest]) * luck[:, None]
    known = np.isfinite(mean)
    status = everywhere(Status.OK, M)
    status[known & _unchecked(T, targets.T)] = str(Status.BOUND_HIT)
    status[~known] = str(Status.NOT_IDENTIFIABLE)
    return mean, status, np.where(known, np.nan, np.inf), draws


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


def _luck(pool: Pool, N: Ints, method: str, options: Options) -> Floats:
    """Variance of the accuracy on `options.pool` answers around that on very many: (len(N),).

    For a question of accuracy f it is about f(1 − f)·N/pool; f is read on half of the answers seen.
    """
    half = max(int(pool.answers.sizes.min()) // 2, 1)
    f = accuracy_by_question(pool.answers.counts(), method, np.minimum(N, half))
    scatter = (f * (1 - f)).mean(axis=0)
    size = max(options.pool or 0, int(N.max()))
    return np.asarray(scatter * np.minimum(N / size, 1.0) / len(f))
