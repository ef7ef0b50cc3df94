"""Hide answers or settings, forecast them, and compare: how good is each predictor on these data?

    predictor  estimator  split  setting  N   accuracy  unseen  predicted  low    high   status
    default    mixture    0      100      16  0.646     0.643   0.641      0.628  0.655  ok

With samples, each split keeps `fit_max_n` random answers of every question at the fitted settings. The truth
is the exact accuracy over all answers, including the seen ones; `unseen` is that over the others alone, if
there are at least N. A curves table has no answers to hide: its points at the fitted settings up to
`fit_max_n` are observed, in a single split, and the truth is its other points.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from predict.estimate import Options
from predict.estimators import SURVIVAL, estimate, estimator_of
from predict.evidence.capped import observe, unseen
from predict.evidence.groups import Group
from predict.evidence.points import Floats, Points, Pool
from predict.evidence.request import Request, fitted
from results import BadInput
from results.commandline import progress
from results.votes.clusters import mean_accuracy
from results.votes.exact import accuracy_by_question


@dataclass(frozen=True)
class Hidden:
    """What a backtest of a group hides: it shows `max_n` answers at `settings` and asks for the `targets`,
    whose accuracies are the `truth`, in each of `splits` splits."""

    settings: Sequence[str]
    max_n: int
    targets: Points
    truth: Floats
    splits: int


def hidden(group: Group, request: Request, splits: int) -> Hidden:
    """What a backtest hides. Raises BadInput if nothing would be hidden, or there is no truth."""
    names, max_n = fitted(group, replace(request, fit_max_n=request.fit_max_n or int(group.points.N.max())))
    targets, truth = _held_out(group, request, names, max_n)
    cut = [pool.answers for pool in group.pools if pool.setting in names]
    most = max((int(answers.sizes.max()) for answers in cut), default=0)
    return Hidden(names, max_n, targets, truth, splits if max_n < most else 1)


def backtest(
    group: Group,
    predictors: Sequence[str],
    request: Request,
    splits: int,
    options: Options,
) -> pd.DataFrame:
    """Backtest: one row per predictor, split, setting and N.

    Without `at_settings` the targets are the settings that are not fitted, or all if all are fitted; without
    `at_n`, every N of the table. If nothing depends on the split there is only one. With caps there are also
    the mean tokens per answer and their forecast. Raises BadInput if nothing would be hidden, or there is no
    truth.
    """
    hides = hidden(group, request, splits)
    targets = hides.targets
    tables = []
    for split in progress(" splits", range(hides.splits), desc=group.name):
        observed = observe(group, hides.settings, hides.max_n, options.seed, split)
        rest = unseen(group, hides.settings, hides.max_n, options.seed, split)
        seeded = replace(options, seed=options.seed + split)
        columns = {
            "split": split,
            **group.key.cells,
            "setting": targets.setting,
            "N": targets.N,
            "accuracy": hides.truth,
            "unseen": accuracy_of(rest, targets, group.method) if rest else hides.truth,
        }
        by = {name: estimator_of(name, observed) for name in predictors}
        estimates = {one: estimate(one, observed, targets, seeded) for one in dict.fromkeys(by.values())}
        if SURVIVAL in estimates and (lengths := estimates[SURVIVAL].lengths):
            columns |= {
                "tokens": targets.T,
                "tokens_predicted": lengths.mean,
                "tokens_low": lengths.interval.low,
                "tokens_high": lengths.interval.high,
            }
        for name, estimator in by.items():
            one = estimates[estimator]
            named = {"predictor": name, "estimator": estimator}
            forecast: dict[str, Any] = {
                "predicted": one.mean,
                "low": one.these.low,
                "high": one.these.high,
                "level": one.these.level,
                "status": one.status,
            }
            tables.append(pd.DataFrame({**named, **columns, **forecast}))
    return pd.concat(tables, ignore_index=True)


def accuracy_of(pools: Sequence[Pool], targets: Points, method: str) -> Floats:
    """The exact accuracy of `pools` at targets (M,); NaN where a question has fewer than N answers."""
    measured = np.full(len(targets), np.nan)
    for pool in pools:
        at = (targets.setting == pool.setting) & (pool.answers.sizes.min() >= targets.N)
        if at.any():
            measured[at] = mean_accuracy(accuracy_by_question(pool.answers.counts(), method, targets.N[at]))
    return measured


def _held_out(group: Group, request: Request, names: Sequence[str], max_n: int) -> tuple[Points, Floats]:
    """The requested points other than the observed ones, with their accuracies in the table."""
    points, known = group.points, [name for name, _ in group.points.settings()]
    settings = list(group.run.caps)[1:] if group.run else list(request.at_settings)
    there = np.isin(points.setting, settings or [name for name in known if name not in names] or known)
    ns = set(request.at_n) or set(points.N[there].tolist())
    absent = [name for name in settings if name not in known]
    absent += [f"N = {n}" for n in sorted(ns - set(points.N.tolist()))]
    if absent:
        known_are = f"settings {', '.join(known)}, N up to {points.N.max()}"
        raise BadInput(
            f"{group.name}: no measured value of {absent[0]} to compare with; there are {known_are}"
        )
    seen = np.isin(points.setting, names)
    if group.pools:
        whole = [pool.setting for pool in group.pools if max_n >= pool.answers.sizes.min()]
        seen &= np.isin(points.setting, whole)
    else:
        seen &= np.less_equal(points.N, max_n)
    at = there & np.isin(points.N, list(ns)) & ~seen
    if not at.any():
        raise BadInput(
            f"{group.name}: --fit-max-n {max_n} hides nothing; fit fewer answers, or leave settings out of "
            "--fit-settings"
        )
    return points[at], group.accuracy[at]
