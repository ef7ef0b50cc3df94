"""Which cheap run to make next: what it costs and how much it is expected to narrow a forecast's interval.

    setting  now           then          tokens     width_now  width_then
    medium   8 answers     16 answers    4,061,000  0.112      0.079        of these questions
    medium   45 questions  90 questions  4,061,000  0.181      0.128        of new questions

From samples only. More answers are judged by the interval of these questions. The answers that a run would
bring are drawn from what is forecast of them (`imagined`), the forecast is made again with them among the
data, and the widths of its intervals are averaged over a few draws. That is the expected width before the
run, with nothing assumed of the predictor's formula. More questions are judged by the interval of new ones:
the forecast is made again as if each question had a twin.

Only for predictors that go by the answers: those of `CURVE_ONLY` count the largest N of any setting as seen
at every one, so that a run which raises it at one setting would seem to narrow the forecasts at the others.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from predict.estimate import Options
from predict.estimators import ESTIMATORS, estimator_of
from predict.evidence.groups import Group
from predict.evidence.hidden import observe
from predict.evidence.points import Points
from predict.planning.imagined import imagine, with_twins

DRAWS = 4
"""Imagined runs averaged over: their widths differ by a few per cent only."""


@dataclass(frozen=True)
class NextRun:
    """A run at `setting`, its price in tokens, and the width of its 90 % interval without and with it.

    kind: "answers" to every question there, or "questions"; `now`, `then`: how many there are.
    """

    setting: str
    kind: str
    now: int
    then: int
    tokens: float
    width_now: float = np.nan
    width_then: float = np.nan


def next_runs(
    group: Group, predictor: str, place: Points, options: Options, draws: int = DRAWS
) -> Iterator[NextRun]:
    """Every candidate with its price and expected width.

    `place`: the one (setting, T, N) that is to be decided, of a group with pools. The interval is that of
    fresh answers, so that it is of the same quantity before and after.
    """
    now, now_new = widths(group, predictor, place, options)
    for run in candidates(group, place):
        if run.kind == "questions":
            then_new = widths(with_twice_the_questions(group, run), predictor, place, options)[1]
            yield replace(run, width_now=now_new, width_then=then_new)
        else:
            rngs = [np.random.default_rng([options.seed, draw]) for draw in range(draws)]
            then = [widths(after(group, run, rng), predictor, place, options)[0] for rng in rngs]
            yield replace(run, width_now=now, width_then=float(np.mean(then)))


def candidates(group: Group, place: Points) -> list[NextRun]:
    """The runs that are considered for the choice `place`.

    Twice the answers at each setting; at its own also four times as many, and twice the questions.
    """
    target, found = str(place.setting[0]), []
    for pool in group.pools:
        seen, questions = int(pool.answers.sizes.min()), len(pool.answers.question_ids)
        once = questions * seen * pool.T
        found.append(NextRun(pool.setting, "answers", seen, 2 * seen, once))
        if pool.setting == target:
            found.append(NextRun(target, "answers", seen, 4 * seen, 3 * once))
            found.append(NextRun(target, "questions", questions, 2 * questions, once))
    return found


def after(group: Group, run: NextRun, rng: np.random.Generator) -> Group:
    """The group as it may be after a run of more answers."""
    pools = [
        replace(pool, answers=imagine(pool.answers, run.then - run.now, rng))
        if pool.setting == run.setting
        else pool
        for pool in group.pools
    ]
    return group.with_pools(pools)


def with_twice_the_questions(group: Group, run: NextRun) -> Group:
    """The group as it may be after a run of as many new questions."""
    pools = [
        replace(pool, answers=with_twins(pool.answers)) if pool.setting == run.setting else pool
        for pool in group.pools
    ]
    return group.with_pools(pools)


def widths(group: Group, predictor: str, place: Points, options: Options) -> tuple[float, float]:
    """Widths of the intervals of these and of new questions at `place`, from all data of `group`."""
    names = [name for name, _ in group.points.settings()]
    evidence = observe(group, names, int(group.points.N.max()))
    fresh = tuple(replace(pool, whole=None) for pool in evidence.pools)
    evidence = replace(evidence, pools=fresh)
    found = ESTIMATORS[estimator_of(predictor, evidence)](evidence, place, options)
    these, new = (float(one.high[0] - one.low[0]) for one in (found.these, found.new))
    return these, new
