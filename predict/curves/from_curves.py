"""What is forecast from curves alone: the question law, its interval widened by what it is off by elsewhere.

    curve at T = 30, 60, 90, N = 1 … 16   ->   T = 90, N = 64: 0.74, 90 % 0.69 … 0.79

The law's own interval holds what the points leave open of it, not that the law is wrong. So it is fitted
again without the points of the largest N (or, for new settings, without the dearest ones), as every rival is
(`calibration`), and its error there is part of the interval. A point that was observed is kept, with its own
standard error.
"""

from dataclasses import replace

import numpy as np

from predict.curves.calibration import model_error
from predict.curves.intervals import SHARED
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

    z = z_of(options.level)
    off = z * model_error(evidence, targets, again)
    stderr = dict(zip(evidence.points.places(), evidence.stderr, strict=True))
    own = z * np.array([stderr.get(place, np.nan) for place in targets.places()])
    these = _wider(found.these, found.mean, off, np.sqrt(1 - SHARED) * own)
    return replace(found, these=these, new=_wider(found.new, found.mean, off, own))


def _wider(interval: Interval[Floats], mean: Floats, off: Floats, own: Floats) -> Interval[Floats]:
    """The interval with an independent error that reaches `off` to either side; where a point was observed
    (`own` is known) what its standard error says."""
    low, high = (
        np.where(np.isfinite(own), own, np.hypot(end - mean, off)) for end in (interval.low, interval.high)
    )
    return Interval(np.clip(mean - low, 0.0, mean), np.clip(mean + high, mean, 1.0), interval.level)
