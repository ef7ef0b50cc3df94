"""The saturating exponential y ≈ α − β e^{−νx}: the project's one implementation of the paper's fit.

    >>> fit_saturating([1, 2, 4, 8], [0.50, 0.58, 0.67, 0.74])
    Saturating(alpha=0.761, beta=0.372, rate=0.354, rmse=0.0011, status='converged')

Given the rate ν, α and β are the solution of a linear regression. Putting that solution back leaves a
function of ν alone (variable projection: Golub and Pereyra, SIAM J. Numer. Anal. 1973), which is scanned on a
logarithmic grid and then refined. The grid's ends follow from the spacing of x, so its units do not matter.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar

Array = NDArray[np.float64]

_STRAIGHT = 1e-3  # below this ν·(range of x) the curve is a straight line within a part in a thousand
_STEP = 30.0  # above this ν·(first gap in x) the curve has saturated at its second point
_LARGEST_EXPONENT = 600.0  # e^600 is still a floating-point number, so β = rise · e^{ν·x_min} is one too
_PER_DECADE = 12


class FitStatus(StrEnum):
    """How far the three parameters can be trusted."""

    CONVERGED = "converged"
    NO_SATURATION = "no saturation"
    """ν at its lower bound: the points lie on a line or bend upwards, so α and β are not determined."""
    STEP = "step"
    """ν at its upper bound, usually as all change lies before the second x: β and ν are not determined."""
    FLAT = "flat"
    """All y are equal: α is that value, β = ν = 0."""
    TOO_FEW_POINTS = "too few points"
    """Fewer than three different x: α is the mean of y, β = ν = 0."""


@dataclass(frozen=True)
class Saturating:
    """The curve y = alpha − beta · exp(−rate · x), its root-mean-square residual, the status of its fit."""

    alpha: float
    beta: float
    rate: float
    rmse: float
    status: FitStatus

    def __call__(self, x: ArrayLike) -> Array:
        """The curve at `x` (any shape), in the units of the fitted y."""
        return np.asarray(self.alpha - self.beta * np.exp(-self.rate * np.asarray(x, dtype=np.float64)))


def fit_saturating(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> Saturating:
    """Least-squares fit of y ≈ α − β e^{−νx}, ν > 0 (paper, Experiment Details); β < 0 is a falling curve.

    Arguments: `x`, `y` of shape (points,), finite; `weights` of that shape, at least 0 (usually 1/stderr²; a
    point of weight 0 is left out), default all 1. Poor data do not fail: `status` says what is not
    determined. Raises ValueError on shapes that differ, values not finite, weights negative or all 0.
    """
    xs, ys, ws = _checked(x, y, weights)
    distinct = np.unique(xs)
    mean = float(ws @ ys)
    if len(distinct) < 3:
        return _constant(mean, ys, ws, FitStatus.TOO_FEW_POINTS)
    if np.ptp(ys) <= 1e-12 * np.max(np.abs(ys)):
        return _constant(mean, ys, ws, FitStatus.FLAT)

    start = distinct[0]
    high = _STEP / (distinct[1] - start)
    if high * abs(start) > _LARGEST_EXPONENT:
        high = _LARGEST_EXPONENT / abs(start)
    low = min(_STRAIGHT / np.ptp(xs), high / 10)
    grid = np.geomspace(low, high, int(_PER_DECADE * np.log10(high / low)) + 2)
    best = int(np.argmin(_project(grid, xs - start, ys, ws)[2]))
    rate = _refined(grid, best, xs - start, ys, ws)

    level, rise, loss = (float(part[0]) for part in _project(np.array([rate]), xs - start, ys, ws))
    status = {low: FitStatus.NO_SATURATION, high: FitStatus.STEP}.get(rate, FitStatus.CONVERGED)
    return Saturating(level + rise, rise * float(np.exp(rate * start)), rate, float(np.sqrt(loss)), status)


def _checked(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> tuple[Array, Array, Array]:
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    ws = np.ones_like(xs) if weights is None else np.asarray(weights, dtype=np.float64)
    if not (xs.ndim == 1 and xs.shape == ys.shape == ws.shape):
        raise ValueError(
            f"x, y and weights must be of one shape (points,): {xs.shape}, {ys.shape}, {ws.shape}"
        )
    if not (np.isfinite(xs).all() and np.isfinite(ys).all() and np.isfinite(ws).all()):
        raise ValueError("x, y and weights must be finite")
    if (ws < 0).any() or not (ws > 0).any():
        raise ValueError("weights must be at least 0, and one of them above 0")
    used = ws > 0
    return xs[used], ys[used], ws[used] / ws[used].sum()


def _constant(mean: float, ys: Array, ws: Array, status: FitStatus) -> Saturating:
    return Saturating(mean, 0.0, 0.0, float(np.sqrt(ws @ (ys - mean) ** 2)), status)


def _project(rates: Array, x: Array, y: Array, w: Array) -> tuple[Array, Array, Array]:
    """For each rate the best y(0), the best rise from there to x = ∞, and the mean squared residual.

    Shapes: rates (rates,), x ≥ 0, y and w (points,) with w summing to 1; results (rates,). The regressor
    1 − e^{−νx} (not e^{−νx}) stays well-conditioned down to ν → 0.
    """
    regressor = -np.expm1(-np.outer(rates, x))
    centred, target = regressor - (regressor @ w)[:, None], y - w @ y
    rise = (centred * target) @ w / (centred**2 @ w)
    residual = target - rise[:, None] * centred
    level = w @ y - rise * (regressor @ w)
    return level, rise, residual**2 @ w


def _refined(grid: Array, best: int, x: Array, y: Array, w: Array) -> float:
    """The best rate near grid[best], or an end of the grid itself where nothing inside is better."""

    def loss(log_factor: float) -> float:  # relative to grid[best]: the search's precision is relative to 0
        return float(_project(np.array([grid[best] * np.exp(log_factor)]), x, y, w)[2][0])

    left, right = np.log(grid[[max(best - 1, 0), min(best + 1, len(grid) - 1)]] / grid[best])
    found = minimize_scalar(loss, bounds=(left, right), method="bounded", options={"xatol": 1e-10})
    better = found.fun < loss(0.0)
    return float(grid[best] * np.exp(found.x)) if better else float(grid[best])
