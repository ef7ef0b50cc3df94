"""Settings without answers, forecast from those with answers: `length_law` along T, at each N by itself.

settings 100, 200, 300 at N = 16: 0.62 0.71 0.74   ->   setting 500 at N = 16: 0.78, 90 % 0.74 … 0.83
"""

from dataclasses import replace

import numpy as np

from predict.data import question_accuracy
from predict.intervals import SHARED
from predict.length_law import along_T
from predict.protocol import Floats, Ints, Observed, Options, Points, Pool, Prediction, Status, finished
from predict.rivals import power_law


def other_settings(
    carried: list[tuple[Pool, Floats, Floats]], N: Ints, targets: Points, method: str, options: Options
) -> tuple[Floats, np.ndarray, Floats, Floats]:
    """Settings without answers, from (pool, means (len(N),), draws (R, len(N))) at those with answers.

    Returns mean, status, condition (none: no system is solved) and draws (R, M). The draws also hold the
    luck of the pool that a forecast is compared with, or for the target "population" that of the questions,
    both as at the setting with the nearest T.
    """
    T = np.array([pool.T for pool, _, _ in carried])
    means = np.stack([mean for _, mean, _ in carried])
    scatter = np.stack([drawn.var(axis=0) if len(drawn) else np.zeros(len(N)) for _, _, drawn in carried])
    if options.target == "population":
        own, common = (1 - SHARED) * scatter, SHARED * scatter
    else:
        own, common = scatter, np.stack([_luck(pool, N, method, options) for pool, _, _ in carried])
    return _spread_out(T, N, means, own, common, targets, options)


def from_curves(observed: Observed, targets: Points, options: Options) -> Prediction:
    """From curves alone: a power law along N at the observed settings, and `along_T` at all others."""
    settings = observed.points.settings()
    N = np.unique(targets.N)
    places = Points(
        np.repeat([name for name, _ in settings], len(N)),
        np.repeat([T for _, T in settings], len(N)),
        np.tile(N, len(settings)),
    )
    curves = np.vstack([observed.accuracy[None], observed.replicates])
    fitted = power_law(observed.points, curves, places)
    means, known = fitted.mean.copy(), np.full(len(places), False)
    deviation = np.nan_to_num(observed.stderr, nan=0.01)
    own = np.full(len(places), np.nan)
    for i, (name, n) in enumerate(zip(places.setting, places.N, strict=True)):
        here = np.flatnonzero((observed.points.setting == name) & (n == observed.points.N))
        if len(here):
            means[:, i], known[i], own[i] = curves[:, here[0]], True, deviation[here[0]] ** 2
    shape = (len(settings), len(N))
    own = np.where(known, own, means[1:].var(axis=0) if len(means) > 1 else 1e-4)
    index = {place: i for i, place in enumerate(zip(places.setting, places.N, strict=True))}
    at = np.array(
        [index.get(place, -1) for place in zip(targets.setting, targets.N, strict=True)], dtype=np.int64
    )
    status = np.where(known, str(Status.OK), fitted.status)[at].astype("<U20")
    mean, draws = means[0, at], means[1:, at]
    new = np.flatnonzero(at < 0)
    if len(new):
        wanted = Points(targets.setting[new], targets.T[new], targets.N[new])
        common = SHARED * own * (options.target == "population")
        along = _spread_out(
            np.array([T for _, T in settings]), N, means[0].reshape(shape),
            ((1 - SHARED) * own).reshape(shape), common.reshape(shape), wanted,
            replace(options, replicates=len(draws)),
        )  # fmt: skip
        mean[new], status[new], draws[:, new] = along[0], along[1], along[3]
    note = "mixture needs samples; from curves it is a power law along N and its own law along T"
    condition = np.where(np.isnan(mean), np.inf, np.nan)
    return finished(mean, np.clip(draws, 0.0, 1.0), status, condition, options.level, (note,))


def _spread_out(
    T: Floats, N: Ints, means: Floats, own: Floats, common: Floats, targets: Points, options: Options
) -> tuple[Floats, np.ndarray, Floats, Floats]:
    """`along_T` at every N of the targets; means, variances `own` and `common`: (settings, len(N))."""
    R, M = options.replicates, len(targets)
    mean, draws = np.full(M, np.nan), np.full((R, M), np.nan)
    possible = np.isfinite(targets.T) & (targets.T > 0) & bool(np.isfinite(T).all() and (T > 0).all())
    rng = np.random.default_rng(options.seed)
    order, luck = rng.permutation(R), rng.standard_normal(R)
    for n in np.unique(targets.N[possible]) if len(np.unique(T)) > 1 else ():
        here = possible & (n == targets.N)
        j = int(np.searchsorted(N, n))
        fit = np.isfinite(means[:, j])
        if len(np.unique(T[fit])) < 2:
            continue
        found = along_T(T[fit], means[fit, j], own[fit, j], targets.T[here], R, options.seed)
        nearest = np.abs(np.log(targets.T[here])[:, None] - np.log(T[fit])).argmin(axis=1)
        mean[here] = found.mean
        draws[:, here] = found.draws[order] + np.sqrt(common[fit, j][nearest]) * luck[:, None]
    known = np.isfinite(mean)
    status = np.where(known, str(Status.OK), str(Status.NOT_IDENTIFIABLE)).astype("<U20")
    return mean, status, np.where(known, np.nan, np.inf), draws


def _luck(pool: Pool, N: Ints, method: str, options: Options) -> Floats:
    """Variance of an accuracy measured on `options.pool` answers about that of very many: (len(N),).

    About f(1 − f)·N/pool for a question, f its accuracy; subsets of half of the answers seen stand for it.
    """
    half = max(int(pool.answers.sizes.min()) // 2, 1)
    f = question_accuracy(pool.answers, np.unique(np.minimum(N, half)), method)
    scatter = (f * (1 - f)).mean(axis=0)[np.searchsorted(np.unique(np.minimum(N, half)), np.minimum(N, half))]
    size = max(options.pool or 0, int(N.max()))
    return np.asarray(scatter * np.minimum(N / size, 1.0) / len(f))
