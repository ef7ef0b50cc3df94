"""The figure of accuracy against cost, with the Pareto frontier: choices that no cheaper one equals.

cost = N × tokens per answer     1,400 tokens: asked for 100 tokens, N = 16: 0.78 is on the frontier

The star is the recommended choice. With several models, each has its own colour.
"""

import altair as alt
import pandas as pd

from results.figures.axes import (
    apart,
    colour,
    label_room,
    line_ends,
    log_axis,
    setting_colour,
    tooltips,
    value_axis,
    value_range,
    with_hues,
)
from results.figures.forecasts import STAR
from results.figures.series import Series
from results.figures.theme import Figure
from results.summary.buying import Plan
from results.summary.panels import order_settings
from results.words.buying import advice
from results.words.cells import level_of
from results.words.names import PRICED, UNITS, methods_name, models_name, sentence


def plan_figure(plan: Plan, name: str) -> Figure:
    """All choices, the frontier with its intervals, the goal, and the recommended choice."""
    source, dataset = plan.options[["source", "dataset"]].iloc[0]
    rows, front = plan.judged, plan.frontier
    target = pd.Series([plan.target_accuracy], dtype="float64").dropna()
    budget = pd.Series([plan.token_budget if plan.by == "cost" else None], dtype="float64").dropna()
    rows = rows if "known" in rows else rows.assign(known="measured")
    chosen = pd.DataFrame([] if plan.chosen is None else [plan.chosen])
    values = pd.concat([rows["predicted"], front["lower"], front["upper"], target])
    y_range = value_range(values.dropna(), "accuracy")
    paid = PRICED if plan.by == "usd" else f"{UNITS[source]} per question"
    y = value_axis("predicted", "accuracy", y_range)
    room = 0.0
    if len(plan.models) > 1:
        rows, hues = with_hues(rows, "model", plan.models, front["model"])
        field, colours = "hue", colour("hue:N", hues, None)
    else:
        settings = order_settings(rows.assign(length=rows["cost"] / rows["N"]))
        rows = rows.assign(value=rows["predicted"])
        ends = line_ends(rows, "setting", plan.by)["value"].tolist()
        room = label_room(settings) if apart(ends, y_range) == ends else 0.0  # moved labels cover points
        field, colours = "setting", setting_colour(settings, source, ordered=True, labelled=room > 0)
    x = log_axis(plan.by, [*rows[plan.by], *budget], paid, room)
    known = alt.Scale(domain=["measured", "forecast"], range=["circle", "diamond"])
    shape = alt.Shape("known:N", scale=known, legend=None)
    names = ["model"] * (len(plan.models) > 1) + ["method"] * (len(plan.methods) > 1)
    fields = [*names, "setting", "N", plan.by, "predicted", "lower", "upper", "on", "known"]

    bounded = front["lower"].notna()
    whose = " or ".join(dict.fromkeys(front["on"][bounded]))
    points = "Circles: measured" + (" (what to expect)" if plan.is_drawn_together else "")
    points += "" if (rows["known"] == "measured").all() else "; diamonds: forecast"

    series = Series(name, field, x, y, colours)
    band = value_axis("lower", "accuracy", y_range)
    drawn, mark, style = "band", "area", "frontier-band"
    if len(front) == 1:
        drawn, mark, style = "bar", "rule", "frontier"
    series.add(front, mark, style, None, y=band, y2="upper:Q")
    series.add(front, "line", "frontier-line", None)
    pointed = tooltips(fields, source)
    series.add(rows, "point", "mark", (0.9, 0.1), clip=False, shape=shape, tooltip=pointed)
    series.add(target.to_frame("predicted"), "rule", "goal", None, x=alt.Undefined)
    series.add(budget.to_frame("cost"), "rule", "goal", None, y=alt.Undefined)
    if room:
        series.labels(rows, plan.by, y_range)
    series.add(chosen, "point", "star", None, clip=False, shape=alt.value(STAR))
    return series.figure(
        models_name(source, dataset, plan.models),
        f"{sentence(methods_name(plan.methods))} against cost. {advice(plan)}",
        f"{points}; line: no cheaper choice is as good"
        + (f"; {drawn}: {level_of(front)} interval on {whose}." if whose else "."),
    )
