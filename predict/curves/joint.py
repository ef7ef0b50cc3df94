"""Fit the paper's surface to all settings and all N at once, bounded and weighted by the noise.

    Acc(T, N) = α_T − (α_T − ζ_T) e^{−Δ_T² N / 2},   α_T = α_∞ + (α_0 − α_∞) e^{−μ(T − T_0)}

ζ_T and Δ_T have the same form and the same μ. T_0 is the shortest fitted T. At fixed T this is the paper's
fit in N (with β_T = α_T − ζ_T); at N = 1 it is nearly the paper's fit in T. Each of α, ζ and Δ has two ends,
at T_0 and at T = ∞. All six lie in [0, 1], which keeps Acc in [0, 1] at every T ≥ T_0 and N ≥ 0.

Given μ and Δ, Acc is linear in the ends of α and ζ. Bounded least squares solves for those, and only μ and Δ
are searched, from several starts (variable projection). Residuals are whitened by the covariance of the
points, which share their questions, plus the formula's own error. For votes, an even N counts as the odd N
below it (`counted`). With fewer than three settings, with unknown T, or where the surface misses the points,
each setting gets its own α, ζ and Δ.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import least_squares, lsq_linear

from predict.curves.alarm import LIKELY, SURE, falling, loose
from predict.curves.calibration import answers_alone, model_error
from predict.curves.intervals import SHARED
from predict.protocol import (
    Floats,
    Ints,
    Observed,
    Options,
    Points,
    Prediction,
    Status,
    everywhere,
    more_severe,
    with_interval,
)
from results.paper_fits import POOR_FIT

FORMULA_ERROR = 0.01
"""Standard error of the formula itself, added to the noise of every point. Without it the fit follows the
most precisely known combinations of points, and those are the ones where the formula is wrong."""

PRIOR = (np.log([1.0, 0.7, 0.7]), np.array([1.0, 0.35, 0.35]))
"""Mean and standard deviation of log μ, log Δ_0 and log Δ_∞ where there are fewer than three N."""

_WIDTHS = np.array([*PRIOR[1], 0.3, 0.3, 0.3, 0.3])
"""Prior standard deviations of the seven parameters; 0.3 is about that of a uniform number in [0, 1]."""

_LIMITS = (np.log([0.01, 0.01, 0.01]), np.log([100.0, 1.0, 1.0]))
_MU = (0.1, 0.3, 1.0, 3.0, 10.0)
_DELTA = (0.05, 0.15, 0.35, 0.7, 1.0)
_STARTS = 3


@dataclass(frozen=True)
class JointFit:
    """The fitted surface.

    Arguments:
        start: T_0; scale: the length that `mu` is measured in (the fitted range of T).
        mu: rate per `scale`.
        delta: Δ at T_0 and at T = ∞.
        alpha, zeta: accuracy at N = ∞ and N = 0, each at T_0 and at T = ∞.
        condition: condition number of the column-scaled Jacobian.
    """

    start: float
    scale: float
    mu: float
    delta: tuple[float, float]
    alpha: tuple[float, float]
    zeta: tuple[float, float]
    condition: float

    def __call__(self, T: Floats, N: Ints) -> Floats:
        """Acc at (T, N), shape as broadcast."""
        linear = np.array([*self.alpha, *self.zeta])
        return np.asarray(_basis((T - self.start) / self.scale, N, self.mu, *self.delta) @ linear)


def joint(observed: Observed, targets: Points, options: Options) -> Prediction:
    """Forecast from one surface through all settings, or from one curve per setting where that cannot be.

    Where the surface misses the points (`POOR_FIT`), observed settings are read off curves of their own.
    """
    mean, status, condition, draws = fitted_surface(observed, targets)
    if options.replicates:

        def mean_only(points: Points, accuracy: Floats, at: Points) -> Floats:
            unknown = np.full(len(points), np.nan)
            seen = Observed(points, accuracy, unknown, np.empty((0, len(points))), method=observed.method)
            return fitted_surface(seen, at)[0]

        off = model_error(observed, targets, mean_only)
        luck = np.random.default_rng(options.seed).standard_normal((len(draws), 1))
        draws = answers_alone(observed, draws, mean, options.target) + off * luck
    status = more_severe(status, falling(observed, targets))
    return with_interval(mean, np.clip(draws, 0.0, 1.0), status, condition, options.level)


def fitted_surface(observed: Observed, targets: Points) -> tuple[Floats, np.ndarray, Floats, Floats]:
    """Mean, status and condition (M,), and the forecasts (R, M) that the replicates would give."""
    M = len(targets)
    mean, condition = np.full(M, np.nan), np.full(M, np.inf)
    status = everywhere(Status.NOT_IDENTIFIABLE, M)
    draws = np.full((len(observed.replicates), M), np.nan)
    settings = observed.points.settings()
    parts: list[tuple[np.ndarray, np.ndarray, bool]] = [
        (observed.points.setting == name, targets.setting == name, False) for name, _ in settings
    ]
    if len(settings) >= 3 and all(np.isfinite(T) for _, T in settings):
        parts.insert(0, (np.full(len(observed.points), True), np.isfinite(targets.T), True))
    for seen, asked, together in parts:
        part, here = np.flatnonzero(seen), np.flatnonzero(asked)
        N = counted(observed.points.N[part], observed.method)
        if not len(here) or len(np.unique(N)) < 2:
            continue
        T, T_here = (points.T if together else np.zeros(len(points)) for points in (observed.points, targets))
        T, T_here, N_here = T[part], T_here[here], counted(targets.N[here], observed.method)
        accuracy, whiten = observed.accuracy[part], whitening(observed, part)
        fit = fit_joint(T, N, accuracy, whiten)
        missed = float(np.sqrt(np.mean((fit(T, N) - accuracy) ** 2)))
        mean[here], condition[here] = fit(T_here, N_here), fit.condition
        open_yet = loose(reach(fit, T, N, whitening(observed, part, SURE), T_here, N_here))
        status[here] = more_severe(open_yet, Status.POOR_FIT if missed > POOR_FIT else Status.OK)
        _, gain = _linearised(fit, T, N, whiten, T_here, N_here)
        draws[:, here] = mean[here] + (observed.replicates[:, part] - accuracy) @ gain.T
        if together and missed <= POOR_FIT:
            break
    return mean, status, condition, draws


def fit_joint(T: Floats, N: Ints, accuracy: Floats, whiten: Floats) -> JointFit:
    """Fit the surface to P points; `whiten` (P, P) turns their noise into independent unit noise.

    With a single T nothing depends on μ and the ends at T = ∞, which stay where the search started. Two
    different N do not tell how fast the curve rises, so Δ then stays near `PRIOR`.
    """
    start, scale = float(T.min()), float(np.ptp(T)) or 1.0
    t = (T - start) / scale
    vague = len(np.unique(N)) < 3
    y = whiten @ accuracy

    def solved(log: Floats) -> tuple[Floats, Floats]:
        """The best ends of α and ζ for given log μ and log Δ's, and the whitened residuals."""
        basis = whiten @ _basis(t, N, *np.exp(log))
        ends = np.asarray(lsq_linear(basis, y, (0.0, 1.0), method="bvls").x)
        return ends, basis @ ends - y

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
    ends, (mu, first, last) = solved(log)[0], np.exp(log)
    seen = whiten @ _jacobian(t, N, log, ends)
    norms = np.linalg.norm(seen, axis=0)
    seen = seen[:, norms > 1e-12] / norms[norms > 1e-12]
    enough = seen.shape[1] >= (7 if np.ptp(T) else 3)
    return JointFit(
        start, scale, float(mu), (float(first), float(last)),
        (float(ends[0]), float(ends[1])), (float(ends[2]), float(ends[3])),
        float(np.linalg.cond(seen)) if enough else np.inf,
    )  # fmt: skip


def counted(N: Ints, method: str) -> Ints:
    """The N at which the formula is read: for votes, an even N counts as the odd one below it.

    With ties shared and two answers to choose from, one vote more than an odd number changes nothing: it can
    only make or break a tie. From N = 1 to 2 that always holds. An exponential cannot follow such steps.
    """
    return N - (N % 2 == 0) if method == "majority" else N


def whitening(observed: Observed, part: np.ndarray, floor: float = FORMULA_ERROR) -> Floats:
    """The matrix (P, P) that makes the noise of the points `part` independent with unit variance.

    Their covariance comes from 50 replicates or more, else from the standard errors. `floor` is an
    independent error added to every point. A shift that all points share is left out: it comes from the
    questions, not from the curve, and a fit that allowed for it would shift the data where the formula misses
    them instead of following them (Peelle's puzzle).
    """
    spread = floor**2 * np.eye(len(part))
    if len(observed.replicates) >= 50:
        copies = observed.replicates[:, part]
        spread += np.cov(copies - copies.mean(axis=1, keepdims=True), rowvar=False)
    else:
        noise = np.where(np.isfinite(observed.stderr[part]), observed.stderr[part], 0.01)
        spread += np.diag((1 - SHARED) * noise**2)
    return np.asarray(np.linalg.inv(np.linalg.cholesky(spread)), dtype=np.float64)


def reach(fit: JointFit, T: Floats, N: Ints, whiten: Floats, at_T: Floats, at_N: Ints) -> Floats:
    """How far surfaces that fit the P points as well (90 %) are from `fit` at the M targets, shape (M,)."""
    variance, _ = _linearised(fit, T, N, whiten, at_T, at_N)
    return np.asarray(np.sqrt(LIKELY * variance))


def _linearised(
    fit: JointFit, T: Floats, N: Ints, whiten: Floats, at_T: Floats, at_N: Ints
) -> tuple[Floats, Floats]:
    """To first order: variance of the forecasts (M,), and their slopes in the points' accuracies (M, P).

    `_WIDTHS` is the prior for what the points leave open.
    """
    log, ends = np.log([fit.mu, *fit.delta]), np.array([*fit.alpha, *fit.zeta])
    slopes, slopes_at = (
        _jacobian((t - fit.start) / fit.scale, n, log, ends) for t, n in ((T, N), (at_T, at_N))
    )
    seen = whiten @ slopes
    unsure = np.linalg.inv(seen.T @ seen + np.diag(_WIDTHS**-2.0))
    return np.einsum("mi,ij,mj->m", slopes_at, unsure, slopes_at), slopes_at @ unsure @ seen.T @ whiten


def _basis(t: Floats, N: Ints, mu: float, first: float, last: float) -> Floats:
    """The regressors of α_0, α_∞, ζ_0, ζ_∞ at scaled T: non-negative for t ≥ 0, and of sum 1."""
    late = -np.expm1(-mu * t)
    gap = first + (last - first) * late
    decay = np.exp(-(gap**2) * N / 2)
    return np.stack([(1 - late) * (1 - decay), late * (1 - decay), (1 - late) * decay, late * decay], axis=-1)


def _jacobian(t: Floats, N: Ints, log: Floats, ends: Floats) -> Floats:
    """Slopes of Acc at P points in log μ, both log Δ and the four ends of α and ζ: (P, 7)."""

    def surface(x: Floats) -> Floats:
        return np.asarray(_basis(t, N, *np.exp(x)) @ ends)

    step = 1e-5
    columns = [(surface(log + step * e) - surface(log - step * e)) / (2 * step) for e in np.eye(3)]
    return np.stack([*columns, *_basis(t, N, *np.exp(log)).T], axis=1)
