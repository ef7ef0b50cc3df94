"""Accuracy against what it costs, and the settings and N that nothing cheaper equals (the Pareto frontier).

cost = N × tokens per answer     1,400 tokens: asked for 100 tokens, N = 16: 0.78 is on the frontier
"""

import pandas as pd

from results.figures.axes import MOST_SETTINGS, log_axis, setting_colour, tooltips, value_axis
from results.figures.panels import Panel, spread_out, value_range
from results.figures.series import Series
from results.figures.theme import Figure
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
    lines = rows[rows["setting"].isin(settings)]
    name = f"{panel.slug}-cost"
    x = log_axis("cost", rows["cost"], "tokens per question, N × T")
    y = value_axis("value", panel.metric, value_range(rows["value"], panel.metric))
    said = tooltips(["setting", "N", "length", "cost", "value"], panel.source, panel.metric)
    series = Series(name, "setting", x, y, setting_colour(settings, panel.source))
    series.add(best, "line", "frontier", None)
    series.add(lines, "line", "curve", (0.85, 0.1))
    series.add(lines, "circle", "point", clip=False, tooltip=said)
    series.add(best, "point", "ring", None, clip=False, tooltip=said)
    return Figure(
        name,
        panel.name,
        (
            f"Accuracy of the {METHOD_NAMES[panel.method]} against tokens per question.",
            "Rings and grey band: no cheaper choice is as accurate.",
        ),
        series.layers,
    )
