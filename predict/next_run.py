"""Which cheap run to make next: what it costs and how much it is expected to narrow a forecast's interval.

    setting  answers  tokens     width_now  width_then
    medium   8 → 16   4,061,000  0.112      0.079

The answers of a run that has not been made are drawn from what the sampled ones say (`imagined`), the
forecast is made again with them among the data, and the widths of its intervals are averaged over a few
such draws. That is the expected width before the run, for any predictor, with nothing assumed of its
formula.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from predict.data import Group, group_of_pools
from predict.imagined import imagine
from predict.predictors import PREDICTORS
from predict.protocol import Options, Points
from predict.split import observe
from results import BadInput

DRAWS = 4
"""Imagined runs averaged over: their widths differ by a few per cent only."""

LEAST = 0.1
"""A run that narrows the interval by less than this share is not advised."""


@dataclass(frozen=True)
class NextRun:
    """`more` answers to every question at `setting`, `tokens` in all; widths of the 90 % interval."""

    setting: str
    seen: int
    more: int
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
    """Twice the answers at each setting, four times those of the one asked; best narrowing per token first.

    Arguments: `place`: the one (setting, T, N) that is to be decided; `options.pool` stays as it is, so that
    the interval is of the same quantity before and after. `tick` is called after each candidate.

    Raises BadInput without samples, token counts or replicates, or where there is no interval.
    """
    if not group.pools:
        raise BadInput(f"{group.name}: the next run is worked out from samples, not from curves")
    now = width(group, predictor, place, options)
    if not now > 0:
        raise BadInput(f"{group.name}: {predictor} gives no interval at {place.setting[0]}, N = {place.N[0]}")
    runs = []
    for pool in group.pools:
        if pool.setting not in group.cost:
            raise BadInput(f"{group.name}: setting {pool.setting!r} has no token counts")
        seen = int(pool.answers.sizes.min())
        for times in (2, 4) if pool.setting == place.setting[0] else (2,):
            more = (times - 1) * seen
            then = []
            for draw in range(draws):
                larger = extended(group, pool.setting, more, np.random.default_rng([options.seed, draw]))
                then.append(width(larger, predictor, place, options))
            tokens = len(pool.answers.question_ids) * more * group.cost[pool.setting]
            runs.append(NextRun(pool.setting, seen, more, tokens, now, float(np.mean(then))))
            tick()
    return sorted(runs, key=lambda run: -run.narrowing / run.tokens)


def advised(runs: list[NextRun]) -> NextRun | None:
    """The run that narrows most per token among those that narrow by a tenth or more."""
    return next((run for run in runs if run.narrowing >= LEAST), None)


def extended(group: Group, setting: str, more: int, rng: np.random.Generator) -> Group:
    """The group after a run that gave every question `more` answers at `setting`."""
    pools = [
        replace(pool, answers=imagine(pool.answers, more, rng)) if pool.setting == setting else pool
        for pool in group.pools
    ]
    return group_of_pools(group.source, group.dataset, group.model, group.method, pools)


def width(group: Group, predictor: str, place: Points, options: Options) -> float:
    """Width of the interval at `place`, forecast from all answers of `group`."""
    names = [name for name, _ in group.points.settings()]
    observed = observe(group, names, int(group.points.N.max()), options.replicates, options.seed)
    found = PREDICTORS[predictor](observed, place, options)
    return float(found.high[0] - found.low[0])
