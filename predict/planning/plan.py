"""What to buy: the cheapest (setting, N) that reaches an accuracy, or the best one within a token budget.

    cost   setting  N   predicted  low   high  new_low  new_high  known
    1200   100      8   0.791      0.77  0.81  0.72     0.85      measured    <- cheapest that reaches 0.79
    3300   300      16  0.822      0.80  0.84  0.76     0.87      forecast

The cost of a question is tokens per answer × N (for the twin: steps × N). Where a curve was measured, the
plan goes by the measurement, the exact vote over all answers, as the report does; its interval is the one
that the default predictor gives to that point, widened to hold it. The choice is made by what is to be
expected of each given all of them (`luck`): the best of many noisy values is too good.
"""

import numpy as np
import pandas as pd

from predict.curves.new_settings import answers_luck
from predict.estimate import UNUSABLE, Options, Status
from predict.estimators import DEFAULT, estimator_of
from predict.evidence.groups import Group
from predict.evidence.request import Request
from predict.planning.luck import with_expected
from predict.table import THESE, forecast
from results import BadInput
from results.arguments import MAX_N
from results.normal import z_of
from results.summary.buying import Plan
from results.votes.exact import DIGITS

PRICED = [
    "source", "cost", "setting", "T", "N", "predicted", "low", "high", "new_low", "new_high", "status",
    "known", "dataset", "model", "method", "predictor", "estimator",
    "expected", "expected_low", "expected_high", "level",
]  # fmt: skip
"""Columns of a table of priced choices."""


def plan(
    group: Group,
    predictor: str,
    max_n: int,
    options: Options,
    target_accuracy: float | None = None,
    token_budget: float | None = None,
    new_settings: tuple[str, ...] = (),
    target: str = THESE,
) -> Plan:
    """Forecast every observed setting at N = 1, 2, 4, … max_n from all data, price it and choose.

    `new_settings` are settings without data, as NAME=LENGTH. Without a goal the cheapest choice within a
    point of the best is chosen. Raises BadInput without token counts or T, and where nothing can be forecast.
    """
    max_n = MAX_N.of(max_n)
    settings = tuple(group.run.caps if group.run else (name for name, _ in group.points.settings()))
    request = Request(
        at_n=tuple(2**k for k in range(max_n.bit_length())), at_settings=settings + new_settings
    )
    table, _ = forecast(group, request, dict.fromkeys([predictor, DEFAULT]), options, target)
    used = table["role"] == "used"
    forecasts = table[(table["predictor"] == predictor) & ~used].assign(known="forecast")
    measured = _as_measured(table[(table["predictor"] == DEFAULT) & used], group, options.level)
    forecasts = forecasts.assign(luck=_luck(forecasts, measured, options.level))
    table = pd.concat([measured, forecasts])
    table = table[~table["status"].isin(UNUSABLE) & table["predicted"].between(0, 1)]
    missing = ~(table["tokens_per_answer"] > 0)
    if missing.any():
        name = table["setting"][missing].iloc[0]
        raise BadInput(
            f"{group.name}: setting {name!r} has no token counts, so it has no price: give a column tokens "
            "(samples) or tokens_per_answer (curves) with numbers above 0"
        )
    if table.empty:
        raise BadInput(f"{group.name}: {predictor} makes no usable forecast from these data")
    # a vote of 2 is as good as a single answer: differences in the last digits make no choice better
    values = ["predicted", "low", "high", "new_low", "new_high"]
    cost = table["tokens_per_answer"] * table["N"]
    made_by = {"predictor": predictor, "estimator": estimator_of(predictor, group)}
    table = table.assign(**made_by, cost=cost, **table[values].round(DIGITS))
    table = with_expected(table.reset_index(drop=True), options.level)
    priced = table[PRICED].sort_values("cost", kind="stable").reset_index(drop=True)
    return Plan(priced, target_accuracy, token_budget)


def _as_measured(table: pd.DataFrame, group: Group, level: float) -> pd.DataFrame:
    """Rows of the forecast table with what was measured there; intervals hold it.

    A forecast is the mean of what the answers say, so that the measurement is off the truth by its own
    distance to that mean and the error of that mean, which are independent; and by no less than the luck of
    as many answers, where they are known.
    """
    luck = pd.Series(np.hypot(_stderr(table, level), table["accuracy"] - table["predicted"]))
    for pool in group.pools:
        here = table["setting"] == pool.setting
        least = np.sqrt(answers_luck(pool, table["N"][here].to_numpy(), group.method))
        luck = luck.mask(here, np.fmax(luck[here], pd.Series(least, table.index[here])))
    ends = {end: np.fmin(table[end], table["accuracy"]) for end in ("low", "new_low")}
    ends |= {end: np.fmax(table[end], table["accuracy"]) for end in ("high", "new_high")}
    measured = table.assign(known="measured", predicted=table["accuracy"], status=str(Status.OK), **ends)
    return measured.assign(luck=luck)


def _luck(forecasts: pd.DataFrame, measured: pd.DataFrame, level: float) -> "pd.Series[float]":
    """The standard error that forecasts owe to finite answers.

    A pool goes on with the answers that were measured, and so it keeps their luck: that at the largest N.
    """
    last = measured.sort_values("N").groupby("setting")["luck"].last()
    known = forecasts["setting"].map(last).astype(float).fillna(0.0)
    return _stderr(forecasts, level).clip(lower=known)


def _stderr(table: pd.DataFrame, level: float) -> "pd.Series[float]":
    """The standard error that an interval speaks of."""
    return (table["high"] - table["low"]) / (2 * z_of(level))
