"""Forecast one group with its predictors, as rows of the forecast table.

setting  N   predictor  estimator  role      accuracy  predicted  low   high  status  …  new_low  new_high
500      64  default    mixture    held_out  0.81      0.83       0.80  0.86  ok      …  0.78     0.88

`estimator` is the one that the predictor used, which a name such as `default` does not show.
`low` and `high` are the requested interval, by default the one for these questions; `new_low` and
`new_high` are always the one for new questions of the same kind.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from predict.estimate import Estimate, Options, Status
from predict.estimators import SURVIVAL, estimate, estimator_of
from predict.evidence.groups import Group
from predict.evidence.points import Floats, Points
from predict.evidence.request import Request, fitted
from predict.evidence.targets import Task, split
from results.arguments import TARGET
from results.commandline import progress
from results.normal import z_of
from results.tables.status import MEANINGS
from results.terminal import first_of
from results.votes.tokens import reasoning_length

THESE = TARGET.words[0]
"""The target of an interval for the same questions, sampled further."""


def forecast(
    group: Group,
    request: Request,
    predictors: Iterable[str],
    options: Options,
    target: str = THESE,
) -> tuple[pd.DataFrame, list[str]]:
    """The forecast table of one group, with a block of rows per predictor, and notes that a reader must see
    besides the `warnings` of the table.

    `target` chooses the interval in the columns low and high. Raises BadInput if the request leaves
    nothing to fit.
    """
    target = TARGET.of(target)
    task = split(group, request)
    targets = task.targets
    estimates: dict[str, Estimate] = {}
    lengths = None
    if task.observed.run:  # the lengths of answers at larger caps are forecast, too
        estimates[SURVIVAL] = estimate(SURVIVAL, task.observed, targets, options)
        lengths = estimates[SURVIVAL].lengths
    if lengths:
        targets = replace(targets, T=np.where(np.isnan(targets.T), lengths.mean, targets.T))
    rows = places(group, targets, task.truth, task.stderr, task.role)
    tables: list[pd.DataFrame] = []
    notes = [*caveats(group, options.replicates), *new_lengths(group, task, options.level)]
    for name in progress(" forecasts", list(predictors), desc=group.name):
        estimator = estimator_of(name, task.observed)
        if estimator not in estimates:
            estimates[estimator] = estimate(estimator, task.observed, targets, options)
        one = estimates[estimator]
        tables.append(rows.assign(predictor=name, estimator=estimator, **columns_of(one, target)))
        notes += one.notes
    table = pd.concat(tables, ignore_index=True)
    if lengths:
        low, high = lengths.interval.low, lengths.interval.high
        table = table.assign(tokens_low=np.tile(low, len(tables)), tokens_high=np.tile(high, len(tables)))
    return table, list(dict.fromkeys(notes))


def with_seen(group: Group, request: Request, table: pd.DataFrame) -> pd.DataFrame:
    """A forecast table of `group` with the measured points that it lacks, for a plot.

    Added are all fitted points, with role "used", and the others at the table's settings.
    """
    settings, most = fitted(group, request)
    points = group.points
    seen = np.isin(points.setting, settings) & np.less_equal(points.N, most)
    roles = np.where(seen, "used", "held_out").tolist()
    every = places(group, points, group.accuracy, group.stderr, roles)
    every = every[seen | every["setting"].isin(table["setting"])]
    parts = [table]
    for names, own in table.groupby(["predictor", "estimator"], sort=False):
        new = ~every.set_index(["setting", "N"]).index.isin(own.set_index(["setting", "N"]).index)
        parts.append(every[new].assign(predictor=names[0], estimator=names[1]))
    return pd.concat(parts, ignore_index=True)


def columns_of(estimate: Estimate, target: str = THESE) -> dict[str, Any]:
    """An estimate in the columns of the forecast table."""
    uncertain = estimate.these if target == THESE else estimate.new
    columns: dict[str, Any] = {
        "predicted": estimate.mean,
        "low": uncertain.low,
        "high": uncertain.high,
        "status": estimate.status.astype(str),
        "condition": estimate.condition,
        "new_low": estimate.new.low,
        "new_high": estimate.new.high,
        "level": uncertain.level,
    }
    if estimate.allowed is not None:
        columns |= {"allowed_low": estimate.allowed.low, "allowed_high": estimate.allowed.high}
    return columns


def new_lengths(group: Group, task: Task, level: float) -> list[str]:
    """One sentence for each setting whose length is itself a forecast."""
    at = task.targets
    spread = np.zeros(len(at)) if at.spread is None else at.spread
    z = z_of(level)
    lengths = {str(name): (T, sd) for name, T, sd in zip(at.setting, at.T, spread, strict=True)}
    return [
        f"setting {name}: from the settings seen, an answer is expected to take {T:,.0f} {group.unit} "
        f"({T * np.exp(-z * sd):,.0f} … {T * np.exp(z * sd):,.0f})"
        for name, (T, sd) in lengths.items()
        if sd > 0
    ]


def caveats(group: Group, replicates: int) -> list[str]:
    """Sentences on the limits of `group`'s data, whichever the predictor."""
    sentences = []
    question_sets = {frozenset(pool.answers.question_ids) for pool in group.pools}
    counts = {n for n in group.questions.values() if n}
    if max(len(question_sets), len(counts)) > 1:
        number = f" ({min(counts)} to {max(counts)})" if len(counts) > 1 else ""
        sentences.append(
            f"the settings have different questions{number}, so part of the difference between their "
            "accuracies may come from the questions"
        )
    if replicates and not group.pools and not np.isfinite(group.stderr).all():
        sentences.append("no intervals: the table has no standard error (stderr) in some rows")
    return sentences


def places(
    group: Group, points: Points, accuracy: Floats, stderr: Floats, role: Sequence[str]
) -> pd.DataFrame:
    """Points and what is known about them, in the columns of the forecast table."""
    own = pd.Series(points.setting).map({k: v for k, v in group.questions.items() if v}).astype("Int64")
    most = max(group.questions.values())
    total = [
        reasoning_length(T, group.questions.get(str(setting)) or most, group.key.source)
        for setting, T in zip(points.setting, points.T, strict=True)
    ]
    known = group.key.source == "synthetic" or most > 0
    columns = {
        **group.key.cells,
        "setting": points.setting,
        "T": (total if known else np.nan) if group.priced else points.T,
        "tokens_per_answer": points.T if group.priced else np.nan,
        "N": points.N,
        "permutation": "exact",
        "accuracy": accuracy,
        "stderr": stderr,
        "questions": own,
        "role": role,
    }
    return pd.DataFrame(columns)


def warnings(table: pd.DataFrame) -> list[str]:
    """One sentence for each predictor and each status other than "ok" in a group's forecast table."""
    sentences = []
    forecasts = table[table["role"] != "used"]
    doubtful = forecasts[forecasts["status"] != Status.OK]
    for (name, status), part in doubtful.groupby(["predictor", "status"], sort=False):
        places = [f"setting {s} at N = {N}" for s, N in zip(part["setting"], part["N"], strict=True)]
        where = first_of(places, 3)
        if len(part) == (forecasts["predictor"] == name).sum():
            where = "every forecast"
        worst = part["condition"].max()
        number = f" (condition number {worst:.3g})" if status == Status.ILL_CONDITIONED else ""
        sentences.append(f"{name}, {where}: {status}: {MEANINGS[str(status)]}{number}")
    return sentences
