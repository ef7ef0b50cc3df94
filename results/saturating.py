"""The saturating exponential y ≈ α − β e^{−νx}: the project's only implementation of the paper's fit.

    >>> fit_saturating([1, 2, 4, 8], [0.50, 0.58, 0.67, 0.74])
    Saturating(alpha=0.761..., beta=0.371..., rate=0.353..., rmse=0.00109..., status=<Status.OK...)

Given the rate ν, α and β solve a linear regression. Inserting the solution leaves a
function of ν alone (variable projection: Golub and Pereyra, SIAM J. Numer. Anal. 1973).
It is minimised on a grid of log ν, refined, then by a Newton step. The grid's ends
follow from the spacing of x, so the unit of x does not matter. Given log x instead of
x, the curve is a power law, α − β x^{−c}.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from results.tables.status import Status

Array = NDArray[np.float64]

_STRAIGHT = 1e-3  # below this ν·(range of x), the curve is a straight line to one part in a thousand
_STEP = 30.0  # above this ν·(first gap in x), the curve has saturated at its second point
_LARGEST_EXPONENT = 600.0  # e^600 is still finite in floating point, and so is β = rise · e^{ν·x_min}
_PER_DECADE = 25
_ZOOM = 6  # each refinement divides the spacing of the rates by this
_ZOOMS = 8  # 6^8 is 2e6: rates to seven digits, which the Newton step doubles
_NEAR = 1e-5  # in log rate: the zoomed rate is nearer than this to the minimum


@dataclass(frozen=True)
class Saturating:
    """The curve y = alpha − beta · exp(−rate · x), its root-mean-square residual and the status of its fit.

    `reason` says why the status is not ok: bound_hit if the rate is at an end of its range, not_identifiable
    if there is nothing to fit; then alpha is the mean of y, and beta = rate = 0.
    """

    alpha: float
    beta: float
    rate: float
    rmse: float
    status: Status
    reason: str = ""

    def __call__(self, x: ArrayLike) -> Array:
        """The curve at `x` (any shape), in the units of the fitted y."""
        return np.asarray(self.alpha - self.beta * np.exp(-self.rate * np.asarray(x, dtype=np.float64)))


@dataclass(frozen=True)
class Curves:
    """B curves y = level + rise · (1 − exp(−rate · (x − start))), (B,) each; loss: mean squared residual."""

    start: float
    level: Array
    rise: Array
    rate: Array
    loss: Array

    def __call__(self, x: ArrayLike) -> Array:
        """The curves at `x` (n,): shape (B, n)."""
        gone = -np.expm1(-self.rate[:, None] * (np.asarray(x, dtype=np.float64) - self.start))
        return np.asarray(self.level[:, None] + self.rise[:, None] * gone)


def fit_saturating(x: ArrayLike, y: ArrayLike) -> Saturating:
    """Least-squares fit of y ≈ α − β e^{−νx}, ν > 0 (paper, Experiment Details); β < 0 is a falling curve.

    `x` and `y` are finite, of shape (points,), with at least one point. Poor data are no error: `status` says
    what they leave open. Raises ValueError for other shapes and values.
    """
    return fit_each(x, np.asarray(y, dtype=np.float64)[None])[0]


def fit_each(x: ArrayLike, y: ArrayLike) -> list[Saturating]:
    """`fit_saturating` of every row of `y` (B, points) on the same `x` (points,), in one search."""
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if not (xs.ndim == 1 and ys.ndim == 2 and len(xs) == ys.shape[1] > 0):
        raise ValueError(f"x and y must be of one shape (points,): {xs.shape}, {ys.shape[1:]}")
    if not (np.isfinite(xs).all() and np.isfinite(ys).all()):
        raise ValueError("x and y must be finite")
    if len(np.unique(xs)) < 3:
        return [_unfitted(row, "fewer than three different x") for row in ys]
    rises = np.ptp(ys, axis=1) > 1e-12 * np.abs(ys).max(axis=1)
    fits = [_unfitted(row, "all values are equal, so there is no rise to fit") for row in ys]
    if not rises.any():
        return fits
    curves, rates = fit_curves(xs, ys[rises]), rate_grid(xs)
    reasons = {
        rates[0]: "the points do not bend towards a limit, so neither limit nor rate is fixed",
        rates[-1]: "all change lies before the second point, so the rate is not fixed",
    }
    for i, row in enumerate(np.flatnonzero(rises).tolist()):
        fitted = (curves.rate[i], curves.level[i], curves.rise[i], curves.loss[i])
        rate, level, rise, loss = map(float, fitted)
        reason = reasons.get(rate, "")
        beta = rise * float(np.exp(rate * curves.start))
        status = Status.BOUND_HIT if reason else Status.OK
        fits[row] = Saturating(level + rise, beta, rate, float(np.sqrt(loss)), status, reason)
    return fits


def _unfitted(y: Array, reason: str) -> Saturating:
    return Saturating(float(y.mean()), 0.0, 0.0, float(y.std()), Status.NOT_IDENTIFIABLE, reason)


def fit_curves(x: Array, y: Array, rates: Array | None = None, accuracy: bool = False) -> Curves:
    """The least-squares fits of B curves at once: `x` (n,) with three different values, `y` (B, n).

    `rates` is the grid of ν to search, by default `rate_grid`. With `accuracy`, the limits α are kept within
    [0, 1].
    """
    start = float(x.min())
    rates = rate_grid(x) if rates is None else rates
    rows = np.arange(len(y))
    rate = rates[np.argmin(levels(rates[None], x, y, accuracy)[2], axis=1)]
    spacing = np.log(rates[1] / rates[0])
    for _ in range(_ZOOMS):
        near = rate[:, None] * np.exp(spacing * np.linspace(-1, 1, 2 * _ZOOM + 1))
        near = np.clip(near, rates[0], rates[-1])
        rate = near[rows, np.argmin(levels(near, x, y, accuracy)[2], axis=1)]
        spacing /= _ZOOM
    rate = np.clip(_polished(rate, x, y, accuracy), rates[0], rates[-1])
    loss = levels(rate[:, None], x, y, accuracy)[2][:, 0]
    for end in rates[[0, -1]]:  # if rates fit equally up to rounding, take the end, on every machine
        at_end = levels(np.array([[end]]), x, y, accuracy)[2][:, 0]
        rate = np.where(at_end <= loss * (1 + 1e-9) + 1e-24 * np.ptp(y, axis=1) ** 2, end, rate)
    level, rise, loss = (part[:, 0] for part in levels(rate[:, None], x, y, accuracy))
    return Curves(start, level, rise, rate, loss)


def _polished(rate: Array, x: Array, y: Array, accuracy: bool) -> Array:
    """The rates (B,) where the loss has derivative 0: one Newton step.

    Near its minimum the loss is flat: rates that agree to eight digits
    have equal losses up to rounding, which differs between processors.
    Its derivative is not flat.
    """
    below, here, above = (_slope(rate * np.exp(h), x, y, accuracy) for h in (-_NEAR, 0.0, _NEAR))
    with np.errstate(divide="ignore", invalid="ignore"):
        step = -here * 2 * _NEAR / (above - below)
    return np.asarray(rate * np.exp(np.where((above > below) & (np.abs(step) < _NEAR), step, 0.0)))


def _slope(rate: Array, x: Array, y: Array, accuracy: bool) -> Array:
    """Half the derivative of the loss by log rate, at each rate (B,)."""
    level, rise, _ = levels(rate[:, None], x, y, accuracy)
    exponent = rate[:, None] * (x - x.min())
    residual = y - level + rise * np.expm1(-exponent)
    return np.asarray(-(residual * rise * exponent * np.exp(-exponent)).mean(axis=1))


def rate_grid(x: Array) -> Array:
    """The rates to search: from a curve that is a straight line to one that is a step."""
    distinct = np.unique(x)
    high = _STEP / (distinct[1] - distinct[0])
    if high * abs(distinct[0]) > _LARGEST_EXPONENT:
        high = _LARGEST_EXPONENT / abs(distinct[0])
    low = min(_STRAIGHT / np.ptp(x), high / 10)
    return np.geomspace(low, high, int(_PER_DECADE * np.log10(high / low)) + 2)


def levels(rates: Array, x: Array, y: Array, accuracy: bool = False) -> tuple[Array, Array, Array]:
    """For each rate: best y at the smallest x, best rise from there to x = ∞, and mean squared residual.

    Shapes: `rates` (B or 1, rates), `x` (n,), `y` (B, n); results (B, rates). The regressor 1 − e^{−νx} (not
    e^{−νx}) stays well-conditioned down to ν → 0. `accuracy`: see `fit_curves`.
    """
    w = np.full(len(x), 1 / len(x))
    left = np.exp(-rates[..., None] * (x - x.min()))
    gone = -np.expm1(-rates[..., None] * (x - x.min()))
    centred = gone - (gone @ w)[..., None]
    mean, values = (y @ w)[:, None], y[:, None, :]
    rise = (centred * (values - mean[..., None])) @ w / np.maximum(centred**2 @ w, 1e-300)
    level = mean - rise * (gone @ w)
    if accuracy:
        limit = np.clip(level + rise, 0.0, 1.0)
        held = limit != level + rise
        rise = np.where(
            held, ((limit[..., None] - values) * left) @ w / np.maximum(left**2 @ w, 1e-300), rise
        )
        level = np.where(held, limit - rise, level)
    residual = values - level[..., None] - rise[..., None] * gone
    return level, rise, residual**2 @ w


def condition_number(rate: float, x: Array) -> float:
    """Condition number of the Jacobian of α − β e^{−νx} in (α, β, log ν), columns scaled to length 1.

    An error of ε in each y moves α by at most ε times it. `x`: (points,), at least 3.
    """
    # e^{−νx} up to a factor, which scaling removes: far from 0, e^{−νx} itself would underflow to 0
    decay = np.exp(-rate * (x - x.min()))
    columns = np.stack([np.ones_like(x), decay, x * decay], axis=1)
    length = np.linalg.norm(columns, axis=0)
    return float(np.linalg.cond(columns / length)) if length.all() else np.inf
