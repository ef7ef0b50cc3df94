"""The paper's appendix fits of a group as a table: `results.paper_fits` over every setting and every N.

fit      held  points  x_low  x_high  alpha   beta    rate    gap     rms     condition  status
along_n  120   7       1      64      0.9609  0.1133  0.3522  0.8393  0.0073  4.45       ok
"""

import numpy as np
import pandas as pd

from predict.groups import Group
from results.paper_fits import Fit, along_gap, along_n, along_t

COLUMNS = (
    "source", "dataset", "model", "method", "fit", "held", "points", "x_low", "x_high", "alpha", "beta",
    "rate", "gap", "rms", "condition", "status", "reason",
)  # fmt: skip


def appendix_fits(group: Group) -> pd.DataFrame:
    """All fits of `group`, one row each (COLUMNS): along_n by setting, along_t, along_gap by N > 1.

    What cannot be fitted is there too, as not_identifiable with empty parameters and the reason.
    """
    setting, T, N, accuracy = group.points.setting, group.points.T, group.points.N, group.accuracy
    single = along_t(T[N == 1], accuracy[N == 1])
    fits = [
        along_n(name, N[setting == name], accuracy[setting == name], votes=group.method == "majority")
        for name, _ in group.points.settings()
    ]
    fits.append(single)
    fits += [along_gap(int(n), T[n == N], accuracy[n == N], single) for n in np.unique(N[N > 1])]
    return pd.DataFrame([_row(group, fit) for fit in fits], columns=list(COLUMNS))


def _row(group: Group, fit: Fit) -> tuple[object, ...]:
    ends = (fit.x.min(), fit.x.max()) if len(fit.x) else (np.nan, np.nan)
    curve = fit.curve
    found = (curve.alpha, curve.beta, curve.rate) if curve else (np.nan, np.nan, np.nan)
    return (
        group.source, group.dataset, group.model, group.method, fit.kind, fit.held, len(fit.x), *ends, *found,
        fit.gap, curve.rmse if curve else np.nan, fit.condition, str(fit.status), fit.reason,
    )  # fmt: skip
