"""Forecast from curves alone: the question law, its interval widened by its error on held-out points.

    curve at T = 30, 60, 90, N = 1 … 16   ->   T = 90, N = 64: 0.74, 90 % 0.69 … 0.79

The law's own interval covers the uncertainty of its parameters, not its error as a law. So it
is refitted without the points of the largest N (or, for new settings, without the longest
settings), as every rival is (`model_error`), and its error there is added to the interval; half
of it for a new setting (`OF_NEW`). An observed point's interval is that of its standard error.
"""

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from predict.curves.intervals import SHARED, model_error
from predict.curves.law_forecast import around, forecast_by_law, means_by_law
from predict.estimate import Estimate, Options, Status
from predict.evidence.points import Evidence, Floats, Points
from results import BadInput
from results.normal import Interval, z_of

OF_NEW = 0.5
"""The share of the error beyond the longest settings that counts for new ones, whose interval already spans
two laws. With all of it, 99 of 100 intervals of 90 % cover, with half 98, with none 94; but with
none too few cover for the small model, whose accuracy still rises steeply at the last setting
seen. Chosen on the sets of studies/figure_3/from_curves.md."""


def from_curves(evidence: Evidence, targets: Points, options: Options) -> Estimate:
    """The estimate from the points of the curves; without all their standard errors it has no intervals."""
    known = bool(np.isfinite(evidence.stderr).all())
    by_law = forecast_by_law(evidence, targets, options if known else replace(options, replicates=0)).estimate
    if not (known and options.replicates):
        return by_law
    z = z_of(options.level)
    share = np.where(np.isin(targets.setting, evidence.points.setting), 1.0, OF_NEW)
    error = share * model_error(evidence, targets, partial(means_by_law, evidence.method))
    off = z * np.hypot(error, _by_length(evidence, targets))
    stderr = dict(zip(evidence.points.places(), evidence.stderr, strict=True))
    own = z * np.array([stderr.get(place, np.nan) for place in targets.places()])
    return replace(
        by_law,
        these=_wider(by_law.these, by_law.mean, off, np.sqrt(1 - SHARED) * own),
        new=_wider(by_law.new, by_law.mean, off, own),
    )


def of_the_law(evidence: Evidence, targets: Points) -> tuple[Floats, NDArray[np.bool_]]:
    """The law's mean forecasts, and where they are ok; NaN and nowhere if the law cannot be fitted."""
    try:
        by_law = forecast_by_law(evidence, targets, Options()).estimate
    except BadInput:
        return np.full(len(targets), np.nan), np.zeros(len(targets), bool)
    return by_law.mean, by_law.status == Status.OK


def _by_length(evidence: Evidence, targets: Points) -> Floats:
    """The uncertainty due to a T that is itself a forecast: half the change over ± one sd of log T, (M,)."""
    if targets.spread is None or not targets.spread.any():
        return np.zeros(len(targets))
    sooner, later = (replace(targets, T=targets.T * np.exp(by * targets.spread)) for by in (-1, 1))
    low, high = (
        means_by_law(evidence.method, evidence.points, evidence.accuracy, at) for at in (sooner, later)
    )
    return np.asarray(np.abs(high - low) / 2)


def _wider(interval: Interval[Floats], mean: Floats, off: Floats, own: Floats) -> Interval[Floats]:
    """The interval widened by an independent error of half-width `off`; where a point was observed (`own` is
    known), mean ± `own` instead."""
    below, above = (
        np.where(np.isfinite(own), own, np.hypot(end - mean, off)) for end in (interval.low, interval.high)
    )
    return around(mean, np.stack([mean - below, mean + above]), interval.level)
