"""What to buy: the choices, their Pareto frontier, and the choice that meets a goal.

    cost  predicted                  cost  predicted
    100   0.50                       100   0.50
    400   0.48   is dominated        800   0.62
    800   0.62

A choice is a `Key` and an N. Measured choices (`measured`) and those of a plan table
(`plans_of`) are both kept as a Plan.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from results.normal import FORECAST_LEVEL, LEVEL, z_of
from results.summary.expected import with_expected
from results.summary.panels import Panel
from results.tables.key import WHOSE, Key, keys
from results.tables.money import Money
from results.votes.exact import SAME

WORTH_A_ROW = 0.0005
"""A smaller gain, shown as +0.0 points, does not put a choice on the frontier."""

MEASURED = "measured"
"""The predictor in plans whose choices were all measured."""

CLOSE = 0.01
"""Without a goal, choices this close to the best one count as equally good."""

NEW, THESE = "new questions", "these questions"
"""The questions of a choice's interval: if known, new ones, as these are what buyers will ask."""

_GOALS = ["target_accuracy", "token_budget"]


def pareto_frontier(choices: pd.DataFrame, value: str, cost: str = "cost") -> pd.DataFrame:
    """The rows with a higher `value` than every other row of equal or lower `cost`, cheapest first.

    `value` and `cost` are column names. Each row beats the one before by at least WORTH_A_ROW; rows without
    a value are left out.
    """
    ordered = choices.dropna(subset=[value]).sort_values([cost, value], ascending=[True, False])
    kept, last = [], -np.inf
    for now in ordered[value]:
        kept.append(now > last and now >= last + WORTH_A_ROW)
        last = now if kept[-1] else last
    return ordered[kept].reset_index(drop=True)


def best_choice(
    choices: pd.DataFrame,
    value: str,
    target: float | None = None,
    budget: float | None = None,
    by: str = "cost",
) -> "pd.Series[Any] | None":
    """The cheapest row whose `value` reaches the target, or the best within the budget; None if none does.

    The best within a budget beats every cheaper one, as on the frontier. With neither, the cheapest within
    CLOSE of the best. The column `by` defines cheap; a budget always limits `cost`.
    """
    if budget is not None:
        rows = pareto_frontier(choices[choices["cost"] <= budget * (1 + SAME)], value, by)[::-1]
    else:
        goal = choices[value].max() - CLOSE - SAME if target is None else target
        rows = choices[choices[value] >= goal].sort_values([by, value], ascending=[True, False])
    return None if rows.empty else rows.iloc[0]


@dataclass(frozen=True)
class Plan:
    """The choices of one or several models (rows of a plan table), at most one goal, and the results.

    The goal is an accuracy to reach, or the tokens that a question may cost. If the options have `expected`,
    the accuracy given all options, with its interval, the choice and the frontier use it as `predicted`,
    `low` and `high`, since the best of many noisy options looks too good. The uncertainty of a choice is
    `lower` … `upper`, its interval on NEW questions if known, else on THESE (`on`).
    """

    options: pd.DataFrame
    target_accuracy: float | None = None
    token_budget: float | None = None

    @cached_property
    def by(self) -> str:
        """The cost used for comparison: `usd` if every choice has a price above 0, else `cost`."""
        return "usd" if "usd" in self.options and (self.options["usd"] > 0).all() else "cost"

    @property
    def models(self) -> list[str]:
        """The models of the choices."""
        return list(map(str, self.options["model"].unique()))

    @property
    def methods(self) -> list[str]:
        """The methods of the choices; if there are several, the method is part of a choice."""
        return list(map(str, self.options["method"].unique()))

    @cached_property
    def judged(self) -> pd.DataFrame:
        """The options with the values that decide; `alone` is each option's own prediction."""
        ends = ["low", "high", "new_low", "new_high"]
        options = self.options.reindex(columns=[*dict.fromkeys([*self.options, *ends])])
        return _with_bounds(_as_expected(options.assign(alone=options["predicted"])))

    @cached_property
    def is_drawn_together(self) -> bool:
        """Whether a choice on the frontier has an expected accuracy other than its own prediction."""
        apart = self.frontier["alone"] - self.frontier["predicted"]
        return bool((apart.abs() > SAME).any())

    @cached_property
    def frontier(self) -> pd.DataFrame:
        """The choices that nothing equally cheap equals, cheapest first."""
        return pareto_frontier(self.judged, "predicted", self.by)

    @cached_property
    def chosen(self) -> "pd.Series[Any] | None":
        """The choice to buy, by its point forecast; None if none reaches the goal.

        Without a goal, it may be of another model than the best choice if it is not clearly worse, but only
        on the frontier, so that no cheaper choice equals it.
        """
        has_goal = self.target_accuracy is not None or self.token_budget is not None
        if has_goal or "model" not in self.options or len(self.models) == 1:
            return self._best("predicted")
        rows, best = self.frontier, self.best
        noise = z_of(LEVEL) * np.hypot(_stderr(rows), _stderr(rows).iloc[-1])
        unclear = (rows["model"] != best["model"]) & (best["predicted"] - rows["predicted"] <= noise)
        close = rows["predicted"] >= best["predicted"] - CLOSE - SAME
        cheapest: pd.Series[Any] = rows[close | unclear].iloc[0]
        return cheapest

    @property
    def cautious(self) -> "pd.Series[Any] | None":
        """The choice to buy, by the lower end of its interval."""
        return self._best("lower")

    def _best(self, value: str) -> "pd.Series[Any] | None":
        return best_choice(self.judged, value, self.target_accuracy, self.token_budget, self.by)

    @property
    def best(self) -> "pd.Series[Any]":
        """The choice with the highest forecast, whatever it costs: the last on the frontier."""
        return self.frontier.iloc[-1]


def _as_expected(options: pd.DataFrame) -> pd.DataFrame:
    """The options, with their expected accuracy given all of them, if known, as prediction.

    Intervals on new questions move along, except for ends at 0 or 1, the bounds.
    """
    if "expected" not in options:
        return options
    is_known = options["expected"].notna()
    moved = (options["expected"] - options["predicted"]).where(is_known, 0.0)
    for end in ("new_low", "new_high"):
        at_bound = options[end].isin([0.0, 1.0])
        options = options.assign(**{end: options[end] + moved.where(~at_bound, 0.0)})
    given_all = {"predicted": "expected", "low": "expected_low", "high": "expected_high"}
    for alone, expected in given_all.items():
        if expected in options:
            options = options.assign(**{alone: options[expected].where(is_known, options[alone])})
    return options


def _with_bounds(options: pd.DataFrame) -> pd.DataFrame:
    """The options with `lower` and `upper`, the ends of the interval to use, and what it is `on`."""
    is_new = options["new_low"].notna()
    lower = options["new_low"].where(is_new, options["low"]).clip(0, 1)
    upper = options["new_high"].where(is_new, options["high"]).clip(0, 1)
    return options.assign(lower=lower, upper=upper, on=is_new.map({True: NEW, False: THESE}))


def _stderr(rows: pd.DataFrame) -> "pd.Series[float]":
    """The standard errors of choices; for forecasts, from the half-width of their interval."""
    if "stderr" in rows:
        return rows["stderr"]
    level = rows.get("level", pd.Series(FORECAST_LEVEL, index=rows.index))
    return (rows["upper"] - rows["lower"]) / 2 / level.map(z_of)


def measured(panels: Sequence[Panel]) -> Plan:
    """The measured choices of several panels, cheapest first, each with its `stderr`.

    `cost`: tokens of N answers to a question; `usd`: the price of 1,000 questions in US dollars, NaN if the
    model has no price. They are compared by price if every model has one.
    """
    tables = []
    for panel in panels:
        rows = panel.of_all.dropna(subset=["length"]).rename(columns={"value": "predicted"})
        margin = panel.margin.loc[rows.index]
        low, high = rows["predicted"] - margin, rows["predicted"] + margin
        rows = rows.drop(columns=["low", "high"]).assign(new_low=low, new_high=high)
        rows = rows.assign(**panel.key.cells, predictor=MEASURED, cost=rows["N"] * rows["length"])
        if panel.metric == "accuracy":
            rows = _given_all(rows)
        tables.append(rows.assign(usd=panel.paid.usd(rows)))
    options = pd.concat(tables).sort_values(["cost", "predicted"], ignore_index=True)
    return Plan(options)


def _given_all(rows: pd.DataFrame) -> pd.DataFrame:
    """Measured rows with the expected accuracy of each given all settings.

    At one N, equally good settings differ only by luck: a setting's difference from the
    cheapest, paired by question, has the error of both, hence the division by 2.
    """
    squares = (rows["stderr_vs_cheapest"] ** 2).groupby(rows["N"]).transform("mean")
    noisy = rows.assign(luck=np.sqrt(squares / 2), low=np.nan, high=np.nan)
    given = with_expected(noisy, FORECAST_LEVEL)
    return given.drop(columns=["luck", "expected_low", "expected_high"])


def measured_plans(panels: Sequence[Panel], plans: Sequence[Plan]) -> Iterator[Plan]:
    """Yield plans from measurements for models without a plan in `plans`: all of a data set, and each.

    They use majority vote or, without it, the first method.
    """
    shown: dict[Key, Panel] = {}
    for panel in panels:
        whose, method = panel.key.whose, panel.key.method
        if not (panel.of_model and panel.knows_costs) or method == "all_of_n":
            continue
        if whose not in shown or method == "majority":
            shown[whose] = panel
    planned = {key for plan in plans for key in keys(plan.options, WHOSE)}
    for dataset in dict.fromkeys(key.dataset for key in shown if key not in planned):
        rivals = [panel for panel in shown.values() if panel.key.dataset == dataset]
        if len(rivals) > 1:
            yield measured(rivals)
        yield from (measured([panel]) for panel in rivals if panel.key.whose not in planned)


def plans_of(plans: pd.DataFrame, money: Money) -> Iterator[Plan]:
    """Yield the plans of a plan table; if several models have one goal, first a plan with all of them.

    Choices are compared by price (`usd`, for 1,000 questions) if every model has one, else by tokens.
    """
    absent = [name for name in [*_GOALS, "level"] if name not in plans]
    every = plans.reindex(columns=[*plans.columns, *absent]).fillna({"level": FORECAST_LEVEL})
    every = every.assign(usd=money.usd(every))
    # Measured choices are compared across methods; forecasts are for one method.
    method = every["method"].mask(every["predictor"] == MEASURED, "").rename("of")
    one_goal = ["source", "dataset", "predictor", "level", *_GOALS, method]
    for _, rows in every.groupby(one_goal, sort=False, dropna=False):
        target, budget = (None if np.isnan(goal) else float(goal) for goal in rows[_GOALS].iloc[0])
        models = [own for _, own in rows.groupby("model", sort=False)]
        for own in [rows, *models] if len(models) > 1 else models:
            yield Plan(own, target, budget)
