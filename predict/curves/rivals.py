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

from predict.curves.alarm import LIKELY, SURE, far_along_T, loose, own_noise
from predict.protocol import Floats, Points, Status, Texts, worse

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

Fit1D = Callable[[Floats, Floats, Floats], tuple[Floats, Texts, float]]
"""(x (n,), y (B, n), at (m,)) -> values (B, m), status (m,) and condition of row 0."""


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
    value: dict[str, tuple[Floats, Texts, float]] = {}
    for name, _ in settings:
        at = points.setting == name
        value[name] = fit(points.N[at].astype(float), accuracy[:, at], wanted.astype(float))
        here = targets.setting == name
        column = np.searchsorted(wanted, targets.N[here])
        values, verdict, condition[here] = value[name]
        mean[:, here], status[here] = values[:, column], verdict[column]
    T = np.array([t for _, t in settings])
    new = ~np.isin(targets.setting, [name for name, _ in settings]) & np.isfinite(targets.T)
    if len(T) >= 3 and np.isfinite(T).all():
        for N in np.unique(targets.N[new]):
            here, column = new & (targets.N == N), np.searchsorted(wanted, N)
            y = np.stack([value[name][0][:, column] for name, _ in settings], axis=1)
            fitted, verdict, cond_T = fit(T, y, np.append(targets.T[here], T))
            missed = y[0] - fitted[0, -len(T) :]
            mean[:, here], status[here] = (
                fitted[:, : -len(T)],
                worse(verdict[: -len(T)], np.array(far_along_T(missed, y[1:]))),
            )
            for name, _ in settings:
                status[here] = worse(status[here], value[name][1][column])
            condition[here] = max([cond_T, *(value[name][2] for name, _ in settings)])
    return CurveForecast(mean, status, condition)


def fit_family(
    shape: Shape, grid_of: Callable[[Floats], Floats], x: Floats, y: Floats, at: Floats
) -> tuple[Floats, Texts, float]:
    """Least squares of α − β·shape(x, c), 0 ≤ α ≤ 1, for every row of y (B, n), read at `at` (m,).

    Fewer than three different x fix nothing: NaN. Returns values (B, m) with row 0's status at each of `at`
    and condition number (of the column-scaled Jacobian in α, β, log c). The other rows tell the noise.
    """
    if len(np.unique(x)) < 3:
        nothing = np.full(len(at), str(Status.NOT_IDENTIFIABLE), dtype="<U20")
        return np.full((len(y), len(at)), np.nan), nothing, np.inf
    parameters = grid_of(x)
    coarse = parameters[np.argmin(_project(shape(x, parameters[:, None])[None], y)[2], axis=1)]
    step = np.log(parameters[1] / parameters[0])
    fine = np.exp(np.log(coarse)[:, None] + np.linspace(-step, step, REFINED))
    fine = np.clip(fine, parameters[0], parameters[-1])
    alpha, beta, loss = _project(shape(x, fine[..., None]), y)
    rows, best = np.arange(len(y)), np.argmin(loss, axis=1)
    alpha, beta, c = alpha[rows, best], beta[rows, best], fine[rows, best]
    values = alpha[:, None] - beta[:, None] * shape(at, c[:, None])
    reach = _reach(shape, parameters, x, y, at, float(loss[0, best[0]]), values[0])
    falls = np.ptp(y[0]) > 1e-12 and beta[0] < 0
    status = np.full(len(at), str(Status.FALLING), dtype="<U20") if falls else loose(reach)
    return values, status, _condition(shape, x, float(c[0]))


def _reach(
    shape: Shape, parameters: Floats, x: Floats, y: Floats, at: Floats, loss: float, values: Floats
) -> Floats:
    """How far curves that fit row 0 as well as its best one (`loss`, `values` at `at`) are from it: (m,).

    These are the best curves of other shapes; where the data speak against all α in [0, 1], of any α.
    """
    noise = np.maximum(own_noise(y[1:]), SURE)
    spare = LIKELY * float(np.mean(noise**2))
    regressor, regressor_at = shape(x, parameters[:, None])[None], shape(at, parameters[:, None])
    reach = np.zeros(len(at))
    for limit in (1.0, np.inf):
        alpha, beta, losses = (part[0] for part in _project(regressor, y[:1], limit))
        best = min(loss, float(losses.min()))
        if limit == 1.0 or best + spare < loss:
            others = alpha[:, None] - beta[:, None] * regressor_at
            reach = np.maximum(
                reach, np.abs(others[losses <= best + spare] - values).max(axis=0, initial=0.0)
            )
    return reach


def _project(regressor: Floats, y: Floats, limit: float = 1.0) -> tuple[Floats, Floats, Floats]:
    """Best α (in [0, 1]; `limit` inf: any) and β, with the loss, for regressors (B or 1, C, n) and y (B, n).

    Each is of shape (B, C).
    """
    g, target = regressor, y[:, None, :]
    centre = g - g.mean(axis=-1, keepdims=True)
    variance = np.maximum((centre**2).sum(axis=-1), 1e-300)
    beta = -(centre * target).sum(axis=-1) / variance
    alpha = np.clip(target.mean(axis=-1) + beta * g.mean(axis=-1), 1.0 - limit, limit)
    beta = ((alpha[..., None] - target) * g).sum(axis=-1) / np.maximum((g**2).sum(axis=-1), 1e-300)
    loss = ((alpha[..., None] - beta[..., None] * g - target) ** 2).sum(axis=-1)
    return alpha, beta, loss


def _condition(shape: Shape, x: Floats, c: float) -> float:
    step = 1e-4
    slope = (shape(x, np.array([c * (1 + step)])) - shape(x, np.array([c * (1 - step)]))) / (2 * step)
    jacobian = np.stack([np.ones_like(x), shape(x, np.array([c])), slope], axis=1)
    norms = np.linalg.norm(jacobian, axis=0)
    return float(np.linalg.cond(jacobian / norms)) if (norms > 0).all() else np.inf


def _exponential(x: Floats, rate: Floats) -> Floats:
    return np.exp(-rate * x)


def _rates(x: Floats) -> Floats:
    distinct = np.unique(x)
    return np.geomspace(1e-2 / np.ptp(distinct), 10 / np.diff(distinct).min(), GRID)


def _power(x: Floats, exponent: Floats) -> Floats:
    return np.asarray(np.maximum(x, 1e-12) ** -exponent)


def _exponents(_x: Floats) -> Floats:
    return np.geomspace(0.05, 5.0, GRID)
