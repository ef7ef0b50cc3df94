"""Which cheap run to make next: what it costs and how much it is expected to narrow a forecast's interval.

    setting  now           then          tokens     width_now  width_then
    medium   8 answers     16 answers    4,061,000  0.112      0.079        of these questions
    medium   45 questions  90 questions  4,061,000  0.181      0.128        of new questions

From samples only. More answers are judged by the interval of these questions. The answers that a run would
bring are drawn from what is forecast of them (`imagined`), the forecast is made again with them among the
data, and the widths of its intervals are averaged over a few draws. That is the expected width before the
run, with nothing assumed of the predictor's formula. More questions are judged by the interval of new ones,
which is as wide as one over the root of how many there are.

Only for predictors that go by the answers: those of `CURVE_ONLY` count the largest N of any setting as seen
at every one, so that a run which raises it at one setting would seem to narrow the forecasts at the others.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from predict.groups import Group
from predict.planning.imagined import more_answers
from predict.predictors import PREDICTORS
from predict.protocol import Options, Points
from predict.split import observe
from results import BadInput

DRAWS = 4
"""Imagined runs averaged over: their widths differ by a few per cent only."""

WORTHWHILE = 0.1
"""A run that narrows the interval by less than this share is not advised."""

NEIGHBOURS = 2
"""Settings on either side of one without answers, near which runs are considered."""


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

    Arguments: `group` has pools; `place`: the one (setting, T, N) that is to be decided; `options.pool` stays
    as it is, so that the interval is of the same quantity before and after. `tick` is called after each
    candidate. Raises BadInput without token counts or replicates, or where there is no interval.
    """
    targets = {"answers": "these-questions", "questions": "population"}
    about = {kind: replace(options, target=target) for kind, target in targets.items()}
    widths = {kind: width(group, predictor, place, one) for kind, one in about.items()}
    if not min(widths.values()) > 0:
        raise BadInput(f"{group.name}: {predictor} gives no interval at {place.setting[0]}, N = {place.N[0]}")
    runs = []
    for one in candidates(group, place):
        if not np.isfinite(one.tokens):
            raise BadInput(f"{group.name}: setting {one.setting!r} has no token counts")
        now = widths[one.kind]
        if one.kind == "questions":
            then = now * np.sqrt(one.now / one.then)
        else:
            larger = after(group, one, options.seed, draws)
            then = float(
                np.mean([width(imagined, predictor, place, about["answers"]) for imagined in larger])
            )
        runs.append(replace(one, width_now=now, width_then=then))
        tick()
    return sorted(runs, key=lambda run: -run.narrowing / run.tokens)


def advised(runs: list[NextRun]) -> NextRun | None:
    """The run that narrows most per token among those that are worthwhile."""
    return next((run for run in runs if run.narrowing >= WORTHWHILE), None)


def candidates(group: Group, place: Points) -> list[NextRun]:
    """The runs that are considered for the choice `place`, those at settings with answers.

    Twice the answers at each setting, four times those of its own, and there twice the questions. Where it
    has no answers of its own: twice those of the `NEIGHBOURS` on either side.
    """
    target, pools = str(place.setting[0]), list(group.pools)
    if target not in [pool.setting for pool in pools]:
        i = int(np.searchsorted([pool.T for pool in pools], place.T[0]))
        pools = pools[max(i - NEIGHBOURS, 0) : i + NEIGHBOURS]
    found = []
    for pool in pools:
        seen, questions = int(pool.answers.sizes.min()), len(pool.answers.question_ids)
        once = questions * seen * pool.T
        found.append(NextRun(pool.setting, "answers", seen, 2 * seen, once))
        if pool.setting == target:
            found.append(NextRun(target, "answers", seen, 4 * seen, 3 * once))
            found.append(NextRun(target, "questions", questions, 2 * questions, once))
    return found


def after(group: Group, run: NextRun, seed: int, draws: int) -> list[Group]:
    """The group after a run of more answers, imagined `draws` times."""
    rngs = [np.random.default_rng([seed, draw]) for draw in range(draws)]
    return [more_answers(group, run.setting, run.then - run.now, rng) for rng in rngs]


def width(group: Group, predictor: str, place: Points, options: Options) -> float:
    """Width of the interval at `place`, forecast from all data of `group`."""
    names = [name for name, _ in group.points.settings()]
    observed = observe(group, names, int(group.points.N.max()), options)
    found = PREDICTORS[predictor](observed, place, options)
    return float(found.high[0] - found.low[0])
