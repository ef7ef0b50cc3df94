"""Low-Cost-to-High Estimate: the paper's Algorithm 3 (`results.low_cost_to_high`) as a predictor.

Each curve of a table is one call of both parts; the status says which of its checks fail. The data decide
which task it is: at an N that was measured at T_1 and T_2, Part 2 has its stated input (*longer*); at any
other N it reads the curves of Part 1 (*longer and more*).
"""

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from predict.curves.from_curves import of_the_law
from predict.curves.intervals import CurveForecast, on_curves
from predict.estimate import Estimate, Options, Status, everywhere, more_severe
from predict.evidence.points import Evidence, Floats, Ints, Points, Texts
from results.low_cost_to_high import Curve, Gap, gap_of, part_2, read, read_off
from results.paper_fits import ILL_CONDITIONED
from results.saturating import Saturating, fit_each

Ends = Literal["spread", "first", "all"]
"""T_1 and T_2: the shortest and the longest setting, the two shortest, or all settings by least squares."""

APART = 0.02
"""Largest difference from the question law at which the paper's forecast is ok (see studies/figure_3)."""


def low_cost_to_high(
    points: Points, accuracy: Floats, targets: Points, *, ends: Ends = "spread", measured: bool = True
) -> CurveForecast:
    """Algorithm 3 on observed `points` with each row of `accuracy` (B, P), evaluated at all `targets`.

    ends: which of the settings with at least three different N are T_1 and T_2; measured: take D_N from the
    measurement at N if there is one; False: always from the curves of Part 1. Needs three T with N = 1 and
    two settings with three different N each; otherwise every target is NaN and not_identifiable.
    """
    B, M = len(accuracy), len(targets)
    means = np.full((B, M), np.nan)
    status, condition = everywhere(Status.NOT_IDENTIFIABLE, M), np.full(M, np.inf)
    at_1 = (points.N == 1) & np.isfinite(points.T)
    rich = _rich(points)
    if len(np.unique(points.T[at_1])) < 3 or len(rich) < 2 or rich[0][1] == rich[-1][1]:
        return CurveForecast(means, status, condition)
    chosen = {"spread": [rich[0], rich[-1]], "first": rich[:2], "all": rich}[ends]
    lengths = np.array([T for _, T in chosen])
    places = [points.setting == name for name, _ in chosen]
    singles = _fits(points.T[at_1], accuracy[:, at_1])
    along_n = [_fits(points.N[at], accuracy[:, at]) for at in places]
    for row, single in enumerate(singles):
        gap = gap_of(single, tuple(fits[row] for fits in along_n), lengths)
        if gap.status is Status.NOT_IDENTIFIABLE:
            continue
        curves = [(points.N[at], accuracy[row, at]) for at in places]
        means[row], conditions = _read(gap, lengths, curves, targets, measured)
        if row == 0:
            condition = conditions
            status = np.where(condition > ILL_CONDITIONED, Status.ILL_CONDITIONED, gap.status)
    return CurveForecast(means, status, condition)


def _fits(x: Floats | Ints, y: Floats) -> list[Saturating]:
    """The fits of the data, row 0 of `y` (B, n), and of their replicates.

    The data are fitted alone, so that not one digit of a forecast depends on the number of replicates.
    """
    return [*fit_each(x, y[:1]), *fit_each(x, y[1:])]


def _rich(points: Points) -> list[tuple[str, float]]:
    """The settings of known T with at least three different N: (name, T), shortest first."""
    return [
        (name, T)
        for name, T in points.settings()
        if np.isfinite(T) and len(np.unique(points.N[points.setting == name])) >= 3
    ]


def _read(
    gap: Gap, lengths: Floats, curves: list[Curve], targets: Points, measured: bool
) -> tuple[Floats, Floats]:
    """Part 2 at every target: accuracies, and the larger of the two systems' condition numbers, (M,) each."""
    mean, condition = np.empty(len(targets)), np.empty(len(targets))
    for N in np.unique(targets.N).tolist():
        d_n = [
            read(curve, fit, N) if measured else float(fit(N))
            for curve, fit in zip(curves, gap.at_ends, strict=True)
        ]
        (alpha, beta), condition_N = part_2(gap, lengths, np.array(d_n), N)
        here = targets.N == N
        mean[here] = read_off(gap, alpha, beta, targets.T[here], N)
        condition[here] = max(gap.condition, condition_N)
    return mean, condition


def algorithm_3(evidence: Evidence, targets: Points, options: Options) -> Estimate:
    """The paper's forecast, with its status from `judged`."""
    result = on_curves(low_cost_to_high)(evidence, targets, options)
    return replace(result, status=judged(result.status, result.mean, *of_the_law(evidence, targets)))


def judged(own: Texts, mean: Floats, law: Floats, law_ok: NDArray[np.bool_]) -> Texts:
    """The status of the paper's forecasts (M,): ok if the question law's is and both agree within `APART`.

    own: the result of its own checks. They judge its parameters, not its forecasts: where accuracy is flat,
    parameters are undetermined but forecasts right, and of those that pass about half are wrong. So they say
    why a forecast is not ok, never that it is not; but no mean outside [0, 1] is ok.
    """
    borne_out = law_ok & (np.abs(mean - law) <= APART) & (np.abs(mean - 0.5) <= 0.5 + 1e-9)
    return np.where(borne_out, Status.OK, more_severe(own, Status.BOUND_HIT))
