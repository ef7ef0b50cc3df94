"""Settings without answers, forecast from those with answers: `length_law` along T, at each N by itself.

settings 100, 200, 300 at N = 16: 0.62 0.71 0.74   ->   setting 500 at N = 16: 0.77, 90 % 0.72 … 0.82
"""

from dataclasses import replace

import numpy as np

from predict.curves.alarm import falling
from predict.curves.calibration import model_error
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
    finished,
    worse,
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

    The interval of the power law holds its error too (`rolling`).
    """
    settings = observed.points.settings()
    names, N = [name for name, _ in settings], np.unique(targets.N)
    curves = np.vstack([observed.accuracy[None], observed.replicates])
    grid = Points(
        np.repeat(names, len(N)), np.repeat([T for _, T in settings], len(N)), np.tile(N, len(names))
    )
    fitted = power_law(observed.points, curves, grid)
    value, status = fitted.mean.copy(), worse(fitted.status, falling(observed, grid))
    if len(curves) > 1:
        off = model_error(observed, grid, lambda p, y, at: power_law(p, y[None], at).mean[0])
        value[1:] += off * np.random.default_rng(options.seed).standard_normal((len(value) - 1, 1))
    variance = value[1:].var(axis=0) if len(curves) > 1 else np.full(len(grid), UNKNOWN**2)
    for i in range(len(grid)):  # an observed point needs no curve
        seen = (observed.points.setting == grid.setting[i]) & (grid.N[i] == observed.points.N)
        if seen.any():
            at = int(np.argmax(seen))
            value[:, i], status[i] = curves[:, at], Status.OK
            variance[i] = np.nan_to_num(observed.stderr[at], nan=UNKNOWN) ** 2
    table = (len(names), len(N))
    mean, status_of, draws = (
        np.full(len(targets), np.nan),
        np.full(len(targets), str(Status.NOT_IDENTIFIABLE), dtype="<U20"),
        np.full((len(curves) - 1, len(targets)), np.nan),
    )
    for row, name in enumerate(names):
        here = targets.setting == name
        place = row * len(N) + np.searchsorted(N, targets.N[here])
        mean[here], status_of[here], draws[:, here] = value[0, place], status[place], value[1:, place]
    new = np.flatnonzero(~np.isin(targets.setting, names))
    common = SHARED * variance * (options.target == "population")
    mean[new], status_of[new], _, draws[:, new] = _spread_out(
        np.array([T for _, T in settings]), N, value[0].reshape(table),
        ((1 - SHARED) * variance).reshape(table), common.reshape(table),
        Points(targets.setting[new], targets.T[new], targets.N[new]), replace(options, replicates=len(draws)),
    )  # fmt: skip
    note = "mixture needs samples; from curves it is a power law along N and its own law along T"
    condition = np.where(np.isnan(mean), np.inf, np.nan)
    return finished(mean, np.clip(draws, 0.0, 1.0), status_of, condition, options.level, (note,))


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
