"""What to buy: the Pareto frontier of the choices, and the one that meets a goal.

cost  value                  cost  value
100   0.50                   100   0.50
400   0.48   is dominated    800   0.62
800   0.62
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from results.normal import LEVEL, z_of

WORTH_A_ROW = 0.0005
"""Gains that would be shown as +0.0 points make no choice of the frontier."""

MEASURED = "measured"
"""What stands for a predictor in a plan of choices that were all measured."""

CLOSE = 0.01
"""Without a goal, choices this close to the best one count as good as it."""


def pareto_frontier(choices: pd.DataFrame, value: str, cost: str = "cost") -> pd.DataFrame:
    """The rows with a higher `value` than every other row of equal or lower `cost`, cheapest first.

    Both name columns. Each row betters the one before by WORTH_A_ROW or more; rows without a value are left
    out.
    """
    ordered = choices.dropna(subset=[value]).sort_values([cost, value], ascending=[True, False])
    kept, last = [], -np.inf
    for now in ordered[value]:
        kept.append(now > last and now >= last + WORTH_A_ROW)
        last = now if kept[-1] else last
    return ordered[kept].reset_index(drop=True)


def clear_changes(
    choices: pd.DataFrame, of: str, value: str, stderr: str, cost: str = "cost"
) -> pd.DataFrame:
    """Where along the frontier another one of column `of` (the model, say) is clearly the one to buy.

    The first row of the frontier, and each row whose `value` exceeds the best that the one bought before
    offers for as much by more than the noise of both, at the level of verdicts. What flips within the noise
    is one row. `stderr` names the standard errors of `value`: those of both count as independent, which is
    too wide where both answered the same questions; where one is not known nothing is clear.
    """
    front = pareto_frontier(choices, value, cost)
    kept = [0]
    for i, row in front.iterrows():
        held = choices[(choices[of] == front[of][kept[-1]]) & (choices[cost] <= row[cost])]
        rival = held.loc[held[value].idxmax()]
        noise = z_of(LEVEL) * np.hypot(row[stderr], rival[stderr])
        if row[of] != rival[of] and row[value] - rival[value] > noise:
            kept.append(int(str(i)))
    return front.loc[kept].reset_index(drop=True)


def best_choice(
    choices: pd.DataFrame,
    value: str,
    target: float | None = None,
    budget: float | None = None,
    by: str = "cost",
) -> "pd.Series[Any] | None":
    """The cheapest row whose `value` reaches the target, or the best within the budget; None: there is none.

    With neither, the cheapest within CLOSE of the best. What is cheap is told by the column `by`; a budget is
    always one of `cost`.
    """
    if budget is not None:
        rows = choices[(choices["cost"] <= budget) & choices[value].notna()]
        rows = rows.sort_values([value, by], ascending=[False, True])
    else:
        goal = choices[value].max() - CLOSE if target is None else target
        rows = choices[choices[value] >= goal].sort_values([by, value], ascending=[True, False])
    return None if rows.empty else rows.iloc[0]


@dataclass(frozen=True)
class Plan:
    """The choices of one or several models (rows of a plan table), at most one goal, and what they come to.

    The goal is an accuracy to reach, or the tokens that a question may cost. `by` is the column that choices
    are compared by: `cost`, their tokens, or another, such as their price. Where the options say what is to
    be `expected` of each given all of them, with the ends of its interval, the choice and the frontier go by
    it and hold it as `predicted`, `low` and `high`: the best of many noisy options is too good.
    """

    options: pd.DataFrame
    target_accuracy: float | None = None
    token_budget: float | None = None
    by: str = "cost"

    @property
    def models(self) -> list[str]:
        """The models there are choices of."""
        return list(map(str, self.options["model"].unique()))

    @property
    def methods(self) -> list[str]:
        """The methods there are choices by: of several, the method is part of a choice."""
        return list(map(str, self.options["method"].unique()))

    @cached_property
    def judged(self) -> pd.DataFrame:
        """The options by what they are chosen for; `alone` is what each was thought to be by itself."""
        given_all = {"expected": "predicted", "expected_low": "low", "expected_high": "high"}
        if not set(given_all) <= set(self.options):
            return self.options.assign(alone=self.options["predicted"])
        found = self.options[list(given_all)].rename(columns=given_all)
        found = found.where(found["predicted"].notna(), self.options[found.columns])
        return self.options.assign(alone=self.options["predicted"], **found)

    @cached_property
    def frontier(self) -> pd.DataFrame:
        """The choices that nothing as cheap equals, cheapest first."""
        return pareto_frontier(self.judged, "predicted", self.by)

    @cached_property
    def chosen(self) -> "pd.Series[Any] | None":
        """The choice to buy, by its point forecast; None where none reaches the goal."""
        return best_choice(self.judged, "predicted", self.target_accuracy, self.token_budget, self.by)

    @property
    def cautious(self) -> "pd.Series[Any] | None":
        """The choice by the lower end of its interval."""
        return best_choice(self.judged, "low", self.target_accuracy, self.token_budget, self.by)

    @property
    def best(self) -> "pd.Series[Any]":
        """The choice with the highest forecast, whatever it costs."""
        return self.judged.sort_values("predicted").iloc[-1]
