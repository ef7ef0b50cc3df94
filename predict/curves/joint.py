"""The paper's surface fitted to all settings and all N at once, bounded and weighted by the noise.

    Acc(T, N) = α_T − (α_T − ζ_T) e^{−Δ_T² N / 2},   α_T = α_∞ + (α_0 − α_∞) e^{−μ(T − T_0)}

ζ_T and Δ_T are of the same form, with the same μ; T_0 is the cheapest fitted T. At fixed T this is the
paper's fit in N (β_T = α_T − ζ_T), at N = 1 nearly its fit in T. With both ends of α, ζ and Δ in [0, 1], Acc
stays in [0, 1] at every T ≥ T_0 and N ≥ 0.

Given μ and the Δ's, Acc is linear in the four ends of α and ζ: bounded least squares solves for them, and
only μ and the Δ's are searched, from several starts (variable projection). Residuals are whitened by the
covariance of the points, which share their questions, and the formula's own error. Of a vote an even N is
read as the odd one below it (`counted`). With fewer than three settings, or unknown T, or where the surface
misses the points, each setting has its own α, ζ and Δ.
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
    more_severe,
    with_interval,
)
from results.paper_fits import POOR_FIT

FORMULA_ERROR = 0.01
"""What the formula itself may be off, added to every point's noise. Without it the fit would obey the best
known combinations of points, those in which the formula is wrong."""

PRIOR = (np.log([1.0, 0.7, 0.7]), np.array([1.0, 0.35, 0.35]))
"""Centre and spread of log μ, log Δ_0 and log Δ_∞ where fewer than three N fix nothing."""

_WIDTHS = np.array([*PRIOR[1], 0.3, 0.3, 0.3, 0.3])
"""Spread of the seven parameters before any data; 0.3 is that of numbers anywhere in [0, 1]."""

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
    """One surface through all settings with known T; one curve a setting where there is only one, or no T.

    Where the surface misses the points (`POOR_FIT`) observed settings are read from curves of their own.
    """
    mean, status, condition, draws = _forecast(observed, targets)
    if options.replicates:

        def mean_only(points: Points, accuracy: Floats, at: Points) -> Floats:
            unknown = np.full(len(points), np.nan)
            seen = Observed(points, accuracy, unknown, np.empty((0, len(points))), method=observed.method)
            return _forecast(seen, at)[0]

        off = model_error(observed, targets, mean_only)
        luck = np.random.default_rng(options.seed).standard_normal((len(draws), 1))
        draws = answers_alone(observed, draws, mean, options.target) + off * luck
    status = more_severe(status, falling(observed, targets))
    return with_interval(mean, np.clip(draws, 0.0, 1.0), status, condition, options.level)


def _forecast(observed: Observed, targets: Points) -> tuple[Floats, np.ndarray, Floats, Floats]:
    """Mean, status and condition (M,), and what the replicates would have given (R, M)."""
    M = len(targets)
    mean, condition = np.full(M, np.nan), np.full(M, np.inf)
    status = np.full(M, str(Status.NOT_IDENTIFIABLE), dtype="<U20")
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
        status[here] = more_severe(open_yet, np.where(missed > POOR_FIT, Status.POOR_FIT, Status.OK))
        _, gain = _linearised(fit, T, N, whiten, T_here, N_here)
        draws[:, here] = mean[here] + (observed.replicates[:, part] - accuracy) @ gain.T
        if together and missed <= POOR_FIT:
            break
    return mean, status, condition, draws


def fit_joint(T: Floats, N: Ints, accuracy: Floats, whiten: Floats) -> JointFit:
    """Fit the surface to P points; `whiten` (P, P) turns their noise into independent unit noise.

    With a single T nothing depends on μ and on the ends at T = ∞, which stay where the search started. Two
    different N do not tell how fast the curve rises: Δ is then held near `PRIOR`.
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
    """The N that the formula is read at: of a vote, an even N is the odd one below it.

    With ties shared, one more answer than an odd number changes nothing where there are two answers to choose
    from (it can only make or break a tie), nor ever from N = 1 to 2. Stairs have no place in an exponential.
    """
    return N - (N % 2 == 0) if method == "majority" else N


def whitening(observed: Observed, part: np.ndarray, floor: float = FORMULA_ERROR) -> Floats:
    """The matrix (P, P) that makes the noise of the points `part` independent with unit variance.

    Their covariance is that of 50 replicates or more, else from standard errors; `floor` is an independent
    error of every point that is added to it. A shift that all points share is left out: it is of the
    questions, not of the curve, and a fit that knows of it would rather shift the data than follow them where
    the formula misses (Peelle's puzzle).
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
    """How far other surfaces that fit the P points as well (90 %) are from `fit` at M targets, shape (M,)."""
    variance, _ = _linearised(fit, T, N, whiten, at_T, at_N)
    return np.asarray(np.sqrt(LIKELY * variance))


def _linearised(
    fit: JointFit, T: Floats, N: Ints, whiten: Floats, at_T: Floats, at_N: Ints
) -> tuple[Floats, Floats]:
    """To first order: variance of the forecasts (M,), and their slopes in the points' accuracies (M, P).

    What the points leave open is held to `_WIDTHS`.
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
