"""Fit the paper's surface to all settings and all N at once, with everything in it bounded.

    Acc(T, N) = α_T − (α_T − ζ_T) e^{−Δ_T² N / 2},   α_T = α_∞ + (α_0 − α_∞) e^{−μ(T − T_0)}

ζ_T and Δ_T have the same form and the same μ. T_0 is the shortest fitted T. At fixed T this is the paper's
fit in N (with β_T = α_T − ζ_T); at N = 1 it is nearly the paper's fit in T. Each of α, ζ and Δ has two ends,
at T_0 and at T = ∞. All six lie in [0, 1], which keeps Acc in [0, 1] at every T ≥ T_0 and N ≥ 0.

Given μ and Δ, Acc is linear in the ends of α and ζ. Bounded least squares solves for those, and only μ and Δ
are searched, from several starts (variable projection). With fewer than three settings, with unknown T, or
where the surface misses the points, each setting gets its own α, ζ and Δ.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import least_squares, lsq_linear

from predict.curves.intervals import CurveForecast
from predict.estimate import Status, everywhere
from predict.evidence.points import Floats, Ints, Points
from results.paper_fits import POOR_FIT

FORMULA_ERROR = 0.01
"""Standard error of the formula itself at each point, against which the priors are weighed."""

PRIOR = (np.log([1.0, 0.7, 0.7]), np.array([1.0, 0.35, 0.35]))
"""Mean and standard deviation of log μ, log Δ_0 and log Δ_∞ where there are fewer than three N."""

_WIDTHS = np.array([*PRIOR[1], 0.3, 0.3, 0.3, 0.3])
"""Prior standard deviations of the seven parameters; 0.3 is about that of a uniform number in [0, 1]."""

_LIMITS = (np.log([0.01, 0.01, 0.01]), np.log([100.0, 1.0, 1.0]))
_MU = (0.1, 0.3, 1.0, 3.0, 10.0)
_DELTA = (0.05, 0.15, 0.35, 0.7, 1.0)
_STARTS = 3


@dataclass(frozen=True)
class Surface:
    """start: T_0; scale: the length μ is measured in, the fitted range of T; log: of μ, Δ_0 and Δ_∞ (3,);
    ends: α_0, α_∞, ζ_0 and ζ_∞ (4,)."""

    start: float
    scale: float
    log: Floats
    ends: Floats

    def __call__(self, T: Floats, N: Ints) -> Floats:
        """Acc at P points (T, N)."""
        return np.asarray(_basis((T - self.start) / self.scale, N, self.log) @ self.ends)

    def slopes(self, T: Floats, N: Ints) -> Floats:
        """Slopes of Acc at P points in all seven parameters: (P, 7)."""
        t, step = (T - self.start) / self.scale, 1e-5
        moved = [_basis(t, N, self.log + h) @ self.ends for h in step * np.vstack([np.eye(3), -np.eye(3)])]
        by_log = (np.array(moved[:3]) - moved[3:]) / (2 * step)
        return np.concatenate([by_log.T, _basis(t, N, self.log)], axis=1)


def joint(points: Points, accuracy: Floats, targets: Points) -> CurveForecast:
    """One surface through all settings, or one curve per setting if that is impossible.

    Row 0 of `accuracy` (B, P) is fitted; the other rows move its forecasts to first order.
    """
    M = len(targets)
    mean, condition = np.full((len(accuracy), M), np.nan), np.full(M, np.inf)
    status = everywhere(Status.NOT_IDENTIFIABLE, M)
    settings = points.settings()
    parts = [(points.setting == name, targets.setting == name, False) for name, _ in settings]
    if len(settings) >= 3 and all(np.isfinite(T) for _, T in settings):
        parts.insert(0, (np.full(len(points), True), np.isfinite(targets.T), True))
    for seen, asked, together in parts:
        N, here, y = points.N[seen], targets.N[asked], accuracy[:, seen]
        if not len(here) or len(np.unique(N)) < 2:
            continue
        T, T_here = points.T[seen], targets.T[asked]
        if not together:
            T, T_here = np.zeros(len(N)), np.zeros(len(here))
        surface = fit_surface(T, N, y[0])
        missed = float(np.sqrt(np.mean((surface(T, N) - y[0]) ** 2)))
        slopes, slopes_at = surface.slopes(T, N), surface.slopes(T_here, here)
        gain = _gain(slopes)
        mean[:, asked] = surface(T_here, here) + (y - y[0]) @ (slopes_at @ gain).T
        condition[asked] = _condition(slopes, 7 if together else 3)
        status[asked] = Status.POOR_FIT if missed > POOR_FIT else Status.OK
        if together and missed <= POOR_FIT:
            break
    return CurveForecast(mean, status, condition)


def fit_surface(T: Floats, N: Ints, accuracy: Floats) -> Surface:
    """Fit the surface to P points.

    With a single T nothing depends on μ and the ends at T = ∞, which keep their starting values. Two
    different N do not determine how fast the curve rises, so Δ then stays near `PRIOR`.
    """
    start, scale = float(T.min()), float(np.ptp(T)) or 1.0
    t = (T - start) / scale
    vague = len(np.unique(N)) < 3

    def solved(log: Floats) -> tuple[Floats, Floats]:
        """The best ends of α and ζ for given log μ and log Δ's, and the residuals."""
        basis = _basis(t, N, log)
        ends = np.asarray(lsq_linear(basis, accuracy, (0.0, 1.0), method="bvls").x)
        return ends, (basis @ ends - accuracy) / FORMULA_ERROR

    def residual(log: Floats) -> Floats:
        missed = solved(log)[1]
        return np.concatenate([missed, (log - PRIOR[0]) / PRIOR[1]]) if vague else missed

    tried = product(_MU, _DELTA, _DELTA) if np.ptp(T) else ((1.0, gap, gap) for gap in _DELTA)
    grid = np.clip(np.log(list(tried)), _LIMITS[0] + 1e-6, _LIMITS[1] - 1e-6)
    losses = [float((residual(log) ** 2).sum()) for log in grid]
    found = [
        least_squares(residual, grid[i], bounds=_LIMITS, ftol=1e-10, xtol=1e-10, gtol=1e-10)
        for i in np.argsort(losses, kind="stable")[:_STARTS]
    ]
    log = np.asarray(min(found, key=lambda one: one.cost).x)
    return Surface(start, scale, log, solved(log)[0])


def _gain(slopes: Floats) -> Floats:
    """To first order the slopes of the seven parameters in the P accuracies, (7, P).

    `_WIDTHS` is the prior for what the points do not determine.
    """
    known = slopes.T @ slopes / FORMULA_ERROR**2 + np.diag(_WIDTHS**-2.0)
    return np.asarray(np.linalg.solve(known, slopes.T) / FORMULA_ERROR**2, dtype=np.float64)


def _condition(slopes: Floats, parameters: int) -> float:
    """The condition number of the column-scaled Jacobian; infinite if too few parameters have an effect."""
    norms = np.linalg.norm(slopes, axis=0)
    told = norms > 1e-10
    return float(np.linalg.cond(slopes[:, told] / norms[told])) if told.sum() >= parameters else np.inf


def _basis(t: Floats, N: Ints, log: Floats) -> Floats:
    """The regressors of α_0, α_∞, ζ_0, ζ_∞ at scaled T: non-negative for t ≥ 0, and of sum 1."""
    mu, first, last = np.exp(log)
    late = -np.expm1(-mu * t)
    gap = first + (last - first) * late
    decay = np.exp(-(gap**2) * N / 2)
    return np.stack([(1 - late) * (1 - decay), late * (1 - decay), (1 - late) * decay, late * decay], axis=-1)
