"""The paper's surface fitted to all settings and all N at once, bounded and weighted by the noise.

    Acc(T, N) = α_T − (α_T − ζ_T) e^{−Δ_T² N / 2},   α_T = α_∞ + (α_0 − α_∞) e^{−μ(T − T_0)}

ζ_T and Δ_T are of the same form, with the same μ; T_0 is the cheapest fitted T. At fixed T this is the
paper's fit in N (β_T = α_T − ζ_T), at N = 1 nearly its fit in T. With both ends of α, ζ and Δ in [0, 1], Acc
stays in [0, 1] at every T ≥ T_0 and N ≥ 0.

Given μ and the Δ's, Acc is linear in the four ends of α and ζ: they are solved for (bounded least squares)
and only μ and the Δ's are searched, from many starts (variable projection). Residuals are whitened by the
covariance of the points, which share their questions, and the formula's own error. Of a vote an even N is
read as the odd one below it (`counted`). With fewer than three settings, or unknown T, or where the surface
misses the points, each setting has its own α, ζ and Δ.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from predict.curves.alarm import LIKELY, SURE, falling, loose
from predict.curves.calibration import answers_alone, model_error
from predict.curves.intervals import SHARED
from predict.protocol import Floats, Ints, Observed, Options, Points, Prediction, Status, finished, worse

MODEL_ERROR = 0.01
"""What the formula itself is allowed to be off, added to every point's noise. Without it the fit would obey
the best known combinations of points, those in which the formula is wrong."""

POOR = 0.02
"""A root-mean-square residual of more is a poor fit."""

REFITS = 40
"""Replicates that are refitted; the interval is normal, with their spread."""

_MU = (0.1, 0.3, 1.0, 3.0, 10.0)
_DELTA = (0.05, 0.15, 0.35, 0.7, 1.0)
PRIOR = (np.log([1.0, 0.7, 0.7]), np.array([1.0, 0.35, 0.35]))
"""Centre and spread of log μ, log Δ_0 and log Δ_∞ where fewer than three N fix nothing."""

_END = np.full(4, 0.3)
"""Spread of α and ζ before any data: that of numbers anywhere in [0, 1]."""

_LIMITS = (np.log([0.01, 0.01, 0.01]), np.log([100.0, 1.0, 1.0]))


@dataclass(frozen=True)
class JointFit:
    """The fitted surface.

    Arguments:
        start: T_0; scale: the length that `mu` is measured in (the fitted range of T).
        mu: rate per `scale`.
        delta: Δ at T_0 and at T = ∞.
        alpha, zeta: accuracy at N = ∞ and N = 0, each at T_0 and at T = ∞.
        chi2: mean squared whitened residual per degree of freedom.
        condition: condition number of the column-scaled Jacobian.
    """

    start: float
    scale: float
    mu: float
    delta: tuple[float, float]
    alpha: tuple[float, float]
    zeta: tuple[float, float]
    chi2: float
    condition: float

    def __call__(self, T: Floats, N: Ints) -> Floats:
        """Acc at (T, N), shape as broadcast."""
        linear = np.array([*self.alpha, *self.zeta])
        return np.asarray(_basis((T - self.start) / self.scale, N, self.mu, self.delta) @ linear)


def joint(observed: Observed, targets: Points, options: Options) -> Prediction:
    """One surface through all settings with known T; one curve a setting where there is only one, or no T.

    Where the surface misses the points (`POOR`) observed settings are read from curves of their own.
    """
    M = len(targets)
    mean, condition = np.full(M, np.nan), np.full(M, np.inf)
    status = np.full(M, str(Status.NOT_IDENTIFIABLE), dtype="<U20")
    draws = np.full((options.replicates, M), np.nan)
    rng = np.random.default_rng(options.seed)
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
        T = observed.points.T[part] if together else np.zeros(len(part))
        whiten = _whitening(covariance(observed, part))
        fit = fit_joint(T, N, observed.accuracy[part], whiten)
        at = (
            targets.T[here] if together else np.zeros(len(here)),
            counted(targets.N[here], observed.method),
        )
        missed = float(np.sqrt(np.mean((fit(T, N) - observed.accuracy[part]) ** 2)))
        mean[here], condition[here] = fit(*at), fit.condition
        open_yet = loose(reach(fit, T, N, _whitening(covariance(observed, part, SURE)), *at))
        status[here] = worse(open_yet, np.where(missed > POOR, Status.POOR_FIT, Status.OK))
        if options.replicates and len(observed.replicates):
            copies = observed.replicates[:REFITS, part]
            spread = np.std([fit_joint(T, N, copy, whiten, fit)(*at) for copy in copies], axis=0)
            draws[:, here] = fit(*at) + spread * rng.standard_normal((options.replicates, 1))
        if together and missed <= POOR:
            break
    if options.replicates:
        off = model_error(observed, targets, _mean_only(observed.method))
        draws = answers_alone(observed, draws, mean, options.target)
        draws += off * rng.standard_normal((options.replicates, 1))
    status = worse(status, falling(observed, targets))
    return finished(mean, np.clip(draws, 0.0, 1.0), status, condition, options.level)


def _mean_only(method: str) -> Callable[[Points, Floats, Points], Floats]:
    def fit(points: Points, accuracy: Floats, targets: Points) -> Floats:
        unknown = np.full(len(points), np.nan)
        seen = Observed(points, accuracy, unknown, np.empty((0, len(points))), method=method)
        return joint(seen, targets, Options()).mean

    return fit


def fit_joint(T: Floats, N: Ints, accuracy: Floats, whiten: Floats, near: JointFit | None = None) -> JointFit:
    """Fit the surface to P points; `whiten` (P, P) turns their noise into independent unit noise.

    Starts from the best of a grid, or from the fit `near`. With a single T the part in T is left out.
    Two different N do not tell how fast the curve rises: Δ is then held near `PRIOR`.
    """
    start, scale = float(T.min()), float(np.ptp(T)) or 1.0
    t = (T - start) / scale
    single = np.ptp(T) == 0
    vague = len(np.unique(N)) < 3
    y = whiten @ accuracy

    @cache
    def missed(mu: float, lo: float, hi: float) -> Floats:
        return _solved(t, N, np.array([mu, lo, hi]), y, whiten, single)[1]

    def residual(log: Floats) -> Floats:
        # with a single T nothing depends on μ and Δ_∞: steps in them need no solution of their own
        here = missed(0.0, log[1], log[1]) if single else missed(*log)
        return np.concatenate([here, (log - PRIOR[0]) / PRIOR[1]]) if vague else here

    tries = 100 if near is None else 10
    if near is not None:
        starts = [np.log([near.mu, *near.delta])]
    else:
        grid = [
            np.log(x)
            for x in product(_MU[2:3] if single else _MU, _DELTA, _DELTA)
            if not single or x[1] == x[2]
        ]
        losses = [float((residual(x) ** 2).sum()) for x in grid]
        starts = [grid[i] for i in np.argsort(losses)[:3]]
    inside = [np.clip(x, _LIMITS[0] + 1e-6, _LIMITS[1] - 1e-6) for x in starts]
    found = min(
        (least_squares(residual, x, bounds=_LIMITS, max_nfev=tries, ftol=1e-6, xtol=1e-6) for x in inside),
        key=lambda r: r.cost,
    )
    log = np.asarray(found.x)
    linear, rest = _solved(t, N, log, y, whiten, single)
    mu, lo, hi = np.exp(log)
    free = 3 if single else 7
    return JointFit(
        start, scale, float(mu), (float(lo), float(hi)),
        (float(linear[0]), float(linear[1])), (float(linear[2]), float(linear[3])),
        float((rest**2).sum() / max(len(y) - free, 1)),
        _condition(whiten @ _jacobian(t, N, log, linear, single)),
    )  # fmt: skip


def counted(N: Ints, method: str) -> Ints:
    """The N that the formula is read at: of a vote, an even N is the odd one below it.

    With ties shared, one more answer than an odd number changes nothing where there are two answers to choose
    from (it can only make or break a tie), nor ever from N = 1 to 2. Stairs have no place in an exponential.
    """
    return N - (N % 2 == 0) if method == "majority" else N


def covariance(observed: Observed, part: np.ndarray, floor: float = MODEL_ERROR) -> Floats:
    """Covariance of the points `part`: that of 50 replicates or more, else from standard errors.

    `floor` is an independent error of every point that is added to it.
    A shift that all points share is left out: it is of the questions, not of the curve, and a fit that knows
    of it would rather shift the data than follow them where the formula misses (Peelle's puzzle).
    """
    independent = floor**2 * np.eye(len(part))
    if len(observed.replicates) >= 50:
        copies = observed.replicates[:, part]
        return np.asarray(np.cov(copies - copies.mean(axis=1, keepdims=True), rowvar=False) + independent)
    noise = np.where(np.isfinite(observed.stderr[part]), observed.stderr[part], 0.01)
    return np.asarray(np.diag((1 - SHARED) * noise**2) + independent)


def _whitening(spread: Floats) -> Floats:
    return np.asarray(np.linalg.inv(np.linalg.cholesky(spread)), dtype=np.float64)


def _basis(t: Floats, N: Ints, mu: float, delta: tuple[float, float]) -> Floats:
    """The regressors of α_0, α_∞, ζ_0, ζ_∞ at scaled T: non-negative for t ≥ 0, and of sum 1."""
    late = -np.expm1(-mu * t)
    gap = delta[0] + (delta[1] - delta[0]) * late
    decay = np.exp(-(gap**2) * N / 2)
    return np.stack([(1 - late) * (1 - decay), late * (1 - decay), (1 - late) * decay, late * decay], axis=-1)


def _solved(
    t: Floats, N: Ints, log: Floats, y: Floats, whiten: Floats, single: bool
) -> tuple[Floats, Floats]:
    """The best ends of α and ζ for given μ and Δ's, and the whitened residuals."""
    mu, lo, hi = np.exp(log)
    basis = whiten @ _basis(t, N, mu, (lo, hi))
    if single:
        pair = _bounded(basis[:, [0, 2]], y)
        return np.array([pair[0], pair[0], pair[1], pair[1]]), basis[:, [0, 2]] @ pair - y
    ends = _bounded(basis, y)
    return ends, basis @ ends - y


def _bounded(basis: Floats, y: Floats) -> Floats:
    """Least squares within [0, 1] for a few unknowns: the best of all ways to put some of them at 0 or 1.

    Leaving unknown i free is row i of the normal equations; fixing it is the equation x_i = 0 or x_i = 1.
    """
    gram, right = basis.T @ basis, basis.T @ y
    gram = gram + 1e-12 * np.trace(gram) * np.eye(len(gram))
    fixed, value = _corners(len(gram))
    systems = np.where(fixed[:, :, None], np.eye(len(gram)), gram)
    x = np.linalg.solve(systems, np.where(fixed, value, right)[..., None])[..., 0]
    loss = np.einsum("ci,ij,cj->c", x, gram, x) - 2 * x @ right
    loss[((x < -1e-12) | (x > 1 + 1e-12)).any(axis=1)] = np.inf
    return np.asarray(np.clip(x[np.argmin(loss)], 0.0, 1.0))


@cache
def _corners(size: int) -> tuple[NDArray[np.bool_], Floats]:
    """Every way to leave each of `size` unknowns free, at 0 or at 1: whether it is fixed, and where."""
    ways = np.array(list(product((-1.0, 0.0, 1.0), repeat=size)))
    return ways >= 0, ways


def _jacobian(t: Floats, N: Ints, log: Floats, linear: Floats, single: bool) -> Floats:
    """Slopes of Acc at P points in log μ, both log Δ and the four ends: (P, 7); of one setting (P, 3)."""

    def surface(x: Floats) -> Floats:
        mu, lo, hi = np.exp(x)
        return np.asarray(_basis(t, N, mu, (lo, hi)) @ linear)

    step = 1e-5
    columns = [(surface(log + step * e) - surface(log - step * e)) / (2 * step) for e in np.eye(3)]
    mu, lo, hi = np.exp(log)
    direct = _basis(t, N, mu, (lo, hi))
    return np.stack([columns[1], direct[:, 0], direct[:, 2]] if single else [*columns, *direct.T], axis=1)


def _condition(jacobian: Floats) -> float:
    norms = np.linalg.norm(jacobian, axis=0)
    return float(np.linalg.cond(jacobian / norms)) if (norms > 1e-12).all() else np.inf


def reach(fit: JointFit, T: Floats, N: Ints, whiten: Floats, at_T: Floats, at_N: Ints) -> Floats:
    """How far other surfaces that fit the P points as well (90 %) are from `fit` at M targets, shape (M,).

    To first order; what the points leave open is held to the width of `PRIOR`, the ends to that of [0, 1].
    """
    single = bool(np.ptp(T) == 0)
    log, linear = np.log([fit.mu, *fit.delta]), np.array([*fit.alpha, *fit.zeta])
    slopes, slopes_at = (
        _jacobian((t - fit.start) / fit.scale, n, log, linear, single) for t, n in ((T, N), (at_T, at_N))
    )
    widths = np.array([*PRIOR[1][1:2], *_END[:2]]) if single else np.array([*PRIOR[1], *_END])
    seen = whiten @ slopes
    unsure = np.linalg.inv(seen.T @ seen + np.diag(widths**-2.0))
    variance = np.einsum("mi,ij,mj->m", slopes_at, unsure, slopes_at)
    return np.asarray(np.sqrt(LIKELY * variance))
