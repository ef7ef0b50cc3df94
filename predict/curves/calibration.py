"""How far off a formula will be where there are no data, judged by data left out of its fit.

    power-law on N ≤ 8 of N = 1 … 16 misses N = 16 by 0.010  ->  0.014 per factor e, 0.020 at N = 64

We leave out the points with the largest N (for new settings: the longest settings), fit the rest and forecast
what was left out. Each error is divided by its distance: the logarithm of the ratio to the nearest fitted N
or T. `USUAL` counts as one more such error, so that few points give a sensible answer too. The residual of
the full fit (root mean square) is added.
"""

from collections.abc import Callable

import numpy as np

from predict.curves.intervals import SHARED
from predict.evidence.points import Evidence, Floats, Points

USUAL = 0.03
"""Error per factor e that formulas usually make."""

CUTS = 2
"""How often points are left out: N above a half or a quarter of the largest; the last one or two settings."""

Fit = Callable[[Points, Floats, Points], Floats]
"""(points, accuracy (P,), targets) -> forecasts (M,), NaN where there is none."""


def model_error(observed: Evidence, targets: Points, fit: Fit) -> Floats:
    """Standard deviation of the formula's error at the targets, shape (M,)."""
    points = observed.points
    lengths = dict(points.settings())
    new, T = ~np.isin(targets.setting, list(lengths)), np.array(list(lengths.values()))
    N, largest = points.N.astype(float), int(points.N.max())
    cuts = range(1, CUTS + 1)
    along_n = _scale([_error(observed, largest / 2**cut >= N, N, fit) for cut in cuts])
    sd = along_n * np.log(np.maximum(targets.N / largest, 1.0))
    if new.any() and np.isfinite(T).all() and (T > 0).all():
        along_t = _scale(
            [_error(observed, T[-1 - cut] >= points.T, points.T, fit) for cut in cuts if cut < len(T)]
        )
        away = np.abs(np.log(np.maximum(targets.T[new], 1e-300))[:, None] - np.log(T)).min(axis=1)
        sd[new] = np.hypot(along_t * away, sd[new])
    else:
        sd[new] = 0.0
    residual = fit(points, observed.accuracy, points) - observed.accuracy
    residual = residual[np.isfinite(residual)]
    return np.asarray(np.hypot(sd, np.sqrt(np.mean(residual**2)) if len(residual) else 0.0))


def luck_share(observed: Evidence) -> float:
    """How much of the variance between replicates is luck of the answers, not the choice of questions.

    Replicates resample the questions. The part of their variance that comes from the luck of n answers is
    E[p(1 − p)]/n out of Var[p̂], both at N = 1. For curves without answers it is taken to be 1 − `SHARED`.
    """
    if not observed.pools:
        return 1 - SHARED
    counts = [pool.answers.counts() for pool in observed.pools]
    rates = [one.correct / one.pools for one in counts]
    luck = [p * (1 - p) / np.maximum(one.pools - 1, 1) for p, one in zip(rates, counts, strict=True)]
    between, within = np.mean([p.var() for p in rates]), np.concatenate(luck).mean()
    return float(min(within / between, 1.0)) if between > 0 else 1.0


def _error(observed: Evidence, kept: np.ndarray, x: Floats, fit: Fit) -> float:
    """Error per factor e (rms) at the points left out when only those `kept` are fitted; NaN if unknown."""
    points = observed.points
    if not kept.any() or kept.all():
        return np.nan
    left = ~kept
    found = fit(points[kept], observed.accuracy[kept], points[left])
    error = (found - observed.accuracy[left]) / np.log(x[left] / x[kept].max())
    error = error[np.isfinite(error)]
    return float(np.sqrt(np.mean(error**2))) if len(error) else np.nan


def _scale(errors: list[float]) -> float:
    return float(np.sqrt(np.nanmean(np.square([USUAL, *errors]))))
