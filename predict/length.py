"""Forecasts along T: settings without answers, from the forecasts at those with answers.

setting 100, 200, 300 at N = 16: 0.62 0.71 0.74   ->   setting 500 at N = 16: 0.78
"""

import numpy as np

from predict.joint import joint
from predict.protocol import Floats, Ints, Observed, Options, Points, Pool


def other_settings(
    carried: list[tuple[Pool, Floats, Floats]], N: Ints, targets: Points, method: str, options: Options
) -> tuple[Floats, np.ndarray, Floats, Floats]:
    """Settings without answers: the surface of `joint` through the forecasts at those with answers."""
    points = Points(
        np.repeat([pool.setting for pool, _, _ in carried], len(N)),
        np.repeat([pool.T for pool, _, _ in carried], len(N)),
        np.tile(N, len(carried)),
    )
    curve = np.concatenate([mean for _, mean, _ in carried])
    copies = np.concatenate([drawn for _, _, drawn in carried], axis=1)
    observed = Observed(points, curve, np.full(len(curve), 0.01), copies, (), method)
    found = joint(observed, targets, options)
    spread = (found.high - found.low) / (2 * 1.645)
    noise = np.random.default_rng(options.seed).standard_normal((options.replicates, 1))
    return found.mean, found.status, found.condition, found.mean + spread * noise
