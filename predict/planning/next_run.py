"""Which cheap run to make next: what it costs and how much it is expected to narrow a forecast's interval.

    setting            answers  tokens     width_now  width_then
    medium             8 → 16   4,061,000  0.112      0.079
    new (490 tokens)   0 → 8    2,391,200  0.112      0.061

From samples only. The answers a run would bring are drawn from what is forecast of them (`imagined`), the
forecast is made again with them among the data, and the widths of its intervals are averaged over a few such
draws. That is the expected width before the run, with nothing assumed of the predictor's formula.

Candidates are more answers at the observed settings and, where the choice is at a new setting, a few answers
there, at lengths halfway between its neighbours and at one beyond it. Only for predictors that go by the
answers: those of `CURVE_ONLY` count the largest N of any setting as seen at every one, so that a run which
raises it at one setting would seem to narrow the forecasts at the others.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy.stats import norm

from predict.groups import Group
from predict.planning.imagined import imagine_setting, more_answers
from predict.predictors import PREDICTORS
from predict.protocol import Floats, Options, Points, Prediction
from predict.split import observe
from results import BadInput

DRAWS = 4
"""Imagined runs averaged over: their widths differ by a few per cent only."""

WORTHWHILE = 0.1
"""A run that narrows the interval by less than this share is not advised."""

NEW_ANSWERS = 8
"""Answers to each question at a new setting."""

NEIGHBOURS = 2
"""Settings on either side of one without answers, near which runs are considered."""


@dataclass(frozen=True)
class Candidate:
    """`more` answers to every question at `setting` of length `T`, which has `seen` (0: a new setting)."""

    setting: str
    T: float
    seen: int
    more: int


@dataclass(frozen=True)
class NextRun:
    """A candidate with its price in tokens, and the widths of the 90 % interval without and with it."""

    run: Candidate
    tokens: float
    width_now: float
    width_then: float

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
    now = width(group, predictor, place, options)
    if not now > 0:
        raise BadInput(f"{group.name}: {predictor} gives no interval at {place.setting[0]}, N = {place.N[0]}")
    runs = []
    for one in candidates(group, place):
        if not np.isfinite(one.T):
            raise BadInput(f"{group.name}: setting {one.setting!r} has no token counts")
        larger = after(group, predictor, one, options, draws)
        then = float(np.mean([width(imagined, predictor, place, options) for imagined in larger]))
        questions = group.questions.get(one.setting, max(group.questions.values()))
        runs.append(NextRun(one, questions * one.more * one.T, now, then))
        tick()
    return sorted(runs, key=lambda run: -run.narrowing / run.tokens)


def advised(runs: list[NextRun]) -> NextRun | None:
    """The run that narrows most per token among those that are worthwhile."""
    return next((run for run in runs if run.narrowing >= WORTHWHILE), None)


def candidates(group: Group, place: Points) -> list[Candidate]:
    """The runs that are considered for the choice `place`, those at settings with answers first.

    At a setting with answers: twice those at each, four times its own. At one without: twice those of the
    `NEIGHBOURS` on either side, `NEW_ANSWERS` at new settings, and at its own twice as many too.
    """
    target, T = str(place.setting[0]), float(place.T[0])
    known = [(pool.setting, pool.T, int(pool.answers.sizes.min())) for pool in group.pools]
    lengths = [length for _, length, _ in known]
    new = target not in [name for name, _, _ in known]
    new = new and bool(np.isfinite([T, *lengths]).all()) and min(T, *lengths) > 0
    if new:
        i = int(np.searchsorted(lengths, T))
        known = known[max(i - NEIGHBOURS, 0) : i + NEIGHBOURS]
    found = [
        Candidate(name, length, seen, (times - 1) * seen)
        for name, length, seen in known for times in ((2, 4) if name == target else (2,))
    ]  # fmt: skip
    if new:
        found += [Candidate(target, T, 0, more) for more in (NEW_ANSWERS, 2 * NEW_ANSWERS)]
        found += [Candidate(f"new ({n:,} {group.unit})", n, 0, NEW_ANSWERS) for n in _new_lengths(lengths, T)]
    return found


def _new_lengths(known: list[float], T: float) -> list[int]:
    """Whole lengths halfway (in log T) between neighbours around T, and half a step beyond it.

    Those so short that they meet an observed setting are left out.
    """
    ladder = sorted({*known, T})
    i = ladder.index(T)
    found = [float(np.sqrt(a * b)) for a, b in pairwise(ladder[max(i - NEIGHBOURS, 0) : i + NEIGHBOURS + 1])]
    if i == len(ladder) - 1:
        found.append(T * float(np.sqrt(T / ladder[i - 1])))
    elif i == 0:
        found.append(T * float(np.sqrt(T / ladder[1])))
    return sorted({n for n in map(round, found) if n > 0} - set(map(round, ladder)))


def after(group: Group, predictor: str, run: Candidate, options: Options, draws: int) -> list[Group]:
    """The group after `run`, imagined `draws` times.

    The mean accuracy at a new setting is drawn at evenly spread quantiles of its forecast, so few draws do.
    """
    rngs = [np.random.default_rng([options.seed, draw]) for draw in range(draws)]
    if run.seen:
        return [more_answers(group, run.setting, run.more, rng) for rng in rngs]
    once = Points.grid({run.setting: run.T}, [1])
    accuracy = accuracy_at(group, predictor, once, options, (np.arange(draws) + 0.5) / draws)
    near = min(group.pools, key=lambda pool: abs(np.log(pool.T / run.T)))
    return [
        group.with_pools([*group.pools, imagine_setting(near, run.setting, run.T, run.more, value, rng)])
        for value, rng in zip(accuracy.tolist(), rngs, strict=True)
    ]


def accuracy_at(group: Group, predictor: str, place: Points, options: Options, quantiles: Floats) -> Floats:
    """Quantiles of the accuracy forecast at `place`, a single point, for these questions: (quantiles,).

    They are those of a split normal law through the forecast and the ends of its interval, within [0, 1].
    """
    found = _forecast(group, predictor, place, replace(options, target="these-questions"))
    z = norm.ppf(quantiles)
    side = np.where(z > 0, found.high - found.mean, found.mean - found.low)
    return np.asarray(np.clip(found.mean + z * side / norm.ppf((1 + options.level) / 2), 0.0, 1.0))


def width(group: Group, predictor: str, place: Points, options: Options) -> float:
    """Width of the interval at `place`, forecast from all data of `group`."""
    found = _forecast(group, predictor, place, options)
    return float(found.high[0] - found.low[0])


def _forecast(group: Group, predictor: str, place: Points, options: Options) -> Prediction:
    names = [name for name, _ in group.points.settings()]
    observed = observe(group, names, int(group.points.N.max()), options)
    return PREDICTORS[predictor](observed, place, options)
