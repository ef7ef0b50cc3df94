"""Every predictor by the name the command line knows it by, and the call that all of them share."""

from dataclasses import replace

import numpy as np

from predict.curves.predictors import CURVE_PREDICTORS
from predict.groups import Group
from predict.protocol import Observed, Options, Points, Prediction, Predictor, Status, more_severe
from predict.questions.mixture import beta_binomial, mixture
from predict.questions.plug_in import plug_in
from predict.survival.forecast import survival
from results import BadInput

SURVIVAL = "survival"

PREDICTORS: dict[str, Predictor] = {
    SURVIVAL: survival,
    **CURVE_PREDICTORS,
    "beta-binomial": beta_binomial,
    "plug-in": plug_in,
    "mixture": mixture,
}

CURVE_ONLY = tuple(CURVE_PREDICTORS)
"""They go by curves alone."""

FAR = 16
"""Backtests reach this many times the N that is seen (4 to 64), and up to 13 times the cap. What is asked
beyond is not pinned down."""

WIDE = 0.3
"""An interval wider than this leaves the forecast open."""


def predicted(name: str, observed: Observed, targets: Points, options: Options) -> Prediction:
    """The predictor's answer; not ok where its interval is `WIDE`, or N or the cap `FAR` beyond that seen."""
    found = PREDICTORS[name](observed, targets, options)
    far = FAR * observed.points.N.max() < targets.N
    if run := observed.run:
        far |= np.array([run.caps[name] > FAR * run.cap for name in targets.setting])
    open_yet = far | (found.high - found.low > WIDE)
    return replace(found, status=more_severe(found.status, np.where(open_yet, Status.BOUND_HIT, Status.OK)))


NEEDS = {
    SURVIVAL: "--fit-cap", "beta-binomial": "samples and --method best_of_n", "plug-in": "samples, not curves"
}  # fmt: skip
"""What a predictor needs that does not always apply."""


def able(method: str, samples: bool, caps: bool = False) -> list[str]:
    """The predictors that apply to `method` from samples, or from curves alone; to `caps` of a run."""
    if caps:
        return [SURVIVAL, *CURVE_ONLY]
    there = {SURVIVAL: False, "beta-binomial": samples and method == "best_of_n", "plug-in": samples}
    return [name for name in PREDICTORS if there.get(name, True)]


DEFAULT = "mixture"
"""From curves alone it falls back to laws along N and T, and says so; of caps `survival` takes its place."""


def chosen(predictor: str, group: Group) -> list[str]:
    """The predictors meant by a name or "all". Raises BadInput for one that does not apply to the group."""
    possible = able(group.method, bool(group.pools), bool(group.run))
    if predictor == "all":
        return possible
    if predictor not in PREDICTORS:
        raise BadInput(f"predictor {predictor!r} is not one of {', '.join(PREDICTORS)}, all")
    if predictor == DEFAULT:
        return [SURVIVAL if group.run else DEFAULT]
    if predictor not in possible:
        needs = f"it is none of {', '.join(possible)}" if group.run else f"it needs {NEEDS[predictor]}"
        raise BadInput(f"predictor {predictor} cannot forecast {group.name}: {needs}")
    return [predictor]
