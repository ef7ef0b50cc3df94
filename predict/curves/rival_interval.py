"""The rivals: point forecasts from curves, and the one interval that all of them share.

    power-law on 0.50 0.50 0.58 0.63 at N = 1 2 4 8  ->  N = 64: 0.69, 90 % 0.66 … 0.73

Each replicate of the observed curve (`intervals`) is fitted again; to the scatter of these forecasts comes
the error of the formula itself, judged by points left out (`model_error`).
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from predict.curves.algorithm_3 import low_cost_to_high
from predict.curves.from_curves import of_the_law
from predict.curves.intervals import luck_share, model_error, replicates_of
from predict.curves.rivals import CurveModel, exponential, flat, power_law
from predict.estimate import Estimate, Estimator, Options, Status, from_draws, more_severe
from predict.evidence.points import Evidence, Floats, Points, Texts
from results.low_cost_to_high import NAME

APART = 0.02
"""How far the paper's algorithm may be from the question law to be ok; studies/figure_3 has what that
is worth."""


def on_curves(model: CurveModel) -> Estimator:
    """Make an estimator of a curve model."""

    def estimate(evidence: Evidence, targets: Points, options: Options) -> Estimate:
        def read_at(points: Points, accuracy: Floats, at: Points) -> Floats:
            return np.asarray(model(points, accuracy[None], at).mean[0])

        copies = replicates_of(evidence, options.replicates, options.seed)
        fitted = model(evidence.points, np.vstack([evidence.accuracy[None], copies]), targets)
        mean, new = fitted.mean[0], fitted.mean[1:]
        # of the scatter between replicates these questions keep what is the luck of their answers
        these = mean + np.sqrt(luck_share(evidence)) * (new - mean)
        if len(new):
            off = model_error(evidence, targets, read_at)
            luck = np.random.default_rng(options.seed).standard_normal((len(new), 1))
            these, new = (_within(draws, draws + off * luck) for draws in (these, new))
        status = fitted.status.astype("<U20")
        return from_draws(mean, these, new, status, options.level, fitted.condition)

    return estimate


def _within(before: Floats, draws: Floats) -> Floats:
    """The draws, kept from leaving [0, 1] farther than they had `before`."""
    return np.clip(draws, np.fmin(before, 0.0), np.fmax(before, 1.0))


def algorithm_3(evidence: Evidence, targets: Points, options: Options) -> Estimate:
    """The paper's forecast, with the status that `judged` gives it."""
    found = on_curves(low_cost_to_high)(evidence, targets, options)
    return replace(found, status=judged(found.status, found.mean, *of_the_law(evidence, targets)))


def judged(own: Texts, mean: Floats, law: Floats, law_ok: NDArray[np.bool_]) -> Texts:
    """The status of the paper's forecasts, all (M,): ok where the question law is, and within APART.

    own: what its checks say. They judge its parameters, not its forecasts: where accuracy is flat the
    parameters are open and the forecasts right, and of those that pass them about half are wrong. So they
    name what is not ok, and take ok from nothing; but no mean outside [0, 1] is ok.
    """
    borne_out = law_ok & (np.abs(mean - law) <= APART) & (np.abs(mean - 0.5) <= 0.5 + 1e-9)
    return np.where(borne_out, Status.OK, more_severe(own, Status.BOUND_HIT))


RIVALS: dict[str, Estimator] = {
    NAME: algorithm_3,
    "flat": on_curves(flat),
    "exponential": on_curves(exponential),
    "power-law": on_curves(power_law),
}
