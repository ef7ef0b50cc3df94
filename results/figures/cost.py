"""Accuracy against what it costs, and the settings and N that nothing cheaper equals (the Pareto frontier).

cost = N × tokens per answer     1,400 tokens: asked for 100 tokens, N = 16: 0.78 is on the frontier
"""

import altair as alt
import pandas as pd

from results.figures.axes import MOST_SETTINGS, faded, log_axis, picker, setting_colour, tooltips, value_axis
from results.figures.panels import Panel, spread_out, value_range
from results.figures.theme import INK, Figure
from results.figures.words import METHOD_NAMES
from results.frontier import pareto_frontier


def with_cost(panel: Panel) -> pd.DataFrame:
    """The panel's exact rows with `cost`, the tokens of N answers to one question, cheapest first."""
    rows = panel.exact.dropna(subset=["length"])
    return rows.assign(cost=rows["N"] * rows["length"]).sort_values(["cost", "value"], ignore_index=True)


def cost_figure(panel: Panel) -> Figure:
    """The panel's accuracy against tokens per question, a line for each setting, and the frontier."""
    rows = with_cost(panel)
    best = pareto_frontier(rows, "value")
    settings = spread_out(panel.settings, MOST_SETTINGS)
    pick = picker(f"{panel.slug}_cost", "setting")
    x = log_axis("cost", float(rows["cost"].min()), float(rows["cost"].max()), "tokens per question, N × T")
    y = value_axis("value", panel.metric, value_range(rows["value"], panel.metric))
    colour = setting_colour(settings, panel.source)
    lines = alt.Chart(rows[rows["setting"].isin(settings)]).encode(x, y, colour)
    said = tooltips(["setting", "N", "length", "cost", "value"], panel.source, panel.metric)
    layers = (
        alt.Chart(best)
        .mark_line(interpolate="step-after", strokeWidth=7, color=INK, opacity=0.13)
        .encode(x, y),
        lines.mark_line(strokeWidth=1.8).encode(opacity=faded(pick, 0.85, 0.1)),
        lines.mark_circle(size=38, stroke="white", strokeWidth=0.8)
        .encode(opacity=faded(pick, 1.0, 0.1), tooltip=said)
        .add_params(pick),
        alt.Chart(best)
        .mark_point(size=110, color=INK, strokeWidth=1.3, filled=False)
        .encode(x, y, tooltip=said),
    )
    return Figure(
        name=f"{panel.slug}-cost",
        title=panel.name,
        subtitle=(
            f"Accuracy of the {METHOD_NAMES[panel.method]} against tokens per question.",
            "Rings and grey band: no cheaper choice is as accurate.",
        ),
        layers=layers,
    )
