"""How far a formula is off where there are no data, from how far it was off before the last data came.

    power-law on N ≤ 8 of N = 1 … 16 misses N = 16 by 0.010  ->  0.014 per factor e, 0.020 at N = 64

The points with the largest N (for new settings: the settings with the largest T) are left out, the rest is
fitted again, and the error of what was left out is divided by its distance, the logarithm of the ratio to
the nearest fitted N or T. The root-mean-square residual of the fit is added. One pretended error, `USUAL`,
stands in where there are too few points for that.
"""

from collections.abc import Callable

import numpy as np

from predict.curves.intervals import SHARED
from predict.protocol import Floats, Observed, Points

USUAL = 0.03
"""Error per factor e before anything was left out."""

CUTS = 2
"""How many cuts are tried: at half and a quarter of the largest N; before the last setting, the last two."""

Fit = Callable[[Points, Floats, Points], Floats]
"""(points, accuracy (P,), targets) -> forecasts (M,), NaN where there is none."""


def model_error(observed: Observed, targets: Points, fit: Fit) -> Floats:
    """Standard deviation of the formula's error at the targets, shape (M,)."""
    points = observed.points
    settings = points.settings()
    known = np.isin(targets.setting, [name for name, _ in settings])
    along_n: list[float] = []
    largest = int(points.N.max())
    for cut in range(1, CUTS + 1):
        along_n += _errors(observed, points.N * 2**cut <= largest, points.N.astype(float), fit)
    sd = np.zeros(len(targets))
    if known.any():
        sd[known] = _scale(along_n) * np.log(np.maximum(targets.N[known] / largest, 1.0))
    T = np.array([t for _, t in settings])
    if not known.all() and np.isfinite(T).all() and (T > 0).all():
        along_t: list[float] = []
        for cut in range(1, CUTS + 1):
            if len(T) > cut:
                along_t += _errors(observed, T[-1 - cut] >= points.T, points.T, fit)
        away = np.abs(np.log(np.maximum(targets.T[~known], 1e-300))[:, None] - np.log(T)).min(axis=1)
        beyond = _scale(along_n) * np.log(np.maximum(targets.N[~known] / largest, 1.0))
        sd[~known] = np.hypot(_scale(along_t) * away, beyond)
    residual = fit(points, observed.accuracy, points) - observed.accuracy
    residual = residual[np.isfinite(residual)]
    return np.hypot(sd, np.sqrt(np.mean(residual**2)) if len(residual) else 0.0)


def answers_alone(observed: Observed, draws: Floats, mean: Floats, target: str) -> Floats:
    """`draws` (R, M) about `mean` (M,), for "these-questions" without the spread that new questions bring.

    Replicates draw the questions again. What the luck of the answers has in their variance is, at N = 1,
    E[p(1 − p)]/n of Var[p̂] for n answers a question; of curves alone it is taken for 1 − `SHARED`.
    """
    if target == "population":
        return draws
    share = 1 - SHARED
    if observed.pools:
        counts = [pool.answers.counts() for pool in observed.pools]
        rate = np.concatenate([c.correct / c.pools for c in counts])
        size = np.concatenate([c.pools for c in counts])
        place = np.repeat(np.arange(len(counts)), [len(c.pools) for c in counts])
        between = np.mean([rate[place == i].var() for i in range(len(counts))])
        within = np.mean(rate * (1 - rate) / np.maximum(size - 1, 1))
        share = float(min(within / between, 1.0)) if between > 0 else 1.0
    return np.asarray(mean + np.sqrt(share) * (draws - mean))


def _errors(observed: Observed, kept: np.ndarray, x: Floats, fit: Fit) -> list[float]:
    """Errors per factor e at the points that are not `kept`, when those that are kept are fitted."""
    points = observed.points
    if not kept.any() or kept.all():
        return []
    left = ~kept
    found = fit(
        Points(points.setting[kept], points.T[kept], points.N[kept]),
        observed.accuracy[kept],
        Points(points.setting[left], points.T[left], points.N[left]),
    )
    error = (found - observed.accuracy[left]) / np.log(x[left] / x[kept].max())
    return [float(np.sqrt(np.mean(error[np.isfinite(error)] ** 2)))] if np.isfinite(error).any() else []


def _scale(errors: list[float]) -> float:
    return float(np.sqrt(np.mean(np.square([USUAL, *errors]))))
