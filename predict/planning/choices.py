"""What to buy: the cheapest choice that reaches an accuracy, or the best one within a token budget.

    cost   setting  N   by             predicted  low   high  known
    960    500      4   majority       0.71       0.66  0.76  measured    <- cheapest that reaches 0.70
    2,240  500      4   best_by_score  0.83       0.78  0.88  measured
    3,840  500      16  majority       0.79       0.74  0.84  forecast

A choice is a setting, a method and N. It costs N times an answer (in tokens; for the twin: steps), with its
score if the method uses scores. `forecast_choices` gives the choices of one method, also where nothing was
measured; `measured_choices` those of the majority vote and of methods by score, as measured. All are then
compared by the expected accuracy of each given all, since the best of many noisy values is too good
(`results.summary.expected`).
"""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from predict.curves.law_along_t import answers_luck
from predict.estimate import UNUSABLE, Options, Status
from predict.estimators import DEFAULT, estimator_of
from predict.evidence.groups import Group
from predict.evidence.points import Floats, Ints
from predict.evidence.request import Request
from predict.forecast_table import forecast
from predict.pool_luck import luck_of_mean
from results import BadInput
from results.arguments import LEVELS, MAX_N
from results.methods import BY_SCORE
from results.normal import z_of
from results.paired.sides import Side
from results.summary.buying import MEASURED, Plan
from results.summary.expected import with_expected
from results.summary.panels import of_new_questions
from results.tables.money import NO_MONEY, Money
from results.votes.clusters import mean_accuracy, standard_error
from results.votes.exact import DIGITS
from results.votes.tokens import reasoning_length

VALUES = ["predicted", "low", "high", "new_low", "new_high"]

PRICED = [
    "source", "cost", "setting", "T", "N", *VALUES, "status",
    "known", "dataset", "model", "method", "predictor", "estimator",
    "expected", "expected_low", "expected_high", "level",
]  # fmt: skip
"""Columns of a table of priced choices."""


def plan(
    choices: pd.DataFrame,
    level: float,
    target_accuracy: float | None = None,
    token_budget: float | None = None,
    money: Money = NO_MONEY,
) -> Plan:
    """The Plan for priced choices of one model on one data set, with at most one goal.

    Without a goal, the cheapest choice within a point of the best is chosen: by price in USD, if known.
    """
    options = with_expected(choices.reset_index(drop=True), level)
    options = options[PRICED].sort_values("cost", kind="stable", ignore_index=True)
    usd = money.usd(options)
    options = options if usd.isna().any() else options.assign(usd=usd)
    return Plan(options, target_accuracy, token_budget)


def forecast_choices(
    group: Group,
    predictor: str,
    max_n: int,
    options: Options,
    new_settings: tuple[str, ...] = (),
) -> pd.DataFrame:
    """Every observed setting of `group` at N = 1, 2, 4, … max_n, forecast from all data and priced.

    A point that was measured keeps its measured value, the exact vote over all answers, as in the report. Its
    interval for these questions is the default predictor's, widened to include the value; for new questions
    it is that of the report. `new_settings` are settings without data, as NAME=LENGTH. Raises BadInput
    without token counts or T, and if nothing can be forecast.
    """
    max_n = MAX_N.of(max_n)
    if why := without_cost(group):
        raise BadInput(f"{group.name}: {why}")
    settings = tuple(group.run.caps if group.run else (name for name, _ in group.points.settings()))
    powers = tuple(2**k for k in range(max_n.bit_length()))
    request = Request(at_n=powers, at_settings=settings + new_settings)
    table, _ = forecast(group, request, dict.fromkeys([predictor, DEFAULT]), options)
    used = table["role"] == "used"
    forecasts = table[(table["predictor"] == predictor) & ~used].assign(known="forecast")
    measured = _as_measured(table[(table["predictor"] == DEFAULT) & used], group, options.level)
    forecasts = forecasts.assign(luck=_luck(forecasts, measured, options.level))
    table = pd.concat([measured, forecasts])
    table = table[~table["status"].isin(UNUSABLE) & table["predicted"].between(0, 1)]
    if table.empty:
        raise BadInput(f"{group.name}: {predictor} makes no usable forecast from these data")
    if group.run:  # caps share their answers, and so their luck, which cancels between them
        table = table.assign(luck=np.nan)
    # a vote of 2 equals a single answer: rounding keeps the last digits from making one look better
    return table.assign(
        predictor=predictor,
        estimator=estimator_of(predictor, group),
        cost=table["tokens_per_answer"] * table["N"],
        **table[VALUES].round(DIGITS),
    )


def check_new(groups: Sequence[Group], new_settings: Collection[str]) -> None:
    """Raise BadInput for a new setting that all the groups have measured: naming it changes nothing."""
    measured = set.intersection(*(set(group.points.setting.tolist()) for group in groups))
    if known := measured.intersection(new_settings):
        raise BadInput(f"--at-settings {min(known)}: it is measured and weighed anyway: name new ones")


def without_cost(group: Group) -> str:
    """Why choices of the group have no cost, and which column would give them one; "" if they have one."""
    unknown = ~(group.points.T > 0) if group.priced else np.ones(len(group.points), bool)
    if group.run or not unknown.any():
        return ""
    name = str(group.points.setting[unknown][0])
    return (
        f"setting {name!r} has no token counts, so it has no cost: give a column tokens (samples) or "
        "tokens_per_answer (curves) with numbers above 0"
    )


def _as_measured(table: pd.DataFrame, group: Group, level: float) -> pd.DataFrame:
    """Rows of the forecast table with measured values in place of forecasts; intervals include them.

    The forecast is taken as the posterior mean given the answers. The error of the measurement is then its
    distance to this mean plus the error of the mean, which are independent. If the answers are known, it is
    at least the luck of so many answers.
    """
    luck = pd.Series(np.hypot(_stderr(table, level), table["accuracy"] - table["predicted"]))
    for pool in group.pools:
        here = table["setting"] == pool.setting
        least = np.sqrt(answers_luck(pool, table["N"][here].to_numpy(), group.method))
        luck = luck.mask(here, np.fmax(luck[here], pd.Series(least, table.index[here])))
    questions = table["questions"].astype(float)
    clusters = table["setting"].map(group.clusters).astype(float)
    new = of_new_questions(table["accuracy"], table["stderr"], questions, clusters, level)
    low, high = new.low.clip(0, 1), new.high.clip(0, 1)
    table = table.assign(new_low=low.fillna(table["new_low"]), new_high=high.fillna(table["new_high"]))
    ends = {end: np.minimum(table[end], table["accuracy"]) for end in ("low", "new_low")}
    ends |= {end: np.maximum(table[end], table["accuracy"]) for end in ("high", "new_high")}
    measured = table.assign(known="measured", predicted=table["accuracy"], status=str(Status.OK), **ends)
    return measured.assign(luck=luck)


def _luck(forecasts: pd.DataFrame, measured: pd.DataFrame, level: float) -> "pd.Series[float]":
    """The standard error of forecasts due to finite answers.

    A larger pool includes the measured answers, so it keeps at least their luck at the largest measured N.
    """
    last = measured.sort_values("N").groupby("setting")["luck"].last()
    known = forecasts["setting"].map(last).astype(float).fillna(0.0)
    return _stderr(forecasts, level).clip(lower=known)


def _stderr(table: pd.DataFrame, level: float) -> "pd.Series[float]":
    """The standard error implied by the interval."""
    return (table["high"] - table["low"]) / (2 * z_of(level))


def measured_choices(sides: list[Side], methods: tuple[str, ...], max_n: int, level: float) -> pd.DataFrame:
    """Priced choices of one model on one data set, by majority vote and by `methods`; one side a setting.

    N is 1, 2, 4, … up to the number of answers and to `max_n`. Methods by score are not forecast, and the
    oracle's best-of-N is left out, as nobody can buy it. Verdicts do not vote. Raises BadInput if answers
    have no token counts, or if the cost of scores is not known.
    """
    max_n, level = MAX_N.of(max_n), LEVELS.of(level)
    for side in sides:
        if not side.cost.mean() > 0:
            raise BadInput(f"{side.named}: without token counts it has no price: give a column tokens")
        if np.isnan(side.score_cost):
            raise BadInput(f"{side.named}: what a score costs is not known: give --score-cost TOKENS")
    tables = []
    for method in ("majority", *methods):
        tables += [_measured(side, method, max_n if side.allows(method) else 1, level) for side in sides]
    return pd.concat(tables, ignore_index=True)


def _measured(side: Side, method: str, max_n: int, level: float) -> pd.DataFrame:
    """The measured accuracy of one setting by one method at each N, with its price and both intervals."""
    most = min(side.most, max_n)
    least = 1 if method in BY_SCORE else 0  # with one answer there is nothing to choose
    ns = 2 ** np.arange(least, most.bit_length())
    accuracy = side.curve(method)[:, ns - 1]
    predicted = mean_accuracy(accuracy)
    luck = np.sqrt(measured_luck(side, method, ns))
    of_these = z_of(level) * luck
    clusters = side.pools.clusters or ()
    stderr = pd.Series(standard_error(accuracy, clusters))
    of_new = of_new_questions(
        pd.Series(predicted), stderr, len(accuracy), len(set(clusters)) or np.nan, level
    )
    rows = {
        "source": "llm",
        "dataset": side.dataset,
        "model": side.run,
        "setting": side.setting,
        "method": method,
        "predictor": MEASURED,
        "estimator": MEASURED,
        "known": MEASURED,
        "status": str(Status.OK),
        "level": level,
        "T": reasoning_length(float(side.cost.mean()), len(accuracy), "llm"),
        "N": ns,
        "cost": ns * float(side.cost_by(method).mean()),
        "luck": luck,
        "predicted": predicted,
        "low": np.clip(predicted - of_these, 0, 1),
        "high": np.clip(predicted + of_these, 0, 1),
        "new_low": of_new.low.clip(0, 1),
        "new_high": of_new.high.clip(0, 1),
    }
    return pd.DataFrame(rows)


def measured_luck(side: Side, method: str, ns: Ints) -> Floats:
    """Variance of the mean accuracy at each N around that on an infinite pool; NaN from single answers."""
    if side.most < 2:
        return np.full(len(ns), np.nan)
    half = max(side.most // 2, 1)
    return luck_of_mean(side.curve(method)[:, np.minimum(ns, half) - 1], ns, side.pools.sizes, method)
