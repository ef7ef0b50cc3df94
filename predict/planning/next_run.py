"""Which cheap run to make next: what it costs and how much it is expected to narrow a forecast's interval.

    setting            answers  tokens     width_now  width_then
    medium             8 → 16   4,061,000  0.112      0.079
    new (490 tokens)   0 → 8    2,391,200  0.112      0.061

What a run would bring is drawn from what is forecast of it (`imagined`, of curves `imagined_curves`), the
forecast is made again with it among the data, and the widths of its intervals are averaged over a few such
draws. That is the expected width before the run, for any predictor, with nothing assumed of its formula.

Candidates are more answers at the settings run and, where the choice is at a setting not run, a few answers
there, at lengths halfway between its neighbours and at one beyond it. The formulas in N (all predictors but
those of `BY_ANSWERS`, and all from curves) count the largest N of any setting as seen at every one: a run
that raised it at one setting would seem to narrow the others, so it is a candidate at its own setting only.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy.stats import norm

from predict.curves.intervals import SHARED
from predict.groups import Group, group_of_pools, price_of_answer
from predict.planning.imagined.answers import accuracy_at, imagine, imagine_setting, predicted
from predict.planning.imagined.curves import more_answers, new_setting
from predict.predictors import DEFAULT, NEED_SAMPLES
from predict.protocol import Options, Points
from results import BadInput

DRAWS = 4
"""Imagined runs averaged over: their widths differ by a few per cent only."""

LEAST = 0.1
"""A run that narrows the interval by less than this share is not advised."""

FEW = 8
"""Answers to each question at a new setting."""

NEAR = 2
"""Settings on either side of one without answers, near which runs are considered."""

BY_ANSWERS = (DEFAULT, *NEED_SAMPLES)
"""From samples these go by each question's answers, not by the points of the curve."""


@dataclass(frozen=True)
class Candidate:
    """`more` answers to every question at `setting` of length `T`, which has `seen` (0: it was not run).

    From curves `seen` is the largest N there.
    """

    setting: str
    T: float
    seen: int
    more: int


@dataclass(frozen=True)
class NextRun:
    """`more` answers to every question at `setting`, `tokens` in all; widths of the 90 % interval.

    `length`: tokens of one answer; `seen`: answers there are, 0 at a new setting.
    """

    setting: str
    seen: int
    more: int
    tokens: float
    width_now: float
    width_then: float
    length: float = np.nan

    @property
    def narrowing(self) -> float:
        """The share of the width that is expected to go."""
        return 1 - self.width_then / self.width_now


def next_runs(
    group: Group,
    predictor: str,
    place: Points,
    options: Options,
    draws: int = DRAWS,
    tick: Callable[[], object] = lambda: None,
) -> list[NextRun]:
    """Every candidate with its price and expected width; best narrowing per token first.

    Arguments: `place`: the one (setting, T, N) that is to be decided; `options.pool` stays as it is, so that
    the interval is of the same quantity before and after. `tick` is called after each candidate.

    Raises BadInput without token counts, number of questions or replicates, or where there is no interval.
    """
    alone = options.target == "these-questions" and not (
        predictor == DEFAULT and place.setting[0] in group.points.setting
    )
    now = width(group, predictor, place, options, alone)
    if not now > 0:
        raise BadInput(f"{group.name}: {predictor} gives no interval at {place.setting[0]}, N = {place.N[0]}")
    questions = max(group.questions.values(), default=0)
    if not questions:
        raise BadInput(f"{group.name}: without the number of questions a run has no price")
    runs = []
    for one in candidates(group, predictor, place):
        length = group.cost.get(one.setting, price_of_answer(group.source, one.T, questions))
        if not np.isfinite(length):
            raise BadInput(f"{group.name}: setting {one.setting!r} has no token counts")
        larger = after(group, predictor, one, options, draws)
        then = [width(imagined, predictor, place, options, alone) for imagined in larger]
        tokens = (group.questions.get(one.setting) or questions) * one.more * length
        runs.append(NextRun(one.setting, one.seen, one.more, tokens, now, float(np.mean(then)), length))
        tick()
    return sorted(runs, key=lambda run: -run.narrowing / run.tokens)


def advised(runs: list[NextRun]) -> NextRun | None:
    """The run that narrows most per token among those that narrow by a tenth or more."""
    return next((run for run in runs if run.narrowing >= LEAST), None)


def candidates(group: Group, predictor: str, place: Points) -> list[Candidate]:
    """The runs that are considered for the choice `place`, those at settings with answers first.

    At a setting with answers: twice those at each, four times its own. At one without: twice those of the
    `NEAR` settings on either side, `FEW` at new settings, and at its own twice as many too; formulas in N
    get as many as the choice has, up to the largest N elsewhere.
    """
    target, T, N = str(place.setting[0]), float(place.T[0]), int(place.N[0])
    formula = not group.pools or predictor not in BY_ANSWERS
    largest = int(group.points.N.max())
    known = group.points.settings()
    own = [k for k in (2, 4) if target in dict(known)]
    lengths = [length for _, length in known]
    located = bool(np.isfinite([T, *lengths]).all()) and min(T, *lengths) > 0
    if own or not located:
        near = [pair for pair in known if not formula or pair[0] == target]
    else:
        i = int(np.searchsorted(lengths, T))
        near = known[max(i - NEAR, 0) : i + NEAR] if largest >= N or not formula else []
    found = []
    for name, length in near:
        seen = _seen(group, name)
        found += [Candidate(name, length, seen, (k - 1) * seen) for k in (own if name == target else (2,))]
    if own or not located:
        return found
    few = max(FEW, min(N, largest)) if formula else FEW
    found += [Candidate(target, T, 0, more) for more in ((max(FEW, N),) if formula else (FEW, 2 * FEW))]
    return found + [Candidate(name, t, 0, few) for name, t in _new_settings(group, lengths, T).items()]


def _seen(group: Group, setting: str) -> int:
    for pool in group.pools:
        if pool.setting == setting:
            return int(pool.answers.sizes.min())
    return int(group.points.N[group.points.setting == setting].max())


def _new_settings(group: Group, known: list[float], T: float) -> dict[str, float]:
    """New settings by name with their T: halfway between neighbours around T, and half a step beyond it.

    They are of whole tokens (steps); those so short that they meet a setting run are left out.
    """
    questions = max(group.questions.values(), default=0)
    per_answer = price_of_answer(group.source, 1.0, questions)
    ladder = sorted({*known, T})
    i = ladder.index(T)
    found = [float(np.sqrt(a * b)) for a, b in pairwise(ladder[max(i - NEAR, 0) : i + NEAR + 1])]
    if i == len(ladder) - 1:
        found.append(T * float(np.sqrt(T / ladder[i - 1])))
    elif i == 0:
        found.append(T * float(np.sqrt(T / ladder[1])))
    unit = "steps" if group.source == "synthetic" else "tokens"
    whole = sorted({round(length * per_answer) for length in found} - {round(t * per_answer) for t in ladder})
    return {f"new ({n:,} {unit})": n / per_answer for n in whole if n > 0}


def after(group: Group, predictor: str, run: Candidate, options: Options, draws: int) -> list[Group]:
    """The group after `run`, imagined `draws` times.

    What is forecast of a point or a setting is drawn at evenly spread quantiles, so that few draws do.
    """
    rngs = [np.random.default_rng([options.seed, draw]) for draw in range(draws)]
    quantiles = (np.arange(draws) + 0.5) / draws
    if not group.pools:
        luck = np.array([rng.standard_normal() for rng in rngs])
        if run.seen:
            times = 1 + run.more // run.seen
            return more_answers(group, predictor, run.setting, times, options, quantiles, luck)
        return new_setting(group, predictor, run.setting, run.T, run.more, options, quantiles, luck)
    if run.seen:
        return [extended(group, run.setting, run.more, rng) for rng in rngs]
    once = Points(np.array([run.setting]), np.array([run.T]), np.array([1]))
    accuracy = accuracy_at(group, predictor, once, options, quantiles)[:, 0]
    near = min(group.pools, key=lambda pool: abs(np.log(pool.T / run.T)))
    new = [
        imagine_setting(near, run.setting, run.T, run.more, float(value), rng)
        for value, rng in zip(accuracy, rngs, strict=True)
    ]
    return [
        group_of_pools(group.source, group.dataset, group.model, group.method, [*group.pools, pool])
        for pool in new
    ]


def extended(group: Group, setting: str, more: int, rng: np.random.Generator) -> Group:
    """The group after a run that gave every question `more` answers at `setting`, from samples."""
    pools = [
        replace(pool, answers=imagine(pool.answers, more, rng)) if pool.setting == setting else pool
        for pool in group.pools
    ]
    return group_of_pools(group.source, group.dataset, group.model, group.method, pools)


def width(group: Group, predictor: str, place: Points, options: Options, alone: bool = False) -> float:
    """Width of the interval at `place`, from all data of `group`: of a curve point, of its measurement.

    `alone`: the measurement is off by the luck of its answers, not by that of its questions; the forecasts of
    new settings, and all of the formulas, leave out the latter too for the target "these-questions".
    """
    seen = (group.points.setting == place.setting[0]) & (place.N[0] == group.points.N)
    if not group.pools and seen.any():
        share = 1 - SHARED if alone else 1.0
        return float(2 * norm.ppf((1 + options.level) / 2) * np.sqrt(share) * group.stderr[seen][0])
    found = predicted(group, predictor, place, options)
    return float(found.high[0] - found.low[0])
