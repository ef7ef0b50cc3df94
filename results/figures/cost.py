"""Accuracy against what it costs, and the settings and N that nothing cheaper equals (the Pareto frontier).

cost = N × tokens per answer     1,400 tokens: asked for 100 tokens, N = 16: 0.78 is on the frontier
"""

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from results.figures.axes import MOST_SETTINGS, colour, log_axis, setting_colour, tooltips, value_axis
from results.figures.panels import Panel, spread_out, value_range
from results.figures.series import Series
from results.figures.theme import Figure
from results.figures.words import METHOD_NAMES, PRICED, some_of
from results.frontier import pareto_frontier


def with_cost(panel: Panel) -> pd.DataFrame:
    """The panel's exact rows, cheapest first, with the tokens that N answers to one question `cost`.

    `usd` is the price of 1,000 questions in US dollars, NaN where the model has no price.
    """
    rows = panel.exact.dropna(subset=["length"])
    rows = rows.assign(cost=rows["N"] * rows["length"])
    rows = rows.assign(usd=rows["cost"] * panel.price * 1_000 / 1e6)
    return rows.sort_values(["cost", "value"], ignore_index=True)


def frontier(panel: Panel) -> pd.DataFrame:
    """The panel's choices that nothing cheaper equals, cheapest first."""
    return pareto_frontier(with_cost(panel), "value")


def cost_column(panels: Sequence[Panel]) -> str:
    """What several models are compared by: `usd` where each has a price, else `cost`, their tokens."""
    return "cost" if any(np.isnan(panel.price) for panel in panels) else "usd"


def frontiers(panels: Sequence[Panel]) -> pd.DataFrame:
    """The frontier of each of several models on the same questions, with column `model`."""
    return pd.concat(frontier(panel).assign(model=panel.model) for panel in panels)


def joint_frontier(panels: Sequence[Panel]) -> pd.DataFrame:
    """The choices among several models that none as cheap equals, with column `model`."""
    return pareto_frontier(frontiers(panels), "value", cost_column(panels))


def cost_figure(panel: Panel) -> Figure:
    """The panel's accuracy against tokens per question, a line for each setting, and the frontier."""
    rows, settings = with_cost(panel), spread_out(panel.settings, MOST_SETTINGS)
    lines = rows[rows["setting"].isin(settings)]
    words = f"Accuracy of the {METHOD_NAMES[panel.method]} against tokens per question."
    some = some_of(len(settings), len(panel.settings), "settings")
    marks = "; ".join(["Rings and grey band: no cheaper choice is as accurate", *some]) + "."
    colours = setting_colour(settings, panel.source)
    name = f"{panel.slug}-cost"
    layers = _layers(name, panel, "setting", colours, lines, frontier(panel), "cost")
    return Figure(name, panel.name, (words, marks), layers)


def joint_figure(panels: Sequence[Panel], name: str) -> Figure:
    """The frontier of each model, a colour each, and the joint one behind them."""
    first, models = panels[0], [panel.model for panel in panels]
    words = f"{METHOD_NAMES[first.method].capitalize()} of each model at its best setting and N."
    marks = "Rings and grey band: no cheaper choice of any model is as accurate."
    colours = colour("model:N", models, "model")
    rows, best, by = frontiers(panels), joint_frontier(panels), cost_column(panels)
    layers = _layers(name, first, "model", colours, rows, best, by)
    return Figure(name, f"{len(models)} models on {first.dataset}", (words, marks), layers)


def _layers(
    name: str, panel: Panel, field: str, colours: alt.Color, rows: pd.DataFrame, best: pd.DataFrame, by: str
) -> tuple[alt.Chart, ...]:
    """Lines of `rows` against the column `by`, coloured by `field`, with the frontier `best` marked."""
    every = pd.concat([rows, best])
    x = log_axis(by, every[by], PRICED if by == "usd" else "tokens per question, N × T")
    y = value_axis("value", panel.metric, value_range(every["value"], panel.metric))
    model = ["model"] if field == "model" else []
    said = tooltips([*model, "setting", "N", "length", by, "value"], panel.source, panel.metric)
    series = Series(name, field, x, y, colours)
    series.add(best, "line", "frontier", None)
    series.add(rows, "line", "curve", (0.85, 0.1))
    series.add(rows, "circle", "point", clip=False, tooltip=said)
    series.add(best, "point", "ring", None, clip=False, tooltip=said)
    return series.layers
