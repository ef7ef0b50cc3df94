"""The planner's picture: what every choice of setting and N costs and brings, and which one to buy.

    Plan(options, target_accuracy=0.85)
      source  dataset  model  method    cost   setting  N   predicted  low   high  known
      llm     gsm8k    llama  majority  1200   100      8   0.791      0.77  0.81  measured

Circles: measured choices; diamonds: forecast ones; line and band: the frontier with its 90 % interval;
star: the choice to buy. Choices of several models have a colour for each model; with a column `usd` the
picture is one of money.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd

from results.figures.axes import colour, log_axis, setting_colour, tooltips, value_axis
from results.figures.forecast import STAR
from results.figures.panels import order_settings, value_range
from results.figures.saving import save_figures
from results.figures.series import Series
from results.figures.theme import Figure
from results.figures.words import (
    METHOD_NAMES,
    PRICED,
    UNITS,
    bought,
    methods_name,
    models_name,
    sentence,
    show,
)
from results.frontier import Plan


def advice(plan: Plan) -> str:
    """What to buy for the goal, as a sentence; a second one tells what it takes to be sure of an accuracy."""
    source = plan.options["source"].iloc[0]
    by = "" if len(plan.methods) > 1 else f" by {methods_name(plan.methods)}"
    if plan.target_accuracy is not None:
        return _reaching(plan, show(plan.target_accuracy), by)
    if plan.token_budget is None:
        return f"The cheapest choice within a point of the best{by} is {_told(plan, plan.chosen)}."
    within = f"within {plan.token_budget:,.0f} {UNITS[source]} per question"
    if plan.chosen is None:
        return f"No choice stays {within}."
    return f"{sentence(within)}{by}, take {_told(plan, plan.chosen)}."


def _reaching(plan: Plan, target: str, by: str) -> str:
    """What reaches an accuracy by its forecast, and with its whole interval."""
    if plan.chosen is None:
        return f"No choice reaches {target}{by}; the best is {_told(plan, plan.best)}."
    said = f"To reach {target}{by}, take {_told(plan, plan.chosen)}."
    if plan.cautious is None:
        return f"{said} No choice reaches it with its whole interval."
    if plan.cautious.equals(plan.chosen):
        return said
    return f"{said} To reach it with the whole interval, take {_told(plan, plan.cautious)}."


def _told(plan: Plan, row: Any) -> str:
    """A choice in words: its model, method and setting where there are several to tell apart."""
    model = f"{row['model']}, " if len(plan.models) > 1 else ""
    method = f"{METHOD_NAMES[row['method']]}, " if len(plan.methods) > 1 else ""
    alone = len(set(plan.options["setting"])) == 1
    return model + method + bought(str(row["source"]), row, "predicted", alone)


def plan_figure(plan: Plan, name: str) -> Figure:
    """All choices, the frontier with its intervals, the goal and the choice."""
    source, dataset = plan.options[["source", "dataset"]].iloc[0]
    rows, front = (
        table.assign(low=table["low"].clip(0, 1), high=table["high"].clip(0, 1))
        for table in (plan.judged, plan.frontier)
    )
    target = pd.Series([plan.target_accuracy], dtype="float64").dropna()
    budget = pd.Series([plan.token_budget if plan.by == "cost" else None], dtype="float64").dropna()
    chosen = pd.DataFrame([] if plan.chosen is None else [plan.chosen])
    values = pd.concat([rows["predicted"], front["low"], front["high"], target])
    y_range = value_range(values.dropna(), "accuracy")
    paid = PRICED if plan.by == "usd" else f"{UNITS[source]} per question"
    x = log_axis(plan.by, [*rows[plan.by], *budget], paid)
    y = value_axis("predicted", "accuracy", y_range)
    if several := len(plan.models) > 1:
        field, colours = "model", colour("model:N", plan.models, None)
    else:
        settings = order_settings(rows.assign(length=rows["cost"] / rows["N"]))
        field, colours = "setting", setting_colour(settings, source)
    known = alt.Scale(domain=["measured", "forecast"], range=["circle", "diamond"])
    shape = alt.Shape("known:N", scale=known, legend=None)
    fields = (
        ["model"] * several
        + ["method"] * (len(plan.methods) > 1)
        + ["setting", "N", plan.by, "predicted", "low", "high", "known"]
    )

    series = Series(name, field, x, y, colours)
    series.add(front, "area", "frontier-band", None, y=value_axis("low", "accuracy", y_range), y2="high:Q")
    series.add(front, "line", "frontier-line", None)
    said = tooltips(fields, source)
    series.add(rows, "point", "mark", (0.9, 0.1), clip=False, shape=shape, tooltip=said)
    series.add(target.to_frame("predicted"), "rule", "goal", None, x=alt.Undefined)
    series.add(budget.to_frame("cost"), "rule", "goal", None, y=alt.Undefined)
    series.add(chosen, "point", "star", None, clip=False, shape=alt.value(STAR))
    return series.figure(
        models_name(source, dataset, plan.models),
        f"{sentence(methods_name(plan.methods))} against cost. {advice(plan)}",
        "Circles: measured; diamonds: forecast; line: no cheaper choice is as good; band: 90 % interval.",
    )


def save_plans(plans: Sequence[Plan], path: Path) -> None:
    """Draw one panel for each model, one below the other, into a .png, .svg or a page that opens offline."""
    save_figures("Plan", [[plan_figure(plan, f"plan-{number}")] for number, plan in enumerate(plans)], path)
