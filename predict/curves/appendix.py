"""The paper's appendix fits of a group as a table: `results.paper_fits` over every setting and every N.

fit      held  points  x_low  x_high  alpha   beta    rate    gap     rms     condition  status
along_n  120   7       1      64      0.9609  0.1133  0.3522  0.8393  0.0073  4.45       ok
"""

import numpy as np
import pandas as pd

from predict.groups import Group
from results.paper_fits import along_gap, along_n, along_t


def appendix_fits(group: Group) -> pd.DataFrame:
    """All fits of `group`, one row each: along_n by setting, along_t, along_gap by N > 1.

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
    names = {"source": group.source, "dataset": group.dataset, "model": group.model, "method": group.method}
    return pd.DataFrame([names | fit.row() for fit in fits])
