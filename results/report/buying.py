"""What to buy: choices of model, setting and N that nothing as cheap equals, measured or planned."""

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

import numpy as np
import pandas as pd

from results.figures.cost import cost_column, frontier, usd, with_cost
from results.figures.panels import Panel
from results.figures.words import PRICED, dollars, listed
from results.frontier import MEASURED, Plan, clear_changes
from results.report.cells import Columns, Table, tabled
from results.report.headings import choice_columns, plan_columns

PRICES_OF = "Prices of the answers' tokens; prompts are not counted."
"""What a price on the page is of."""

_GOALS = ["target_accuracy", "token_budget"]


def joint_verdict(panels: Sequence[Panel]) -> str:
    """Which of several models to ask at which budget, by changes that are clear of their noise."""
    by = cost_column(panels)
    first = clear_changes(with_cost(panels), "model", "value", "stderr", by)
    if len(first) == 1:
        cheapest = first["model"].iloc[0]
        if (frontier(panels)["model"] == cheapest).all():
            return f"{cheapest} is the one to ask, whatever the budget."
        return f"{cheapest} is the cheapest to ask, and no other is clearly better at a larger budget."
    if by == "usd":
        budget, starts = "budget for 1,000 questions", first[by].map(dollars)
    else:
        budget, starts = "budget for a question", first[by].map("{:,.0f} tokens".format)
    told = ", ".join(f"from {start} {model}" for start, model in zip(starts, first["model"], strict=True))
    return f"The model to ask depends on the {budget}: {told}."


def frontier_table(panels: Sequence[Panel]) -> Table:
    """The choices of one model, or among several, that none as cheap equals, cheapest first."""
    best = frontier(panels).rename(columns={"value": "predicted"})
    unpriced = [panel.model for panel in panels if np.isnan(panel.price)]
    partly = 0 < len(unpriced) < len(panels)
    note = f"By tokens: {listed(unpriced)} has no price." if partly else ""
    columns = choice_columns(panels[0].source)
    return _choices("The best choice at each budget", best, columns, len(panels) > 1, not partly, note)


def plans_of(plans: pd.DataFrame, prices: Mapping[str, float]) -> Iterator[Plan]:
    """The plans of a plan table; of several models for one goal first what to buy among them.

    Choices are compared by their price (`usd`, for 1,000 questions) where each model has one, `prices` being
    US dollars for a million tokens; else by tokens.
    """
    every = plans.reindex(columns=[*plans.columns, *(goal for goal in _GOALS if goal not in plans)])
    every = every.assign(usd=usd(every["cost"], every["model"].map(dict(prices)).astype("float64")))
    # What was measured is chosen among by any method; a forecast is of one.
    method = every["method"].mask(every["predictor"] == MEASURED, "")
    same = ["source", "dataset", "predictor", *_GOALS]
    for _, rows in every.groupby([*same, method.rename("of")], sort=False, dropna=False):
        target, budget = (None if goal != goal else float(goal) for goal in rows[_GOALS].iloc[0])
        models = [own for _, own in rows.groupby("model", sort=False)]
        for own in [rows, *models] if len(models) > 1 else models:
            yield Plan(own, target, budget, "usd" if own["usd"].notna().all() else "cost")


def plan_table(plan: Plan) -> Table:
    """The frontier of a plan, cheapest first."""
    front = plan.frontier
    columns = plan_columns(plan)
    lucky = "To expect: the best of several noisy choices is lucky, too; without its luck it is at this."
    note = lucky if "to expect" in columns else ""
    return _choices("The frontier", front, columns, len(plan.models) > 1, plan.by == "usd", note)


def _choices(
    title: str, best: pd.DataFrame, columns: Columns, several: bool, priced: bool, note: str = ""
) -> Table:
    """Choices with the model where there are several, and in US dollars where they are priced."""
    told: Columns = {"model": itemgetter("model")} if several else {}
    if priced and best["usd"].notna().all():
        told[PRICED] = lambda row: dollars(row["usd"])
        columns = dict(list(columns.items())[1:])  # money in the place of tokens
        note = f"{note} {PRICES_OF}".strip()
    return tabled(title, best, told | columns, note)
