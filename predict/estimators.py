"""Every estimator by the name the command line knows it by, and the call that all of them share."""

from dataclasses import replace

import numpy as np

from predict.answers.mixture import beta_binomial, mixture
from predict.answers.plug_in import plug_in
from predict.curves.from_curves import from_curves
from predict.curves.rival_interval import RIVALS
from predict.estimate import Estimate, Estimator, Options, Status, more_severe
from predict.evidence.groups import Group
from predict.evidence.points import Evidence, Points
from predict.stopped.forecast import survival
from results import BadInput

SURVIVAL, QUESTION_LAW = "survival", "question-law"

DEFAULT = "mixture"
"""From curves alone `question-law` takes its place, and says so; of caps `survival` does."""

ESTIMATORS: dict[str, Estimator] = {
    SURVIVAL: survival,
    QUESTION_LAW: from_curves,
    **RIVALS,
    "beta-binomial": beta_binomial,
    "plug-in": plug_in,
    DEFAULT: mixture,
}

CURVE_ONLY = (QUESTION_LAW, *RIVALS)
"""They go by curves alone."""

FAR = 16
"""Backtests reach this many times the N that is seen (4 to 64), and up to 13 times the cap. What is asked
beyond is not pinned down."""

WIDE = 0.3
"""An interval wider than this leaves the forecast open."""

NEEDS = {
    SURVIVAL: "--fit-cap", "beta-binomial": "samples and --method best_of_n", "plug-in": "samples, not curves"
}  # fmt: skip
"""What an estimator needs that does not always apply."""


def estimate(name: str, evidence: Evidence, targets: Points, options: Options) -> Estimate:
    """What the estimator of that name makes of the evidence: from one fit the mean and both intervals.

    Not ok where the interval of these questions is `WIDE`, or N or the cap `FAR` beyond what was seen.
    """
    found = ESTIMATORS[name](evidence, targets, options)
    far = FAR * evidence.points.N.max() < targets.N
    if run := evidence.run:
        far |= np.array([run.caps[setting] > FAR * run.cap for setting in targets.setting])
    open_yet = far | (found.these.high - found.these.low > WIDE)
    return replace(found, status=more_severe(found.status, np.where(open_yet, Status.BOUND_HIT, Status.OK)))


def able(method: str, samples: bool, caps: bool = False) -> list[str]:
    """The estimators that apply to `method` from samples, or from curves alone; to `caps` of a run."""
    if caps:
        return [SURVIVAL, *CURVE_ONLY]
    there = {SURVIVAL: False, "beta-binomial": samples and method == "best_of_n", "plug-in": samples}
    return [name for name in ESTIMATORS if there.get(name, True)]


def chosen(predictor: str, group: Group) -> list[str]:
    """The estimators meant by a name or "all". Raises BadInput for one that does not apply to the group."""
    possible = able(group.method, bool(group.pools), bool(group.run))
    if predictor == "all":
        return possible
    if predictor not in ESTIMATORS:
        raise BadInput(f"predictor {predictor!r} is not one of {', '.join(ESTIMATORS)}, all")
    if predictor == DEFAULT:
        return [SURVIVAL if group.run else DEFAULT]
    if predictor not in possible:
        needs = f"it is none of {', '.join(possible)}" if group.run else f"it needs {NEEDS[predictor]}"
        raise BadInput(f"predictor {predictor} cannot forecast {group.name}: {needs}")
    return [predictor]
