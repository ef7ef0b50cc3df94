"""Alarms: falling data that no saturating curve can follow, curves that miss the data, and loose forecasts.

N = 1 2 4 8 16, accuracy 0.42 0.42 0.47 0.44 0.39 ± 0.01   ->   falling
N = 1 2 3 4, accuracy 0.52 0.52 0.57 0.58 ± 0.01, exponential at N = 64   ->   bound_hit
"""

import numpy as np

from predict.curves.intervals import SHARED
from predict.estimate import Status
from predict.evidence.points import Evidence, Floats, Points, Texts

SIGMAS = 3.0
FALL = 0.005
"""A smaller fall raises no alarm, however certain it is. It is also the least noise assumed of a point."""

SHARED_ALONG_T = 0.5
"""The share of a point's variance common to all settings, where no replicates tell it: 0.3 … 0.95 for
the models in docs/forecasting/evidence.md. Along N at one setting, `SHARED` is about right."""

MISSED = 4.0
"""A root-mean-square residual of this many standard deviations of the noise is a poor fit."""

LOOSE = 0.03
"""A forecast is loose where other curves that fit as well are more than 3 points away from it. That is the
usual error of a formula per factor e in N (`calibration.USUAL`)."""

LIKELY = 2.7
"""A curve fits as well as the best one if its χ² is larger by at most this (90 %, one degree of freedom)."""

SURE = 0.003
"""The least noise of a point when we ask which curves fit as well. Stands in for unknown noise too."""

ENOUGH = 20
"""Fewer replicates than this do not tell the noise."""


def falling(observed: Evidence, targets: Points) -> Texts:
    """ "falling" at targets whose curve ends below its peak by more than noise, shape (M,).

    A fall along N concerns the targets at that setting, a fall along T those at settings not observed.
    """
    alarmed = np.zeros(len(targets), dtype=bool)
    points = observed.points
    settings = points.settings()
    for name, _ in settings:
        if _falls(observed, np.flatnonzero(points.setting == name), SHARED):
            alarmed |= targets.setting == name
    known = np.array([name for name, _ in settings])
    if np.isfinite(points.T).all():
        for N in np.unique(points.N):
            if _falls(observed, np.flatnonzero(points.N == N), SHARED_ALONG_T):
                alarmed |= ~np.isin(targets.setting, known)
    return np.where(alarmed, Status.FALLING, Status.OK).astype("<U20")


def loose(reach: Floats) -> Texts:
    """ "bound_hit" where other curves that fit as well are further away than `LOOSE`: `reach` (M,)."""
    return np.where(reach > LOOSE, Status.BOUND_HIT, Status.OK).astype("<U20")


def _falls(observed: Evidence, order: np.ndarray, shared: float) -> bool:
    if len(order) < 2:
        return False
    values = observed.accuracy[order]
    peak = int(np.argmax(values))
    ends = np.nan_to_num(observed.stderr[[order[peak], order[-1]]], nan=0.0)
    noise = float(np.sqrt((1 - shared) * (ends**2).sum()))
    return bool(values[peak] - values[-1] > max(SIGMAS * noise, FALL))
