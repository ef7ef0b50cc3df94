"""Forecast one group with one predictor, as rows of the forecast table.

setting  N   predictor   role      accuracy  predicted  low   high  status  condition
500      64  power-law   held_out  0.81      0.83       0.80  0.86  ok      41.7
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import pandas as pd

from predict.groups import Group, price_of_answer
from predict.predictors import PREDICTORS
from predict.protocol import Options, Prediction, Status
from predict.split import Question, Request, ask
from results.tables.status import MEANINGS

FEW = 40
"""With fewer replicates than this the ends of a 90 % interval are those of two or three of them."""


def forecast(
    group: Group,
    request: Request,
    predictors: Iterable[str],
    options: Options,
    tick: Callable[[], object] = lambda: None,
) -> tuple[pd.DataFrame, list[str]]:
    """The forecast table of one group, all `predictors` below one another, and what a reader must be told.

    `tick` is called after each predictor. Raises BadInput where the request leaves nothing to fit.
    """
    question = ask(group, request)
    if group.pools:
        options = replace(options, pool=max(int(question.targets.N.max()), int(group.points.N.max())))
    tables: list[pd.DataFrame] = []
    notes: list[str] = []
    for name in predictors:
        found = PREDICTORS[name](question.observed, question.targets, options)
        tables.append(rows(group, question, name, found))
        notes += found.notes
        tick()
    table = pd.concat(tables, ignore_index=True)
    return table, [*caveats(group, request.replicates), *notes, *warnings(table)]


def caveats(group: Group, replicates: int) -> list[str]:
    """Sentences on what the table of `group` cannot tell, whoever forecasts."""
    sentences = []
    asked = {frozenset(pool.answers.question_ids) for pool in group.pools}
    counts = {n for n in group.questions.values() if n}
    if max(len(asked), len(counts)) > 1:
        number = f" ({min(counts)} to {max(counts)} of them)" if len(counts) > 1 else ""
        sentences.append(
            f"the settings were asked different questions{number}: part of the difference between their "
            "accuracies may be that of the questions"
        )
    if 0 < replicates < FEW:
        sentences.append(f"intervals read from {replicates} replicates are rough, expected {FEW} or more")
    if replicates and not group.pools and not np.isfinite(group.stderr).all():
        sentences.append("no intervals: the table has no standard error (stderr) in some rows")
    return sentences


def rows(group: Group, question: Question, name: str, prediction: Prediction) -> pd.DataFrame:
    """One predictor's answer to `question` in the columns of the forecast table, and `condition`."""
    targets = question.targets
    questions = max(group.questions.values(), default=0)
    cost = [
        group.cost.get(str(name), price_of_answer(group.source, T, questions))
        for name, T in zip(targets.setting, targets.T, strict=True)
    ]
    return pd.DataFrame(
        {
            "source": group.source,
            "dataset": group.dataset,
            "model": group.model,
            "method": group.method,
            "setting": targets.setting,
            "T": targets.T * group.scale,
            "tokens_per_answer": cost,
            "N": targets.N,
            "permutation": "exact",
            "accuracy": question.truth,
            "stderr": question.stderr,
            "questions": pd.Series(targets.setting)
            .map({k: v for k, v in group.questions.items() if v})
            .astype("Int64"),
            "predictor": name,
            "role": question.role,
            "predicted": prediction.mean,
            "low": prediction.low,
            "high": prediction.high,
            "status": prediction.status.astype(str),
            "condition": prediction.condition,
        }
    )


def warnings(table: pd.DataFrame) -> list[str]:
    """One plain sentence for each predictor and status but "ok" in a group's forecast table."""
    sentences = []
    asked = table[table["role"] != "used"]
    for (name, status), part in asked[asked["status"] != Status.OK].groupby(
        ["predictor", "status"], sort=False
    ):
        places = [f"{setting} × N={N}" for setting, N in zip(part["setting"], part["N"], strict=True)]
        where = (
            "every forecast" if len(part) == len(asked[asked["predictor"] == name]) else ", ".join(places[:3])
        )
        more = f" and {len(places) - 3} more" if where != "every forecast" and len(places) > 3 else ""
        worst = part["condition"].max()
        number = f" (condition number {worst:.3g})" if status == Status.ILL_CONDITIONED else ""
        sentences.append(f"{name}, {where}{more}: {status}: {MEANINGS[str(status)]}{number}")
    return sentences
