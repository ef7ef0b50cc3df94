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

WORTH_A_ROW = 0.0005
"""Gains that would be shown as +0.0 points make no choice of the frontier."""

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


def best_choice(
    choices: pd.DataFrame, value: str, target: float | None = None, budget: float | None = None
) -> "pd.Series[Any] | None":
    """The cheapest row whose `value` reaches the target, or the best within the budget; None: there is none.

    With neither, the cheapest within CLOSE of the best.
    """
    if budget is not None:
        rows = choices[(choices["cost"] <= budget) & choices[value].notna()]
        rows = rows.sort_values([value, "cost"], ascending=[False, True])
    else:
        goal = choices[value].max() - CLOSE if target is None else target
        rows = choices[choices[value] >= goal].sort_values(["cost", value], ascending=[True, False])
    return None if rows.empty else rows.iloc[0]


@dataclass(frozen=True)
class Plan:
    """The priced choices of one model (rows of a plan table), at most one goal, and what they come to.

    The goal is an accuracy to reach, or a cost that a question may have.
    """

    options: pd.DataFrame
    target_accuracy: float | None = None
    token_budget: float | None = None

    @cached_property
    def frontier(self) -> pd.DataFrame:
        """The choices that nothing as cheap equals, cheapest first."""
        return pareto_frontier(self.options, "predicted")

    @cached_property
    def chosen(self) -> "pd.Series[Any] | None":
        """The choice to buy, by its point forecast; None where none reaches the goal."""
        return best_choice(self.options, "predicted", self.target_accuracy, self.token_budget)

    @property
    def cautious(self) -> "pd.Series[Any] | None":
        """The choice by the lower end of its interval."""
        return best_choice(self.options, "low", self.target_accuracy, self.token_budget)

    @property
    def best(self) -> "pd.Series[Any]":
        """The choice with the highest forecast, whatever it costs."""
        return self.options.sort_values("predicted").iloc[-1]
