"""Every estimator by its command-line name, and the call that all of them share."""

from dataclasses import replace

import numpy as np

from predict.answers.mixture import mixture
from predict.curves.algorithm_3 import algorithm_3
from predict.curves.from_curves import from_curves, of_the_law
from predict.curves.intervals import on_curves
from predict.curves.rivals import exponential, flat, power_law
from predict.estimate import Estimate, Estimator, Options, Status, more_severe, of_opposite
from predict.evidence.groups import Group
from predict.evidence.points import Evidence, Floats, Points, opposite
from predict.stopped.survival import survival
from results import BadInput
from results.arguments import names_of
from results.low_cost_to_high import NAME as PAPER_S
from results.methods import METHODS
from results.normal import Interval, z_of
from results.paired.differences import least_stderr, students
from results.votes.clusters import equal_draws
from results.votes.tokens import budgets_ignored

DEFAULT = "default"
"""The predictor used if none is named: `estimator_of` says which estimator it is."""

MIXTURE, SURVIVAL, QUESTION_LAW = "mixture", "survival", "question-law"

RIVALS: dict[str, Estimator] = {
    PAPER_S: algorithm_3,
    "flat": on_curves(flat),
    "exponential": on_curves(exponential),
    "power-law": on_curves(power_law),
}

ESTIMATORS: dict[str, Estimator] = {
    SURVIVAL: survival,
    QUESTION_LAW: from_curves,
    **RIVALS,
    MIXTURE: mixture,
}

CURVE_ONLY = (QUESTION_LAW, *RIVALS)
"""Estimators that use curves alone."""

BY_THE_LAW = (QUESTION_LAW, PAPER_S)
"""Estimators whose status already depends on the question law."""

FAR = 16
"""Backtests reach this many times the N seen (4 to 64), and up to 13 times the cap. Forecasts farther out are
not validated."""

WIDE = 0.3
"""A forecast with an interval wider than this is not ok."""

BY_PROMPT = (
    "the tokens asked for hardly set the tokens used, so a new setting may change the prompt and not "
    "the thinking: no law along T can say what that brings"
)

NEEDS = {SURVIVAL: "--fit-cap", MIXTURE: "samples, not curves"}
"""What an estimator needs, if it does not always apply."""


def estimator_of(predictor: str, given: Evidence | Group) -> str:
    """The name of the estimator behind a predictor's name, given the data."""
    if predictor != DEFAULT:
        return predictor
    if given.run:
        return SURVIVAL
    return MIXTURE if given.pools else QUESTION_LAW


def estimate(name: str, evidence: Evidence, targets: Points, options: Options) -> Estimate:
    """Run the estimator of that name on the evidence: the mean and both intervals from one fit.

    Not ok if the interval for these questions is `WIDE`, N or the cap is `FAR` beyond what was seen; or, at a
    new setting, in the case of `BY_PROMPT` or if the question law does not determine accuracy along T:
    through few settings every predictor draws a smooth line, which misses a rise that has hardly begun.
    """
    if METHODS[evidence.method].opposite:
        return of_opposite(estimate(name, opposite(evidence), targets, options))
    result = _of_few(ESTIMATORS[name](evidence, targets, options), evidence, targets)
    far = FAR * evidence.points.N.max() < targets.N
    if run := evidence.run:
        far |= np.array([run.caps[setting] > FAR * run.cap for setting in targets.setting])
    new = ~np.isin(targets.setting, evidence.points.setting)
    by_prompt = new & budgets_ignored(dict(evidence.points.settings()))
    open_along_t = np.zeros(len(targets), bool)
    if new.any() and name not in BY_THE_LAW and not evidence.run:
        open_along_t = new & ~of_the_law(evidence, targets)[1]
    open_yet = far | by_prompt | open_along_t | (result.these.high - result.these.low > WIDE)
    status = more_severe(result.status, np.where(open_yet, Status.BOUND_HIT, Status.OK))
    notes = (*result.notes, BY_PROMPT) if by_prompt.any() else result.notes
    return replace(result, status=status, notes=notes)


def _of_few(result: Estimate, evidence: Evidence, targets: Points) -> Estimate:
    """The same, with intervals widened by Student's t if questions, or clusters of them, are few.

    The one for new questions allows for one question, or half a cluster, unlike those seen; at a measured
    point with few it is no narrower than by its stderr. A new setting is treated as the one with fewest.
    """
    if not evidence.sizes:
        return result
    level = result.new.level
    of_settings = {
        setting: np.array([students(equal_draws(sizes), level), least_stderr(sizes.sum(), sizes.max())])
        for setting, sizes in evidence.sizes.items()
    }
    worst = np.max([*of_settings.values()], axis=0)
    times, least = np.array([of_settings.get(name, worst) for name in targets.setting.tolist()]).T
    measured = dict(zip(evidence.points.places(), evidence.stderr, strict=True))
    of_points = np.array([measured.get(place, 0.0) for place in targets.places()])
    stderr = np.fmax(least, np.where(times > 1, of_points, 0.0))

    def widened(interval: Interval[Floats], reach: Floats | float) -> Interval[Floats]:
        low = interval.low - (times - 1) * (result.mean - interval.low)
        high = interval.high + (times - 1) * (interval.high - result.mean)
        low, high = np.minimum(low, result.mean - reach), np.maximum(high, result.mean + reach)
        return Interval(
            np.minimum(interval.low, np.maximum(low, 0.0)),
            np.maximum(interval.high, np.minimum(high, 1.0)),
            level,
        )

    reach = z_of(level) * times * stderr
    return replace(result, these=widened(result.these, 0.0), new=widened(result.new, reach))


def able(samples: bool, caps: bool = False) -> list[str]:
    """The estimators that apply to samples, to curves alone, or to the `caps` of a run."""
    if caps:
        return [SURVIVAL, *CURVE_ONLY]
    return [*CURVE_ONLY, MIXTURE] if samples else [*CURVE_ONLY]


def chosen(predictors: str, group: Group) -> list[str]:
    """The predictors in a comma-separated list of names, or all with the default last for "all".

    Raises BadInput for one that is unknown or does not apply to the group.
    """
    possible = able(bool(group.pools), bool(group.run))
    if predictors == "all":
        return [*(name for name in possible if name != estimator_of(DEFAULT, group)), DEFAULT]
    names = names_of("predictor", predictors, (DEFAULT, *ESTIMATORS))
    for name in names:
        if name not in (DEFAULT, *possible):
            needs = f"it is none of {', '.join(possible)}" if group.run else f"it needs {NEEDS[name]}"
            raise BadInput(f"predictor {name} cannot forecast {group.name}: {needs}")
    return list(names)


def one_name(predictor: str) -> None:
    """Raise BadInput if several predictors are named, or "all": a plan needs one."""
    if predictor == "all" or len(names_of("predictor", predictor)) > 1:
        raise BadInput(f"predictor {predictor!r}: a plan needs one predictor")
