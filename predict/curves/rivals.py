"""The simple rivals: flat, exponential and power law, fitted to each curve separately.

    N = 1 2 4 8, accuracy 0.50 0.50 0.58 0.63   ->   N = 64: flat 0.63, exponential 0.72, power law 0.72

Along N each setting has its own curve: α − β e^{−νN} or α − β N^{−c}. For new settings, a curve
of the same family along T is fitted to the values of those curves at the target's N. α is an
accuracy and stays within [0, 1]. The power law is the saturating exponential in log N and log
T, so `results.saturating` fits both.
"""

from collections.abc import Callable

import numpy as np

from predict.curves.intervals import CurveForecast
from predict.estimate import Status, everywhere, more_severe
from predict.evidence.points import Floats, Points, Texts
from results.saturating import condition_number, fit_curves, rate_grid

EXPONENTS = np.geomspace(0.05, 5.0, 80)
"""Grid of exponents c for the power law."""


Fit1D = Callable[[Floats, Floats, Floats], tuple[Floats, Texts, float]]
"""(x (n,), y (B, n), at (m,)) -> values (B, m), status (m,) and condition of row 0."""


def flat(points: Points, accuracy: Floats, targets: Points) -> CurveForecast:
    """Accuracy at the largest N up to the target's, at its setting, or the next shorter, or the shortest."""
    settings = points.settings()
    mean = np.empty((len(accuracy), len(targets)))
    for j, (name, T, N) in enumerate(zip(targets.setting, targets.T, targets.N, strict=True)):
        known = [s for s, _ in settings]
        before = [s for s, t in settings if t <= T or np.isnan(T)] or known[:1]
        at = np.flatnonzero(points.setting == (name if name in known else before[-1]))
        within = at[points.N[at] <= N]
        last = within[np.argmax(points.N[within])] if len(within) else at[np.argmin(points.N[at])]
        mean[:, j] = accuracy[:, last]
    return CurveForecast(mean, everywhere(Status.OK, len(targets)), np.ones(len(targets)))


def exponential(points: Points, accuracy: Floats, targets: Points) -> CurveForecast:
    """α − β e^{−νx} along N, then along T."""
    return along_axes(points, accuracy, targets, _fit)


def power_law(points: Points, accuracy: Floats, targets: Points) -> CurveForecast:
    """α − β x^{−c} along N, then along T."""
    return along_axes(points, accuracy, targets, lambda x, y, at: _fit(_log(x), y, _log(at), EXPONENTS))


def along_axes(points: Points, accuracy: Floats, targets: Points, fit: Fit1D) -> CurveForecast:
    """Evaluate the fitted curves along N at observed settings, and curves along T at all other settings."""
    B, M = len(accuracy), len(targets)
    mean, condition = np.full((B, M), np.nan), np.full(M, np.inf)
    status = everywhere(Status.NOT_IDENTIFIABLE, M)
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
    if np.isfinite(T).all():
        for N in np.unique(targets.N[new]):
            here, column = new & (targets.N == N), np.searchsorted(wanted, N)
            y = np.stack([value[name][0][:, column] for name, _ in settings], axis=1)
            fitted, verdict, cond_T = fit(T, y, targets.T[here])
            mean[:, here], status[here] = fitted, verdict
            for name, _ in settings:
                status[here] = more_severe(status[here], value[name][1][column])
            condition[here] = max([cond_T, *(value[name][2] for name, _ in settings)])
    return CurveForecast(mean, status, condition)


def _fit(x: Floats, y: Floats, at: Floats, rates: Floats | None = None) -> tuple[Floats, Texts, float]:
    """Fit a saturating curve with 0 ≤ α ≤ 1 to every row of y (B, n) on x (n,) and evaluate it at `at` (m,).

    Returns values (B, m), and for row 0 the status (m,) and condition number. With fewer than three
    different x the values are NaN.
    """
    if len(np.unique(x)) < 3:
        return np.full((len(y), len(at)), np.nan), everywhere(Status.NOT_IDENTIFIABLE, len(at)), np.inf
    rates = rate_grid(x) if rates is None else rates
    curves = fit_curves(x, y, rates=rates, accuracy=True)
    values = curves(at)
    falls = np.ptp(y[0]) > 1e-12 and curves.rise[0] < 0
    status = everywhere(Status.FALLING if falls else Status.OK, len(at))
    return values, status, condition_number(float(curves.rate[0]), x)


def _log(x: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(x, 1e-12)))
