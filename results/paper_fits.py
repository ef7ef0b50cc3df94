"""The three fits of the paper's appendix, each with a verdict on whether its parameters are usable.

    along_n    T held      Acc(T, N) ≈ α_T − β_T e^{−ν_T N},     ν_T = Δ_T² / 2
    along_t    N = 1       Acc(T, 1) ≈ α_1 − β_1 e^{−μ_1 T}
    along_gap  N > 1 held  Acc(T, N) ≈ α_N − β_N e^{−μ_N Δ_T²},  Δ_T ≈ Acc(T, 1) read from along_t

    >>> along_t([9, 18, 29, 38], [0.04, 0.19, 0.46, 0.64]).status
    <Status.BOUND_HIT: 'bound_hit'>

All three are the curve y = α − β e^{−νx} with different x, fitted by least squares with equal
weights. T is in tokens per answer (for the synthetic twin: steps), so μ is per token (per
step). The report draws these fits, and `tts fits` writes them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from results.saturating import Array, Saturating, condition_number, fit_saturating
from results.tables.status import Status

ILL_CONDITIONED = 100.0
"""Above this condition number, an error of 0.01 in the accuracies becomes one of order 1."""

POOR_FIT = 0.02
"""A fit with a larger root-mean-square residual is poor."""

_AXES = {"along_n": "N", "along_t": "T", "along_gap": "Δ"}
"""What each fit is along, in messages."""

_SAME = 1e-9
"""Two x closer than this share of their range count as equal: a saturated Δ_T differs only by rounding."""


@dataclass(frozen=True)
class PaperFit:
    """One fit and its verdict.

    Arguments:
        kind: along_n, along_t or along_gap; held: the setting or N that is held fixed.
        x: N, T or Δ_T² of the points; curve: None if the parameters are not identifiable.
        gap: √(2ν) of along_n, else NaN; condition: see `condition_number`.
        reason: the doubts about the fit, "" if there are none. A fit whose status is ok may have one: three
            points determine three parameters and leave nothing to check them with.
        single: the curve at N = 1 from which along_gap takes Δ_T.
    """

    kind: str
    held: str
    x: Array
    curve: Saturating | None
    gap: float
    condition: float
    status: Status
    reason: str
    single: Saturating | None = None

    def __call__(self, x: ArrayLike) -> Array:
        """The accuracy at `x`: N for along_n, else T; there must be a curve."""
        assert self.curve is not None
        return self.curve(x if self.single is None else self.single(x) ** 2)

    def row(self) -> dict[str, Any]:
        """The fit's cells in a fits table, and the condition number."""
        low, high = (self.x.min(), self.x.max()) if len(self.x) else (np.nan, np.nan)
        curve = self.curve or Saturating(np.nan, np.nan, np.nan, np.nan, Status.NOT_IDENTIFIABLE)
        return {
            "fit": self.kind,
            "held": self.held,
            "points": len(self.x),
            "x_low": low,
            "x_high": high,
            "alpha": curve.alpha,
            "beta": curve.beta,
            "rate": curve.rate,
            "gap": self.gap,
            "rms": curve.rmse,
            "condition": self.condition,
            "status": str(self.status),
            "reason": self.reason,
        }


def along_n(setting: str, N: ArrayLike, accuracy: ArrayLike, votes: bool = True) -> PaperFit:
    """Acc(T, N) over N at one setting; `N`, `accuracy` (points,). The gap is √(2ν), not capped.

    A gap above 1 is a doubt only for `votes`: best-of-N at p correct has ν = −log(1 − p), which has no
    bound.
    """
    return _fitted("along_n", setting, N, accuracy, votes=votes)


def along_t(T: ArrayLike, value: ArrayLike, metric: str = "accuracy") -> PaperFit:
    """Acc(T, 1) over T; `T` (NaN: unknown, left out) and `value` (points,).

    With metric "risk", the values are the continuous twin's, which have no scale to judge them by.
    """
    return _fitted("along_t", "1", T, value, metric=metric)


def along_gap(N: int, T: ArrayLike, accuracy: ArrayLike, single: PaperFit) -> PaperFit:
    """Acc(T, N) over Δ_T² at one N > 1, with Δ_T read at `T` (points,) from the along_t fit `single`.

    At a new T, the curve needs `single`, so that it is never better than `single`: the status is the worse
    of both, and the reason mentions doubts about `single`.
    """
    if single.curve is None:
        return _without("along_gap", str(N), np.empty(0), "there is no fit at N = 1 to read Δ_T from")
    return _fitted("along_gap", str(N), single.curve(T) ** 2, accuracy, single=single)


def _fitted(
    kind: str,
    held: str,
    x: ArrayLike,
    y: ArrayLike,
    *,
    single: PaperFit | None = None,
    votes: bool = False,
    metric: str = "accuracy",
) -> PaperFit:
    """The fit of `y` on `x` with all doubts about it; `single`: the fit that x comes from."""
    axis = _AXES[kind]
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    known = np.isfinite(xs)
    xs, ys = xs[known], ys[known]
    different = 1 + int((np.diff(np.sort(xs)) > _SAME * np.ptp(xs)).sum()) if len(xs) else 0
    if different < 3:
        lost = f" ({(~known).sum()} without a known T)" if not known.all() else ""
        return _without(kind, held, xs, f"needs 3 different {axis}, has {different}{lost}")
    curve = fit_saturating(xs, ys)
    if curve.status is Status.NOT_IDENTIFIABLE:
        return _without(kind, held, xs, curve.reason)

    gap = float(np.sqrt(2 * curve.rate)) if kind == "along_n" else np.nan
    condition = condition_number(curve.rate, xs)
    end: float | None = np.inf  # the x of the limit; None: unknown
    if single and single.curve:
        end = single.curve.alpha**2 if single.status is Status.OK else None
    causes = [*_against_parameters(curve, condition, axis, end, metric)]
    if metric == "accuracy" and curve.rmse > POOR_FIT:
        causes.append((Status.POOR_FIT, f"the curve misses its points by more than {POOR_FIT:g} (rms)"))
    if votes and gap > 1:
        causes.append((Status.BOUND_HIT, "its gap is above 1, more than two probabilities can differ by"))
    if different == 3:
        places = "points" if len(xs) == 3 else f"different {axis}"
        causes.append((Status.OK, f"3 parameters from 3 {places}, so nothing checks the curve"))
    if single and single.reason:
        causes.append((single.status, "its Δ_T comes from the fit at N = 1, see there"))
    status = max((cause for cause, _ in causes), key=list(Status).index, default=Status.OK)
    reason = "; ".join(text for _, text in causes)
    return PaperFit(kind, held, xs, curve, gap, condition, status, reason, single.curve if single else None)


def _against_parameters(
    curve: Saturating, condition: float, axis: str, end: float | None, metric: str
) -> Iterator[tuple[Status, str]]:
    """Yield the doubts about a curve's parameters: its direction, rate, condition and limit."""
    if curve.beta < 0 and metric == "accuracy":
        yield Status.FALLING, f"the accuracy falls with {axis}"
    if curve.reason:  # the rate is at an end of its range, which condition and limit would reflect
        yield curve.status, curve.reason
        return
    if condition > ILL_CONDITIONED:
        unstable = f"its condition number is above {ILL_CONDITIONED:g}, so small errors of the accuracies"
        yield Status.ILL_CONDITIONED, f"{unstable} move its parameters a lot"
    # a limit of 1.002 is no contradiction if the curve misses its own points by 0.005
    slack = max(curve.rmse, 1e-9)
    if metric == "accuracy" and end is not None and not -slack <= float(curve(end)) <= 1 + slack:
        grows = "N" if axis == "N" else "T"
        yield Status.OUT_OF_RANGE, f"its limit for {grows} → ∞ is outside 0 to 1"


def _without(kind: str, held: str, x: Array, reason: str) -> PaperFit:
    return PaperFit(kind, held, x, None, np.nan, np.nan, Status.NOT_IDENTIFIABLE, reason)
