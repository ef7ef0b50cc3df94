"""Low-Cost-to-High Estimate: the paper's Algorithm 3 (`results.low_cost_to_high`) as a predictor.

Every curve of a table is one call of both parts; the status says which of its checks object. What is seen
decides the question: at an N that was measured at T_1 and T_2, Part 2 has its stated input (*longer*); at any
other it reads the curves of Part 1 (*longer and more*).
"""

from typing import Literal

import numpy as np

from predict.curves.rivals import CurveForecast
from predict.estimate import Status, everywhere
from predict.evidence.points import Floats, Points, Texts
from results.low_cost_to_high import part_1, part_2, read, read_off
from results.paper_fits import ILL_CONDITIONED

Ends = Literal["spread", "first", "all"]
"""T_1 and T_2: the shortest and the longest setting, the two shortest, or all settings by least squares."""


def low_cost_to_high(
    points: Points, accuracy: Floats, targets: Points, *, ends: Ends = "spread", measured: bool = True
) -> CurveForecast:
    """Algorithm 3 on observed `points` with each row of `accuracy` (B, P), read at every one of `targets`.

    ends: which settings are T_1 and T_2, of those with three different N or more; measured: D_N is what was
    measured at N, where it was. False: always the curves of Part 1.
    """
    every = [_one_curve(points, row, targets, ends, measured) for row in accuracy]
    means, statuses, conditions = zip(*every, strict=True)
    return CurveForecast(np.stack(means), statuses[0], conditions[0])


def _one_curve(
    points: Points, accuracy: Floats, targets: Points, ends: Ends, measured: bool
) -> tuple[Floats, Texts, Floats]:
    """Accuracy, status and condition number at the targets (M,) from `accuracy` (P,).

    A target's condition number is the larger one of its two systems. The fit needs three T with N = 1 and
    two settings with three different N each; without them every target is NaN and not_identifiable.
    """
    at_1 = (points.N == 1) & np.isfinite(points.T)
    rich = [
        (name, t)
        for name, t in points.settings()
        if np.isfinite(t) and len(np.unique(points.N[points.setting == name])) >= 3
    ]
    mean, condition = np.full(len(targets), np.nan), np.full(len(targets), np.inf)
    status = everywhere(Status.NOT_IDENTIFIABLE, len(targets))
    if len(np.unique(points.T[at_1])) < 3 or len(rich) < 2 or rich[0][1] == rich[-1][1]:
        return mean, status, condition
    chosen = {"spread": [rich[0], rich[-1]], "first": rich[:2], "all": rich}[ends]
    lengths = np.array([t for _, t in chosen])
    places = [points.setting == name for name, _ in chosen]
    curves = [(points.N[at], accuracy[at]) for at in places]
    gap = part_1(points.T[at_1], accuracy[at_1], lengths, curves)
    if gap.status is Status.NOT_IDENTIFIABLE:
        return mean, status, condition

    for N in np.unique(targets.N).tolist():
        d_n = [
            read(curve, fit, N) if measured else float(fit(N))
            for curve, fit in zip(curves, gap.at_ends, strict=True)
        ]
        (alpha, beta), condition_N = part_2(gap, lengths, np.array(d_n), N)
        here = targets.N == N
        mean[here] = read_off(gap, alpha, beta, targets.T[here], N)
        condition[here] = max(gap.condition, condition_N)
    status = np.where(condition > ILL_CONDITIONED, Status.ILL_CONDITIONED, gap.status)
    return mean, status, condition
