"""The question law as a predictor of the protocol: the same call, one of its two intervals."""

import numpy as np

from predict.curves.question_law.estimate import estimate
from predict.protocol import Observed, Options, Points, Prediction


def question_law(observed: Observed, targets: Points, options: Options) -> Prediction:
    """`estimate` from the curves alone; `options.target` chooses the interval."""
    found = estimate(
        observed.points, observed.accuracy, observed.stderr, targets,
        method=observed.method, draws=options.replicates, seed=options.seed,
    )  # fmt: skip
    new = options.target == "population"
    low, high = (found.new_low, found.new_high) if new else (found.low, found.high)
    condition = np.where(np.isnan(found.mean), np.inf, np.nan)
    return Prediction(found.mean, low, high, found.status, condition, found.notes)
