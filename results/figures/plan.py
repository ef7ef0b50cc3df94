"""The planner's picture: what every choice of setting and N costs and brings, and which one to buy.

    Plan(options, target_accuracy=0.85)
      source  dataset  model  method    cost   setting  N   predicted  low   high  known
      llm     gsm8k    llama  majority  1200   100      8   0.791      0.77  0.81  measured

Circles: measured choices; diamonds: forecast ones; line and band: the frontier with its 90 % interval;
star: the choice to buy.
"""

from collections.abc import Sequence
from pathlib import Path

import altair as alt
import pandas as pd

from results.figures.axes import log_axis, setting_colour, tooltips, value_axis
from results.figures.forecast import STAR
from results.figures.page import figures_page
from results.figures.panels import order_settings, value_range
from results.figures.series import Series
from results.figures.theme import Figure, combined_spec, rendered
from results.figures.words import METHOD_NAMES, UNITS, bought, curves_name, sentence, show
from results.frontier import Plan
from results.tables.files import replacing

FIGURE_SUFFIXES = (".png", ".svg", ".html")


def advice(plan: Plan) -> str:
    """The goal and the choice, as a sentence."""
    source, goal = plan.options["source"].iloc[0], "The cheapest within a point of the best"
    if plan.target_accuracy is not None:
        goal = f"To reach {show(plan.target_accuracy)}"
    elif plan.token_budget is not None:
        goal = f"Within {plan.token_budget:,.0f} {UNITS[source]}"
    if plan.chosen is None:
        return f"{goal}: no choice does."
    return f"{goal}: {bought(source, plan.chosen, 'predicted')}"


def plan_figure(plan: Plan, name: str) -> Figure:
    """All choices, the frontier with its intervals, the goal and the choice."""
    source, dataset, model, method = plan.options[["source", "dataset", "model", "method"]].iloc[0]
    rows, front = (
        table.assign(low=table["low"].clip(0, 1), high=table["high"].clip(0, 1))
        for table in (plan.options, plan.frontier)
    )
    target = pd.Series([plan.target_accuracy], dtype="float64").dropna()
    budget = pd.Series([plan.token_budget], dtype="float64").dropna()
    chosen = pd.DataFrame([] if plan.chosen is None else [plan.chosen])
    values = pd.concat([rows["predicted"], front["low"], front["high"], target])
    y_range = value_range(values.dropna(), "accuracy")
    x = log_axis("cost", [*rows["cost"], *budget], f"{UNITS[source]} per question")
    y = value_axis("predicted", "accuracy", y_range)
    colour = setting_colour(order_settings(rows.assign(length=rows["cost"] / rows["N"])), source)
    known = alt.Scale(domain=["measured", "forecast"], range=["circle", "diamond"])
    shape = alt.Shape("known:N", scale=known, legend=None)
    said = tooltips(["setting", "N", "cost", "predicted", "low", "high", "known"], source)

    series = Series(name, "setting", x, y, colour)
    series.add(front, "area", "frontier-band", None, y=value_axis("low", "accuracy", y_range), y2="high:Q")
    series.add(front, "line", "frontier-line", None)
    series.add(rows, "point", "mark", (0.9, 0.1), clip=False, shape=shape, tooltip=said)
    series.add(target.to_frame("predicted"), "rule", "goal", None, x=alt.Undefined)
    series.add(budget.to_frame("cost"), "rule", "goal", None, y=alt.Undefined)
    series.add(chosen, "point", "star", None, clip=False, shape=alt.value(STAR))
    return series.figure(
        curves_name(source, dataset, model),
        f"{sentence(METHOD_NAMES[method])} against its cost. {advice(plan)}",
        "Circles: measured; diamonds: forecast; line: no cheaper choice is as good; band: 90 % interval.",
    )


def save_plans(plans: Sequence[Plan], path: Path) -> None:
    """Draw one panel for each model, one below the other, into a .png, .svg or a page that opens offline."""
    figures = [plan_figure(plan, f"plan-{number}") for number, plan in enumerate(plans)]
    if path.suffix == ".html":
        content = figures_page("Plan", figures)
    else:
        content = rendered(combined_spec([[figure] for figure in figures]))[path.suffix]
    with replacing(path) as temporary:
        temporary.write_bytes(content)
