"""The predictors that see curve points only: fit, refit every replicate, add the model's error, raise alarms.

power-law on 0.50 0.50 0.58 0.63 at N = 1 2 4 8  ->  N = 64: 0.69, 90 % 0.66 … 0.73
"""

from dataclasses import replace

import numpy as np

from predict.curves.alarm import falling, poor_fit
from predict.curves.calibration import answers_alone, model_error
from predict.curves.joint import joint
from predict.curves.low_cost_to_high import low_cost_to_high
from predict.curves.question_law.predictor import question_law
from predict.curves.rivals import CurveForecast, CurveModel, exponential, flat, power_law
from predict.protocol import (
    Floats,
    Observed,
    Options,
    Points,
    Prediction,
    Predictor,
    more_severe,
    with_interval,
)


def on_curves(curve: CurveModel, alarms: bool = True, steps: bool = False) -> Predictor:
    """Make a predictor of a curve model; `steps`: an even N of a vote counts as the odd one below it.

    The interval covers the spread of the refitted replicates and the error of the formula (`model_error`).
    """

    def predict(observed: Observed, targets: Points, options: Options) -> Prediction:
        def model(points: Points, curves: Floats, at: Points) -> CurveForecast:
            odd = steps and observed.method == "majority"
            return curve(*((counted(points), curves, counted(at)) if odd else (points, curves, at)))

        curves = np.vstack([observed.accuracy[None], observed.replicates])
        fitted = model(observed.points, curves, targets)
        status = fitted.status.astype("<U20")
        if alarms:
            back = model(observed.points, curves[:1], observed.points).mean[0]
            status = more_severe(status, falling(observed, targets))
            status = more_severe(status, poor_fit(observed, back))
        draws = answers_alone(observed, fitted.mean[1:], fitted.mean[0], options.target)
        if len(draws):
            off = model_error(observed, targets, lambda p, y, at: model(p, y[None], at).mean[0])
            luck = np.random.default_rng(options.seed).standard_normal((len(draws), 1))
            draws = np.clip(draws + off * luck, np.fmin(draws, 0.0), np.fmax(draws, 1.0))
        return with_interval(fitted.mean[0], draws, status, fitted.condition)

    return predict


def counted(points: Points) -> Points:
    """The points with each even N as the odd one below it.

    With ties shared and two answers to choose from, one vote more than an odd number changes nothing: it can
    only make or break a tie. From N = 1 to 2 that always holds. An exponential cannot follow such steps.
    """
    return replace(points, N=points.N - (points.N % 2 == 0))


CURVE_PREDICTORS: dict[str, Predictor] = {
    "low-cost-to-high": on_curves(low_cost_to_high),
    "question-law": question_law,
    "flat": on_curves(flat, alarms=False),
    "exponential": on_curves(exponential),
    "power-law": on_curves(power_law),
    "joint": on_curves(joint, steps=True),
}
"""`flat` assumes no curve, so nothing can contradict it and it raises no alarm."""
