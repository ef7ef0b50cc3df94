"""Low-Cost-to-High Estimate: the paper's Algorithm 3 (`results.low_cost_to_high`) as a predictor.

Every curve of a table is one call of both parts; the status says which of its checks object.
"""

import numpy as np

from predict.curves.rivals import CurveForecast
from predict.estimate import Status, everywhere
from predict.evidence.points import Floats, Points, Texts
from results.low_cost_to_high import part_1, part_2, read, read_off
from results.paper_fits import ILL_CONDITIONED


def low_cost_to_high(points: Points, accuracy: Floats, targets: Points) -> CurveForecast:
    """Algorithm 3 on observed `points` with each row of `accuracy` (B, P), read at every one of `targets`."""
    means, statuses, conditions = zip(*(_one_curve(points, row, targets) for row in accuracy), strict=True)
    return CurveForecast(np.stack(means), statuses[0], conditions[0])


def _one_curve(points: Points, accuracy: Floats, targets: Points) -> tuple[Floats, Texts, Floats]:
    """Accuracy, status and condition number at the targets (M,) from `accuracy` (P,).

    A target's condition number is the larger one of its two 2×2 systems. The fit needs three T with N = 1 and
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
    (name_1, T1), (name_2, T2) = rich[0], rich[-1]
    at_T1, at_T2 = points.setting == name_1, points.setting == name_2
    curve_1, curve_2 = (points.N[at_T1], accuracy[at_T1]), (points.N[at_T2], accuracy[at_T2])
    gap = part_1(points.T[at_1], accuracy[at_1], T1, curve_1, T2, curve_2)
    if gap.status is Status.NOT_IDENTIFIABLE:
        return mean, status, condition

    for N in np.unique(targets.N).tolist():
        acc_1, acc_2 = read(curve_1, gap.at_T1, N), read(curve_2, gap.at_T2, N)
        (alpha, beta), condition_N = part_2(gap, T1, acc_1, T2, acc_2, N)
        here = targets.N == N
        mean[here] = read_off(gap, alpha, beta, targets.T[here], N)
        condition[here] = max(gap.condition, condition_N)
    status = np.where(condition > ILL_CONDITIONED, Status.ILL_CONDITIONED, gap.status)
    return mean, status, condition
