"""The simple rivals: flat, exponential and power law, fitted to each curve by itself.

    N = 1 2 4 8, accuracy 0.50 0.50 0.58 0.63   ->   N = 64: flat 0.63, exponential 0.67, power law 0.69

Along N, one curve a setting: α − β e^{−νN} or α − β N^{−c}. At settings that were not observed, the same
family along T is fitted to those curves' values at the wanted N. α is held within [0, 1] (an accuracy). A
whole batch of curves is fitted at once: for each shape (ν or c) on a grid, α and β follow from a
regression.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from predict.protocol import Floats, Points, Status, Texts

GRID = 80
REFINED = 17


@dataclass(frozen=True)
class CurveForecast:
    """Forecasts of B curves at M targets: mean (B, M); status and condition (M,) of the first curve."""

    mean: Floats
    status: Texts
    condition: Floats


CurveModel = Callable[[Points, Floats, Points], CurveForecast]
"""(points, accuracies (B, P), targets) -> CurveForecast: row 0 is the data, the others are its replicates."""

Shape = Callable[[Floats, Floats], Floats]
"""(x (n,), parameters (..., 1)) -> regressor (..., n), falling in x."""

Fit1D = Callable[[Floats, Floats, Floats], tuple[Floats, Status, float]]
"""(x (n,), y (B, n), at (m,)) -> values (B, m), status and condition of row 0."""


def flat(points: Points, accuracy: Floats, targets: Points) -> CurveForecast:
    """The last observed value: largest N up to the target's, of its own or else the next cheaper setting."""
    settings = points.settings()
    mean = np.empty((len(accuracy), len(targets)))
    for j, (name, T, N) in enumerate(zip(targets.setting, targets.T, targets.N, strict=True)):
        known = [s for s, _ in settings]
        before = [s for s, t in settings if not t > T] or known
        at = np.flatnonzero(points.setting == (name if name in known else before[-1]))
        within = at[points.N[at] <= N]
        last = within[np.argmax(points.N[within])] if len(within) else at[np.argmin(points.N[at])]
        mean[:, j] = accuracy[:, last]
    return CurveForecast(mean, np.full(len(targets), Status.OK), np.ones(len(targets)))


def exponential(points: Points, accuracy: Floats, targets: Points) -> CurveForecast:
    """α − β e^{−νx} along N, then along T."""
    return along_axes(points, accuracy, targets, lambda x, y, at: fit_family(_exponential, _rates, x, y, at))


def power_law(points: Points, accuracy: Floats, targets: Points) -> CurveForecast:
    """α − β x^{−c} along N, then along T."""
    return along_axes(points, accuracy, targets, lambda x, y, at: fit_family(_power, _exponents, x, y, at))


def along_axes(points: Points, accuracy: Floats, targets: Points, fit: Fit1D) -> CurveForecast:
    """Read each observed setting's fitted curve in N at the targets' N; go along T for all other settings."""
    B, M = len(accuracy), len(targets)
    mean, condition = np.full((B, M), np.nan), np.full(M, np.inf)
    status = np.full(M, str(Status.NOT_IDENTIFIABLE), dtype="<U20")
    settings = points.settings()
    wanted = np.unique(targets.N)
    value: dict[str, tuple[Floats, Status, float]] = {}
    for name, _ in settings:
        at = points.setting == name
        value[name] = fit(points.N[at].astype(float), accuracy[:, at], wanted.astype(float))
        here = targets.setting == name
        column = np.searchsorted(wanted, targets.N[here])
        mean[:, here], status[here], condition[here] = value[name][0][:, column], *value[name][1:]
    T = np.array([t for _, t in settings])
    new = ~np.isin(targets.setting, [name for name, _ in settings]) & np.isfinite(targets.T)
    if len(T) >= 3 and np.isfinite(T).all():
        for N in np.unique(targets.N[new]):
            here = new & (targets.N == N)
            y = np.stack([value[name][0][:, np.searchsorted(wanted, N)] for name, _ in settings], axis=1)
            mean[:, here], along_T, cond_T = fit(T, y, targets.T[here])
            along_N = [value[name][1] for name, _ in settings]
            status[here] = max([along_T, *along_N], key=list(Status).index)
            condition[here] = max([cond_T, *(value[name][2] for name, _ in settings)])
    return CurveForecast(mean, status, condition)


def fit_family(
    shape: Shape, grid_of: Callable[[Floats], Floats], x: Floats, y: Floats, at: Floats
) -> tuple[Floats, Status, float]:
    """Least squares of α − β·shape(x, c), 0 ≤ α ≤ 1, for every row of y (B, n), read at `at` (m,).

    Fewer than three different x fix nothing: NaN. Returns values (B, m) with row 0's status and condition
    number (of the column-scaled Jacobian in α, β, log c).
    """
    if len(np.unique(x)) < 3:
        return np.full((len(y), len(at)), np.nan), Status.NOT_IDENTIFIABLE, np.inf
    parameters = grid_of(x)
    coarse = parameters[np.argmin(_project(shape(x, parameters[:, None])[None], y)[2], axis=1)]
    step = np.log(parameters[1] / parameters[0])
    fine = np.exp(np.log(coarse)[:, None] + np.linspace(-step, step, REFINED))
    fine = np.clip(fine, parameters[0], parameters[-1])
    alpha, beta, loss = _project(shape(x, fine[..., None]), y)
    rows, best = np.arange(len(y)), np.argmin(loss, axis=1)
    alpha, beta, c = alpha[rows, best], beta[rows, best], fine[rows, best]
    values = alpha[:, None] - beta[:, None] * shape(at, c[:, None])
    return values, *_trust(shape, x, y[0], float(alpha[0]), float(beta[0]), float(c[0]), parameters)


def _project(regressor: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    """Best α in [0, 1] and β, with the loss, for regressors (B or 1, C, n) and y (B, n): each (B, C)."""
    g, target = regressor, y[:, None, :]
    centre = g - g.mean(axis=-1, keepdims=True)
    variance = np.maximum((centre**2).sum(axis=-1), 1e-300)
    beta = -(centre * target).sum(axis=-1) / variance
    alpha = np.clip(target.mean(axis=-1) + beta * g.mean(axis=-1), 0.0, 1.0)
    beta = ((alpha[..., None] - target) * g).sum(axis=-1) / np.maximum((g**2).sum(axis=-1), 1e-300)
    loss = ((alpha[..., None] - beta[..., None] * g - target) ** 2).sum(axis=-1)
    return alpha, beta, loss


def _trust(
    shape: Shape, x: Floats, y: Floats, alpha: float, beta: float, c: float, grid: Floats
) -> tuple[Status, float]:
    step = 1e-4
    slope = (shape(x, np.array([c * (1 + step)])) - shape(x, np.array([c * (1 - step)]))) / (2 * step)
    jacobian = np.stack([np.ones_like(x), shape(x, np.array([c])), slope], axis=1)
    norms = np.linalg.norm(jacobian, axis=0)
    condition = float(np.linalg.cond(jacobian / norms)) if (norms > 0).all() else np.inf
    if np.ptp(y) <= 1e-12:
        return Status.OK, condition  # a constant curve: any shape with β = 0 says the same
    if beta < 0:
        return Status.FALLING, condition
    at_end = c <= grid[0] * (1 + 1e-9) or c >= grid[-1] * (1 - 1e-9)
    return (Status.BOUND_HIT if at_end or alpha in (0.0, 1.0) else Status.OK), condition


def _exponential(x: Floats, rate: Floats) -> Floats:
    return np.exp(-rate * x)


def _rates(x: Floats) -> Floats:
    distinct = np.unique(x)
    return np.geomspace(1e-2 / np.ptp(distinct), 10 / np.diff(distinct).min(), GRID)


def _power(x: Floats, exponent: Floats) -> Floats:
    return np.asarray(np.maximum(x, 1e-12) ** -exponent)


def _exponents(_x: Floats) -> Floats:
    return np.geomspace(0.05, 5.0, GRID)
