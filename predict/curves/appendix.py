"""The three fits of the paper's appendix, each with what tells whether its parameters can be used.

    along_n    T held      Acc(T, N) ≈ α_T − β_T e^{−ν_T N},     ν_T = Δ_T² / 2
    along_t    N = 1       Acc(T, 1) ≈ α_1 − β_1 e^{−μ_1 T}
    along_gap  N > 1 held  Acc(T, N) ≈ α_N − β_N e^{−μ_N Δ_T²},  Δ_T ≈ Acc(T, 1) read from along_t

    fit      held  points  x_low  x_high  alpha   beta    rate    gap     rms     condition  status
    along_n  120   7       1      64      0.9609  0.1133  0.3522  0.8393  0.0073  4.45       ok

All three are one curve y = α − β e^{−νx} in another x, fitted by least squares with equal weights. T is on
the fitting scale: 100,000 tokens over all questions, or steps of the twin.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from predict.curves.joint import POOR
from predict.curves.low_cost_to_high import ILL_CONDITIONED
from predict.groups import Group
from predict.protocol import Floats, Ints, Status
from results import fit_saturating
from results.saturating import FitStatus, Saturating

COLUMNS = (
    "source", "dataset", "model", "method", "fit", "held", "points", "x_low", "x_high", "alpha", "beta",
    "rate", "gap", "rms", "condition", "status", "reason",
)  # fmt: skip

Cause = tuple[Status, str]
"""A status that applies, and why."""

_UNSTABLE = (
    f"its condition number is above {ILL_CONDITIONED:g}, so small errors of the accuracies move its "
    "parameters a lot"
)

_SAME = 1e-9
"""Two x closer than this share of their range are one: a Δ_T that has saturated differs by rounding."""

_BOUNDS = {
    FitStatus.NO_SATURATION: "the points do not bend towards a limit, so neither limit nor rate is fixed",
    FitStatus.STEP: "all change lies before the second point, so the rate is not fixed",
}


@dataclass(frozen=True)
class Fit:
    """One fit: what was held, its x (points,), the curve (None: not identifiable) and what it is worth.

    `reason` is empty where nothing speaks against the fit. One whose status is ok may have one all the same:
    three points settle three parameters and leave nothing to check them with.
    """

    kind: str
    held: str
    x: Floats
    curve: Saturating | None
    gap: float
    condition: float
    status: Status
    reason: str


def appendix_fits(group: Group) -> pd.DataFrame:
    """All fits of `group`, one row each (COLUMNS): along_n by setting, along_t, along_gap by N > 1.

    What cannot be fitted is there too, as not_identifiable with empty parameters and the reason.
    """
    setting, T, N = group.points.setting, group.points.T, group.points.N
    single = along_t(T[N == 1], group.accuracy[N == 1])
    fits = [
        along_n(name, N[setting == name], group.accuracy[setting == name], votes=group.method == "majority")
        for name, _ in group.points.settings()
    ]
    fits.append(single)
    fits += [along_gap(int(n), T[n == N], group.accuracy[n == N], single) for n in np.unique(N[N > 1])]
    return pd.DataFrame([_row(group, fit) for fit in fits], columns=list(COLUMNS))


def along_n(setting: str, N: Ints, accuracy: Floats, votes: bool = True) -> Fit:
    """Acc(T, N) over N at one setting; `N`, `accuracy` (points,). The gap is √(2ν), not capped.

    A gap above 1 is marked where `votes` are counted: best-of-N at p correct has ν = −log(1 − p), without
    a bound.
    """
    return _fitted("along_n", setting, "N", N.astype(np.float64), accuracy, votes=votes)


def along_t(T: Floats, accuracy: Floats) -> Fit:
    """Acc(T, 1) over T; `T` (NaN: unknown, left out) and `accuracy` (points,)."""
    known = np.isfinite(T)
    return _fitted("along_t", "1", "T", T[known], accuracy[known], unknown=int((~known).sum()))


def along_gap(N: int, T: Floats, accuracy: Floats, single: Fit) -> Fit:
    """Acc(T, N) over Δ_T² at one N > 1, with Δ_T read at `T` (points,) from the along_t fit `single`.

    The status is this curve's own. At a new T it is read by way of `single`, so the reason names that one
    where something speaks against it.
    """
    known = np.isfinite(T)
    if single.curve is None:
        return _without("along_gap", str(N), np.empty(0), "there is no Δ_T, as along_t has no fit")
    return _fitted(
        "along_gap", str(N), "Δ", single.curve(T[known]) ** 2, accuracy[known],
        end=single.curve.alpha**2 if single.status is Status.OK else None,
        warned=bool(single.reason), unknown=int((~known).sum()),
    )  # fmt: skip


def condition_number(curve: Saturating, x: Floats) -> float:
    """Condition number of the Jacobian of curve(x) in (α, β, log rate), columns scaled to length 1.

    An error of ε in each of the accuracies moves α by at most ε times it. `x`: (points,), at least 3.
    """
    # e^{−νx} up to a factor, which the scaling takes out again: far from 0 the exponential itself is 0
    decay = np.exp(-curve.rate * (x - x.min()))
    columns = np.stack([np.ones_like(x), decay, x * decay], axis=1)
    length = np.linalg.norm(columns, axis=0)
    return float(np.linalg.cond(columns / length)) if length.all() else np.inf


def _fitted(
    kind: str, held: str, axis: str, x: Floats, y: Floats, *,
    end: float | None = np.inf, warned: bool = False, unknown: int = 0, votes: bool = False,
) -> Fit:  # fmt: skip
    """The fit of `y` on `x` and all that speaks against it; `end` is the x of its limit (None: not known)."""
    different = _different(x)
    if different < 3:
        lost = f" ({unknown} without a known T)" if unknown else ""
        return _without(kind, held, x, f"needs 3 different {axis}, has {different}{lost}")
    curve = fit_saturating(x, y)
    if curve.status is FitStatus.FLAT:
        return _without(kind, held, x, "all accuracies are equal, so there is no rise to fit")

    gap = float(np.sqrt(2 * curve.rate)) if kind == "along_n" else np.nan
    condition = condition_number(curve, x)
    causes: list[Cause] = []
    if curve.beta < 0:
        causes.append((Status.FALLING, f"the accuracy falls with {axis}"))
    if curve.status in _BOUNDS:  # the condition and the limit would then tell of the bound, not of the data
        causes.append((Status.BOUND_HIT, _BOUNDS[curve.status]))
    else:
        if condition > ILL_CONDITIONED:
            causes.append((Status.ILL_CONDITIONED, _UNSTABLE))
        # a limit of 1.002 is no contradiction where the curve misses its own points by 0.005
        slack = max(curve.rmse, 1e-9)
        if end is not None and not -slack <= float(curve(end)) <= 1 + slack:
            grows = "N" if kind == "along_n" else "T"
            causes.append((Status.OUT_OF_RANGE, f"its limit for {grows} → ∞ is outside 0 to 1"))
    if curve.rmse > POOR:
        causes.append((Status.POOR_FIT, f"the curve misses its points by more than {POOR:g} (rms)"))
    if votes and gap > 1:
        causes.append((Status.BOUND_HIT, "its gap is above 1, more than two probabilities can differ by"))
    if different == 3:
        places = "points" if len(x) == 3 else f"different {axis}"
        causes.append((Status.OK, f"3 parameters from 3 {places}, so nothing checks the curve"))
    if warned:
        causes.append((Status.OK, "its Δ_T is read from along_t, see there"))
    status = max((cause for cause, _ in causes), key=list(Status).index, default=Status.OK)
    return Fit(kind, held, x, curve, gap, condition, status, "; ".join(text for _, text in causes))


def _different(x: Floats) -> int:
    if not len(x):
        return 0
    return 1 + int((np.diff(np.sort(x)) > _SAME * np.ptp(x)).sum())


def _without(kind: str, held: str, x: Floats, reason: str) -> Fit:
    return Fit(kind, held, x, None, np.nan, np.nan, Status.NOT_IDENTIFIABLE, reason)


def _row(group: Group, fit: Fit) -> tuple[object, ...]:
    ends = (fit.x.min(), fit.x.max()) if len(fit.x) else (np.nan, np.nan)
    curve = fit.curve or Saturating(np.nan, np.nan, np.nan, np.nan, FitStatus.TOO_FEW_POINTS)
    return (
        group.source, group.dataset, group.model, group.method, fit.kind, fit.held, len(fit.x), *ends,
        curve.alpha, curve.beta, curve.rate, fit.gap, curve.rmse, fit.condition, str(fit.status), fit.reason,
    )  # fmt: skip
