"""The default along N where there are only curves: half of the rise that `joint` forecasts.

    N = 1 … 8 of a vote, last 0.60, joint at N = 64: 0.66   ->   0.63

A curve does not show which questions are close calls, so how much of that rise is still to come is unknown:
any share of it, all equally likely. Half of it, over 13 real sets with 4 answers seen, has 0.83 of the power
law's error (joint 1.21, the last point 1.09), with 8, 16 and 32 seen 0.70, 0.60 and 0.42
(`docs/forecasting/curves.py`). Best-of-N keeps rising: there it is the power law.
"""

import numpy as np

from predict.curves.joint import fitted_surface
from predict.curves.rivals import flat, power_law
from predict.protocol import Floats, Observed, Points, Texts


def along_n(observed: Observed, targets: Points) -> tuple[Floats, Texts, Floats, Floats]:
    """Mean and status (M,), forecasts (R, M) that the replicates would give, and the sd (M,) of the share."""
    curves = np.vstack([observed.accuracy[None], observed.replicates])
    if observed.method == "best_of_n":
        found = power_law(observed.points, curves, targets)
        return found.mean[0], found.status, found.mean[1:], np.zeros(len(targets))
    last = flat(observed.points, curves, targets).mean
    mean, status, _, draws = fitted_surface(observed, targets)
    return (last[0] + mean) / 2, status, (last[1:] + draws) / 2, np.abs(mean - last[0]) / np.sqrt(12)
