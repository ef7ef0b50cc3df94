"""Accuracy against what it costs, and the settings and N that nothing cheaper equals (the Pareto frontier).

cost = N × tokens per answer     1,400 tokens: asked for 100 tokens, N = 16: 0.78 is on the frontier
"""

from collections.abc import Sequence

import pandas as pd

from results.figures.axes import MOST_SETTINGS, colour, log_axis, setting_colour, tooltips, value_axis
from results.figures.panels import Panel, spread_out, value_range
from results.figures.series import Series
from results.figures.theme import Figure
from results.figures.words import METHOD_NAMES
from results.frontier import pareto_frontier


def with_cost(panel: Panel) -> pd.DataFrame:
    """The panel's exact rows with `cost`, the tokens of N answers to one question, cheapest first."""
    rows = panel.exact.dropna(subset=["length"])
    return rows.assign(cost=rows["N"] * rows["length"]).sort_values(["cost", "value"], ignore_index=True)


def frontier(panel: Panel) -> pd.DataFrame:
    """The panel's choices that nothing cheaper equals, cheapest first."""
    return pareto_frontier(with_cost(panel), "value")


def cost_figure(panel: Panel) -> Figure:
    """The panel's accuracy against tokens per question, a line for each setting, and the frontier."""
    rows = with_cost(panel)
    best = frontier(panel)
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


def joint_frontier(panels: Sequence[Panel]) -> pd.DataFrame:
    """The choices of several models on the same questions that none as cheap equals, with column `model`."""
    choices = pd.concat(frontier(panel).assign(model=panel.model) for panel in panels)
    return pareto_frontier(choices, "value")


def joint_figure(panels: Sequence[Panel], name: str) -> Figure:
    """The frontier of each model, a colour each, and the joint one behind them."""
    rows = pd.concat(frontier(panel).assign(model=panel.model) for panel in panels)
    best = joint_frontier(panels)
    first = panels[0]
    x = log_axis("cost", rows["cost"], "tokens per question, N × T")
    y = value_axis("value", first.metric, value_range(rows["value"], first.metric))
    models = [panel.model for panel in panels]
    said = tooltips(["model", "setting", "N", "length", "cost", "value"], first.source, first.metric)
    series = Series(name, "model", x, y, colour("model:N", models, "model"))
    series.add(best, "line", "frontier", None)
    series.add(rows, "line", "curve")
    series.add(rows, "circle", "point", clip=False, tooltip=said)
    series.add(best, "point", "ring", None, clip=False, tooltip=said)
    return Figure(
        name,
        f"{len(models)} models on {first.dataset}",
        (
            f"{METHOD_NAMES[first.method].capitalize()} of each model at its best setting and N.",
            "Rings and grey band: no cheaper choice of any model is as accurate.",
        ),
        series.layers,
    )
