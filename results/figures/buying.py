"""What choices cost and bring, and those that nothing cheaper equals (the Pareto frontier).

cost = N × tokens per answer     1,400 tokens: asked for 100 tokens, N = 16: 0.78 is on the frontier

Of a plan, circles are measured choices and diamonds forecast ones; line and band: the frontier with its 90 %
interval; star: the choice to buy. Choices of several models have a colour for each model.
"""

from collections.abc import Sequence

import altair as alt
import pandas as pd

from results.figures.axes import (
    MOST_SETTINGS,
    colour,
    log_axis,
    setting_colour,
    spread_out,
    tooltips,
    value_axis,
    value_range,
)
from results.figures.forecast import STAR
from results.figures.series import Series
from results.figures.theme import Figure
from results.summary.buying import Plan, measured
from results.summary.panels import Panel, order_settings
from results.words.buying import advice
from results.words.names import (
    METHOD_NAMES,
    PRICED,
    UNITS,
    methods_name,
    models_name,
    sentence,
    some_of,
)

_OF_THE_PLAN = [
    *("source", "dataset", "method", "alone", "predicted", "low", "high"),
    *("expected", "expected_low", "expected_high"),
]


def cost_figure(panels: Sequence[Panel], name: str) -> Figure:
    """Accuracy against cost with the frontier marked.

    One model has a line for each setting, several have one line each, their own frontier.
    """
    first, several = panels[0], len(panels) > 1
    plan = measured(panels)
    best, by = _drawn(plan.frontier), plan.by
    models = [panel.key.model for panel in panels]
    method = METHOD_NAMES[first.key.method]
    if several:
        field, colours = "model", colour("model:N", models, "model")
        own = [Plan(measured([panel]).options, by=by).frontier for panel in panels]
        rows = _drawn(pd.concat(own))
        about = f"{sentence(method)} of each model at its best setting and N."
        marks = ["Rings and grey band: no cheaper choice of any model is as accurate"]
    else:
        settings, rows = spread_out(first.settings, MOST_SETTINGS), _drawn(plan.options)
        field, colours = "setting", setting_colour(settings, first.key.source)
        rows = rows[rows["setting"].isin(settings)]
        about = f"Accuracy of the {method} against its cost per question."
        marks = ["Rings and grey band: no cheaper choice is as accurate"]
        marks += some_of(len(settings), len(first.settings), "settings")
    every = pd.concat([rows, best])
    x = log_axis(by, every[by], PRICED if by == "usd" else "tokens per question, N × T")
    y = value_axis("value", first.metric, value_range(every["value"], first.metric))
    fields = ["model"] * several + ["setting", "N", "length", by, "value"]
    pointed = tooltips(fields, first.key.source, first.metric)
    series = Series(name, field, x, y, colours)
    series.add(best, "line", "frontier", None)
    series.add(rows, "line", "curve", (0.85, 0.1))
    series.add(rows, "circle", "point", clip=False, tooltip=pointed)
    series.add(best, "point", "ring", None, clip=False, tooltip=pointed)
    title = models_name(first.key.source, first.key.dataset, models)
    return series.figure(title, about, "; ".join(marks) + ".")


def _drawn(choices: pd.DataFrame) -> pd.DataFrame:
    """The columns that a picture of measured choices needs."""
    measured_value = choices["alone"] if "alone" in choices else choices["predicted"]
    return choices.assign(value=measured_value).drop(columns=_OF_THE_PLAN, errors="ignore")


def plan_figure(plan: Plan, name: str) -> Figure:
    """All choices, the frontier with its intervals, the goal and the choice."""
    source, dataset = plan.options[["source", "dataset"]].iloc[0]
    rows, front = _within(plan.judged), _within(plan.frontier)
    target = pd.Series([plan.target_accuracy], dtype="float64").dropna()
    budget = pd.Series([plan.token_budget if plan.by == "cost" else None], dtype="float64").dropna()
    chosen = pd.DataFrame([] if plan.chosen is None else [plan.chosen])
    values = pd.concat([rows["predicted"], front["low"], front["high"], target])
    y_range = value_range(values.dropna(), "accuracy")
    paid = PRICED if plan.by == "usd" else f"{UNITS[source]} per question"
    x = log_axis(plan.by, [*rows[plan.by], *budget], paid)
    y = value_axis("predicted", "accuracy", y_range)
    if len(plan.models) > 1:
        field, colours = "model", colour("model:N", plan.models, None)
    else:
        settings = order_settings(rows.assign(length=rows["cost"] / rows["N"]))
        field, colours = "setting", setting_colour(settings, source)
    known = alt.Scale(domain=["measured", "forecast"], range=["circle", "diamond"])
    shape = alt.Shape("known:N", scale=known, legend=None)
    apart = ["model"] * (len(plan.models) > 1) + ["method"] * (len(plan.methods) > 1)
    fields = [*apart, "setting", "N", plan.by, "predicted", "low", "high", "known"]

    series = Series(name, field, x, y, colours)
    band = value_axis("low", "accuracy", y_range)
    series.add(front, "area", "frontier-band", None, y=band, y2="high:Q")
    series.add(front, "line", "frontier-line", None)
    pointed = tooltips(fields, source)
    series.add(rows, "point", "mark", (0.9, 0.1), clip=False, shape=shape, tooltip=pointed)
    series.add(target.to_frame("predicted"), "rule", "goal", None, x=alt.Undefined)
    series.add(budget.to_frame("cost"), "rule", "goal", None, y=alt.Undefined)
    series.add(chosen, "point", "star", None, clip=False, shape=alt.value(STAR))
    return series.figure(
        models_name(source, dataset, plan.models),
        f"{sentence(methods_name(plan.methods))} against cost. {advice(plan)}",
        "Circles: measured; diamonds: forecast; line: no cheaper choice is as good; band: 90 % interval.",
    )


def _within(choices: pd.DataFrame) -> pd.DataFrame:
    """The choices with intervals that end within the axis."""
    return choices.assign(low=choices["low"].clip(0, 1), high=choices["high"].clip(0, 1))
