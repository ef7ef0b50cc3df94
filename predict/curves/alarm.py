"""Alarms: data that no saturating curve can follow, curves that miss the data, forecasts the data leave open.

N = 1 2 4 8 16, accuracy 0.42 0.42 0.47 0.44 0.39 ± 0.01   ->   falling
N = 1 2 3 4, accuracy 0.52 0.52 0.57 0.58 ± 0.01, exponential at N = 64   ->   bound_hit
"""

import numpy as np

from predict.curves.intervals import SHARED
from predict.protocol import Floats, Observed, Points, Status, Texts

SIGMAS = 3.0
FALL = 0.005
"""Falls smaller than this are not worth an alarm, however sure; no noise is taken to be smaller."""

SHARED_ALONG_T = 0.5
"""Without answers to count from: the share of a point's variance common to all settings. Between settings of
the models in docs/forecasting.md it is 0.3 … 0.95; along N at one setting `SHARED`, 0.9, is about right."""

MISSED = 4.0
"""A root-mean-square residual of this many standard deviations of the noise is a poor fit."""

LOOSE = 0.03
"""A forecast is not pinned down where other curves that fit as well differ from it by more than 3 points: as
much as a formula is usually off per factor e in N (`calibration.USUAL`)."""

LIKELY = 2.7
"""Curves fit as well as the best within so many noise variances: χ² of one degree of freedom, 90 %."""

SURE = 0.003
"""The least noise of a point when it is asked which curves fit as well, also where it is not known."""

ENOUGH = 20
"""Fewer replicates do not tell the noise."""


def falling(observed: Observed, targets: Points) -> Texts:
    """ "falling" for targets whose curve comes down from its peak by more than noise, shape (M,).

    Along N this concerns targets at the same setting; along T, targets at settings that were not observed.
    """
    alarmed = np.zeros(len(targets), dtype=bool)
    points = observed.points
    settings = points.settings()
    for name, _ in settings:
        if _falls(observed, _ordered(points.setting == name, points.N.astype(float)), SHARED):
            alarmed |= targets.setting == name
    known = np.array([name for name, _ in settings])
    if np.isfinite(points.T).all():
        for N in np.unique(points.N):
            if _falls(observed, _ordered(points.N == N, points.T), SHARED_ALONG_T):
                alarmed |= ~np.isin(targets.setting, known)
    return np.where(alarmed, Status.FALLING, Status.OK).astype("<U20")


def poor_fit(observed: Observed, fitted: Floats) -> Status:
    """Compare the curve's values `fitted` (P,) at the observed points with them, shared shifts left out."""
    residual = observed.accuracy - fitted
    if not np.isfinite(residual).all():
        return Status.OK
    if len(observed.replicates) >= ENOUGH:
        noise = own_noise(observed.replicates)
    else:
        noise = np.sqrt(1 - SHARED) * np.nan_to_num(observed.stderr, nan=0.0)
    noise = np.maximum(noise, FALL)
    return Status.POOR_FIT if np.sqrt(np.mean((residual / noise) ** 2)) > MISSED else Status.OK


def far_along_T(missed: Floats, replicates: Floats) -> Status:
    """Whether a curve along T misses n settings by far: residuals (n,), replicates of the values (R, n)."""
    noise = np.full(len(missed), FALL)
    if len(replicates) >= ENOUGH:
        noise = np.maximum(np.sqrt(1 - SHARED_ALONG_T) * replicates.std(axis=0), FALL)
    return Status.POOR_FIT if np.sqrt(np.mean((missed / noise) ** 2)) > MISSED else Status.OK


def own_noise(replicates: Floats) -> Floats:
    """Standard deviation of P points over replicates (R, P) without shared shifts; 0 for too few of them."""
    if len(replicates) < ENOUGH:
        return np.zeros(replicates.shape[1])
    return np.asarray((replicates - replicates.mean(axis=1, keepdims=True)).std(axis=0))


def loose(reach: Floats) -> Texts:
    """ "bound_hit" where other curves that fit as well are `reach` (M,) away, further than `LOOSE`."""
    return np.where(reach > LOOSE, Status.BOUND_HIT, Status.OK).astype("<U20")


def _ordered(chosen: np.ndarray, by: Floats) -> np.ndarray:
    index = np.flatnonzero(chosen)
    return np.asarray(index[np.argsort(by[index], kind="stable")])


def _falls(observed: Observed, order: np.ndarray, shared: float) -> bool:
    if len(order) < 2:
        return False
    values = observed.accuracy[order]
    peak = int(np.argmax(values))
    if observed.pools and len(observed.replicates) >= ENOUGH:
        noise = float((observed.replicates[:, order[peak]] - observed.replicates[:, order[-1]]).std())
    else:
        ends = np.nan_to_num(observed.stderr[[order[peak], order[-1]]], nan=0.0)
        noise = float(np.sqrt((1 - shared) * (ends**2).sum()))
    return bool(values[peak] - values[-1] > max(SIGMAS * noise, FALL))
