"""What to buy: the cheapest choice that reaches an accuracy, or the best one within a token budget.

    cost   setting  N   by             predicted  low   high  known
    960    500      4   majority       0.71       0.66  0.76  measured    <- cheapest that reaches 0.70
    2,240  500      4   best_by_score  0.83       0.78  0.88  measured
    3,840  500      16  majority       0.79       0.74  0.84  forecast

A choice is a setting, a method and N, with its cost: what an answer takes (tokens; for the twin: steps), that
of its score too where the method goes by one, times N. `forecast_choices` gives those of one method, also
where nothing was measured; `measured_choices` those of the vote and of methods by score, as they were
measured. What follows is the same for all: a choice is made by what is to be expected of each given all of
them, since the best of many noisy values is too good:

    setting  alone         expected      20 settings that are equally good, each known to ± 5 points:
    s07      0.93 ± 0.05   0.85 ± 0.02   the best of them is the luckiest of them
    s11      0.79 ± 0.05   0.84 ± 0.02

Each value is right by itself, and the largest of many is too large. Whoever chooses needs what each is worth
given all of them. At one N the settings' true accuracies are taken to scatter about their mean by τ, of which
nothing is known beforehand but that it is at most one half, as it is for all numbers from 0 to 1; the values
differ from the true ones by the luck of their answers, which is independent between settings. The expectation
given all values draws each to their mean, by as much as luck explains the scatter (Rubin 1981, Journal of
Educational Statistics 6; Efron and Morris 1975, JASA 70). Where settings differ by more than luck, nothing
moves; of one setting nothing is known beside itself, and it stays as it is.
"""

import numpy as np
import pandas as pd

from predict.curves.law_along_t import answers_luck
from predict.estimate import UNUSABLE, Options, Status
from predict.estimators import DEFAULT, estimator_of
from predict.evidence.groups import Group
from predict.evidence.points import Floats, Ints
from predict.evidence.request import Request
from predict.pool_luck import luck_of_pool
from predict.table import THESE, forecast
from results import BadInput
from results.arguments import LEVELS, MAX_N
from results.methods import BY_SCORE
from results.normal import z_of
from results.paired.sides import Side
from results.summary.buying import MEASURED, Plan
from results.tables.money import Money, Prices
from results.votes.errors import mean_accuracy, standard_error
from results.votes.exact import DIGITS

PLAIN = "majority"
"""The vote that takes no score."""

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
    money: Prices = None,
) -> Plan:
    """The Plan of priced choices of one model on one data set, and of at most one goal.

    Without a goal the cheapest choice within a point of the best is chosen; by price, where `money` knows it.
    """
    options = with_expected(choices.reset_index(drop=True), level)
    options = options[PRICED].sort_values("cost", kind="stable", ignore_index=True)
    usd = Money.of(money).usd(options)
    if usd.isna().any():
        return Plan(options, target_accuracy, token_budget)
    return Plan(options.assign(usd=usd), target_accuracy, token_budget, by="usd")


def forecast_choices(
    group: Group,
    predictor: str,
    max_n: int,
    options: Options,
    new_settings: tuple[str, ...] = (),
    target: str = THESE,
) -> pd.DataFrame:
    """Every observed setting of `group` at N = 1, 2, 4, … max_n, forecast from all data and priced.

    Where a curve was measured, the measurement counts, the exact vote over all answers, as in the report; its
    interval is the one that the default predictor gives to that point, widened to hold it. `new_settings` are
    settings without data, as NAME=LENGTH. Raises BadInput without token counts or T, and where nothing can be
    forecast.
    """
    max_n = MAX_N.of(max_n)
    settings = tuple(group.run.caps if group.run else (name for name, _ in group.points.settings()))
    powers = tuple(2**k for k in range(max_n.bit_length()))
    request = Request(at_n=powers, at_settings=settings + new_settings)
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
    return table.assign(
        predictor=predictor,
        estimator=estimator_of(predictor, group),
        cost=table["tokens_per_answer"] * table["N"],
        **table[VALUES].round(DIGITS),
    )


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


def measured_choices(sides: list[Side], methods: tuple[str, ...], max_n: int, level: float) -> pd.DataFrame:
    """One model on one data set: its `sides`, one for each setting, by the vote and by `methods`.

    N is 1, 2, 4, … up to the answers there are and to `max_n`. There is no forecast of choices by score, and
    the oracle's best of N is none of them, as nobody can buy it. Raises BadInput where answers have no token
    counts, or their scores a cost that is not known.
    """
    max_n, level = MAX_N.of(max_n), LEVELS.of(level)
    for side in sides:
        if not side.cost.mean() > 0:
            raise BadInput(f"{side.named}: without token counts it has no price: give a column tokens")
        if np.isnan(side.score_cost):
            raise BadInput(f"{side.named}: what a score costs is not known: give --score-cost TOKENS")
    tables = []
    for method in (PLAIN, *methods):
        tables += [_measured(side, method, max_n, level) for side in sides]
    return pd.concat(tables, ignore_index=True)


def _measured(side: Side, method: str, max_n: int, level: float) -> pd.DataFrame:
    """What was measured of one setting by one method, with its price and both intervals."""
    most = min(side.most, max_n)
    least = 1 if method in BY_SCORE else 0  # of one answer there is nothing to choose
    ns = 2 ** np.arange(least, most.bit_length())
    accuracy = side.curve(method)[:, ns - 1]
    predicted = mean_accuracy(accuracy)
    luck = np.sqrt(measured_luck(side, method, ns))
    of_these = z_of(level) * luck
    of_new = z_of(level) * np.fmax(standard_error(accuracy, side.pools.clusters), luck)
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
        "T": float(side.cost.mean()),
        "N": ns,
        "cost": ns * float(side.cost_by(method).mean()),
        "luck": luck,
        "predicted": predicted,
        "low": np.clip(predicted - of_these, 0, 1),
        "high": np.clip(predicted + of_these, 0, 1),
        "new_low": np.clip(predicted - of_new, 0, 1),
        "new_high": np.clip(predicted + of_new, 0, 1),
    }
    return pd.DataFrame(rows)


def measured_luck(side: Side, method: str, ns: Ints) -> Floats:
    """Variance of the mean accuracy at each N on a pool like this one about that on very many answers.

    A question's accuracy is read on half of its answers: read on all, a vote of all is 0 or 1, which has no
    luck.
    """
    half = max(side.most // 2, 1)
    accuracy = side.curve(method)[:, np.minimum(ns, half) - 1]
    luck = [
        luck_of_pool(each, int(n), np.maximum(side.pools.sizes, n), method).mean()
        for each, n in zip(accuracy.T, ns, strict=True)
    ]
    return np.array(luck) / len(accuracy)


TAU = (np.arange(200) + 0.5) / 400
"""The standard deviations that true accuracies may have between settings: 0 to one half, equally likely."""


def with_expected(table: pd.DataFrame, level: float) -> pd.DataFrame:
    """The table with columns expected, expected_low and expected_high, method by method and N by N.

    Its columns method, N, predicted, low, high; and `luck`, the standard error that a value owes to its
    finite answers, NaN where it has no interval: such a value stays as it is. Settings have answers of their
    own, methods have not.
    """
    reach = z_of(level)
    ends = table[["predicted", "low", "high"]].to_numpy(np.float64, copy=True)
    for _, rows in table.groupby(["method", "N"]):
        known = rows[rows["luck"].notna()]
        if len(known) > 1:
            place = table.index.get_indexer(known.index)
            mean, sd = given_all(known["predicted"].to_numpy(), known["luck"].to_numpy())
            ends[place] = np.clip(np.column_stack([mean, mean - reach * sd, mean + reach * sd]), 0, 1)
    return table.assign(expected=ends[:, 0], expected_low=ends[:, 1], expected_high=ends[:, 2])


def given_all(values: Floats, luck: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of each true value, given `values` with standard errors `luck`, (S,).

    What is drawn to the mean is decided by the mean square of `luck`: of equal settings the luckiest looks
    the most certain, too. As far as settings do differ, each keeps its own.
    """
    pooled, mean = float(np.mean(luck**2)), float(values.mean())
    total = TAU**2 + pooled
    weight = scatter_likelihood(values, total)
    kept = TAU**2 / total
    share = float(weight @ kept)
    own = share * luck**2 + (1 - share) * pooled
    of_mean = float(weight @ ((1 - kept) ** 2 * total)) / len(values)
    of_share = float(weight @ kept**2) - share**2
    variance = share * own + of_mean + of_share * (values - mean) ** 2
    return mean + share * (values - mean), np.sqrt(variance)


def scatter_likelihood(values: Floats, variance: Floats) -> Floats:
    """The likelihood of each common variance of normal values whose mean is not known; its sum is 1."""
    squares = float(((values - values.mean()) ** 2).sum())
    log = -(len(values) - 1) / 2 * np.log(np.maximum(variance, 1e-300)) - squares / (2 * variance)
    likelihood = np.exp(log - log.max())
    return np.asarray(likelihood / likelihood.sum())
