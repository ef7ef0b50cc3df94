"""Settings without answers, forecast from those with answers: `length.law` along T, at each N by itself.

settings 100, 200, 300 at N = 16: 0.62 0.71 0.74   ->   setting 500 at N = 16: 0.77, 90 % 0.72 … 0.82
"""

from dataclasses import replace

import numpy as np

from predict.curves.alarm import falling
from predict.curves.calibration import answers_alone, model_error
from predict.curves.intervals import SHARED
from predict.curves.rivals import power_law
from predict.groups import question_accuracy
from predict.length.law import along_T
from predict.protocol import (
    Floats,
    Ints,
    Observed,
    Options,
    Points,
    Pool,
    Prediction,
    Status,
    more_severe,
    with_interval,
)

UNKNOWN = 0.01
"""Standard error of a curve point where the table has none."""


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
    """From curves alone: a power law along N at the observed settings, and `along_T` at all others.

    The interval of the power law holds its error too (`model_error`); an observed point needs no law.
    """
    settings = observed.points.settings()
    names, N = [name for name, _ in settings], np.unique(targets.N)
    lengths = np.array([T for _, T in settings])
    grid = Points(np.repeat(names, len(N)), np.repeat(lengths, len(N)), np.tile(N, len(names)))
    fitted = power_law(observed.points, np.vstack([observed.accuracy[None], observed.replicates]), grid)
    value, copies = fitted.mean[0].copy(), fitted.mean[1:].copy()
    status = more_severe(fitted.status, falling(observed, grid))
    variance = copies.var(axis=0) if len(copies) else np.full(len(grid), UNKNOWN**2)
    off = model_error(observed, grid, lambda p, y, at: power_law(p, y[None], at).mean[0])
    places = list(zip(observed.points.setting.tolist(), observed.points.N.tolist(), strict=True))
    for i, place in enumerate(zip(grid.setting.tolist(), grid.N.tolist(), strict=True)):
        if place in places:
            at = places.index(place)
            value[i], copies[:, i] = observed.accuracy[at], observed.replicates[:, at]
            status[i], off[i] = Status.OK, 0.0
            variance[i] = np.nan_to_num(observed.stderr[at], nan=UNKNOWN) ** 2
    luck = np.random.default_rng(options.seed).standard_normal((len(copies), 1))
    drawn = answers_alone(observed, copies, value, options.target) + off * luck

    mean, draws = np.full(len(targets), np.nan), np.full((len(copies), len(targets)), np.nan)
    status_of = np.full(len(targets), str(Status.NOT_IDENTIFIABLE), dtype="<U20")
    for row, name in enumerate(names):
        here = targets.setting == name
        at_grid = row * len(N) + np.searchsorted(N, targets.N[here])
        mean[here], status_of[here], draws[:, here] = value[at_grid], status[at_grid], drawn[:, at_grid]
    new, table = np.flatnonzero(~np.isin(targets.setting, names)), (len(names), len(N))
    own = (1 - SHARED) * variance + off**2
    common = SHARED * variance * (options.target == "population")
    mean[new], status_of[new], _, draws[:, new] = _spread_out(
        lengths, N, value.reshape(table), own.reshape(table), common.reshape(table),
        Points(targets.setting[new], targets.T[new], targets.N[new]), replace(options, replicates=len(draws)),
    )  # fmt: skip
    note = "the mixture needs samples; from curves it is a power law along N and its own law along T"
    condition = np.where(np.isnan(mean), np.inf, np.nan)
    return with_interval(mean, np.clip(draws, 0.0, 1.0), status_of, condition, options.level, (note,))


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
