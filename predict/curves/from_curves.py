"""What is forecast from curves alone: the question law, its interval widened by what it is off by elsewhere.

    curve at T = 30, 60, 90, N = 1 … 16   ->   T = 90, N = 64: 0.74, 90 % 0.69 … 0.79

The law's own interval holds what the points leave open of it, not that the law is wrong. So it is fitted again
without the points of the largest N (or, for new settings, without the dearest ones), as every rival is
(`calibration`), and its error there is part of the interval.
"""

from dataclasses import replace

import numpy as np

from predict.curves.calibration import model_error
from predict.curves.question_law.estimate import question_law
from predict.estimate import Estimate, Options
from predict.evidence.points import Evidence, Floats, Points
from results.normal import Interval, z_of


def from_curves(evidence: Evidence, targets: Points, options: Options) -> Estimate:
    """The estimate from the points of the curves; without their standard errors it has no intervals."""
    known = bool(np.isfinite(evidence.stderr).all())
    found = question_law(evidence, targets, options if known else replace(options, replicates=0))
    if not (known and options.replicates):
        return found

    def again(points: Points, accuracy: Floats, at: Points) -> Floats:
        same = Evidence(points, accuracy, np.full(len(points), np.nan), (), evidence.method)
        return question_law(same, at, Options(seed=options.seed)).mean

    off = z_of(options.level) * model_error(evidence, targets, again)
    observed = set(evidence.points.places())
    off = np.where([place in observed for place in targets.places()], 0.0, off)
    these, new = (_wider(one, found.mean, off) for one in (found.these, found.new))
    return replace(found, these=these, new=new)


def _wider(interval: Interval[Floats], mean: Floats, off: Floats) -> Interval[Floats]:
    """The interval with an independent error that reaches `off` to either side."""
    low = mean - np.hypot(mean - interval.low, off)
    high = mean + np.hypot(interval.high - mean, off)
    return Interval(np.clip(low, 0.0, mean), np.clip(high, mean, 1.0), interval.level)
