"""Every predictor by the name the command line knows it by, and the call that all of them share."""

from dataclasses import replace

import numpy as np

from predict.curves.joint import joint
from predict.curves.predictors import CURVE_PREDICTORS
from predict.groups import Group
from predict.protocol import Observed, Options, Points, Prediction, Predictor, Status, more_severe
from predict.questions.mixture import beta_binomial, mixture
from predict.questions.plug_in import plug_in
from results import BadInput

PREDICTORS: dict[str, Predictor] = {
    **CURVE_PREDICTORS,
    "joint": joint,
    "beta-binomial": beta_binomial,
    "plug-in": plug_in,
    "mixture": mixture,
}

CURVE_ONLY = (*CURVE_PREDICTORS, "joint")
"""They go by curves alone."""

NEED_SAMPLES = ("beta-binomial", "plug-in")
"""They go by the answers to each question, which a curve does not hold."""

BEST_OF_N_ONLY = ("beta-binomial",)


FAR = 16
"""Backtests reach this many times the N that is seen (4 to 64). What is asked beyond is not pinned down."""


def predicted(name: str, observed: Observed, targets: Points, options: Options) -> Prediction:
    """The predictor's answer, with its status lowered where N is more than `FAR` times the largest seen."""
    found = PREDICTORS[name](observed, targets, options)
    far = FAR * observed.points.N.max() < targets.N
    return replace(found, status=more_severe(found.status, np.where(far, Status.BOUND_HIT, Status.OK)))


def able(method: str, samples: bool) -> list[str]:
    """The predictors that apply to `method` from samples, or from curves alone."""
    return [
        name
        for name in PREDICTORS
        if (samples or name not in NEED_SAMPLES) and (method == "best_of_n" or name not in BEST_OF_N_ONLY)
    ]


DEFAULT = "mixture"
"""From curves alone it falls back to laws along N and T, and says so."""

NEEDS = {"beta-binomial": "samples and --method best_of_n", "plug-in": "samples, not curves"}
"""What a predictor needs where it is asked for and does not apply."""


def chosen(predictor: str, group: Group) -> list[str]:
    """The predictors meant by a name or "all". Raises BadInput for one that does not apply to the group."""
    possible = able(group.method, samples=bool(group.pools))
    if predictor == "all":
        return possible
    if predictor not in PREDICTORS:
        raise BadInput(f"predictor {predictor!r} is not one of {', '.join(PREDICTORS)}, all")
    if predictor not in possible and predictor != DEFAULT:
        raise BadInput(f"predictor {predictor} cannot forecast {group.name}: it needs {NEEDS[predictor]}")
    return [predictor]
