"""Accuracy against what it costs, and the settings and N that nothing cheaper equals (the Pareto frontier).

cost = N × tokens per answer     1,400 tokens: asked for 100 tokens, N = 16: 0.78 is on the frontier

Panels given together are those of several models on the same questions.
"""

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from results.figures.axes import MOST_SETTINGS, colour, log_axis, setting_colour, tooltips, value_axis
from results.figures.panels import Panel, counts_to_show, spread_out, value_range
from results.figures.series import Series
from results.figures.theme import Figure
from results.figures.words import METHOD_NAMES, PRICED, models_name, sentence, some_of
from results.frontier import pareto_frontier


def with_cost(panels: Sequence[Panel]) -> pd.DataFrame:
    """The exact rows, cheapest first, with their `model` and the tokens that N answers to a question `cost`.

    `usd` is the price of 1,000 questions in US dollars, NaN where the model has no price.
    """
    rows = pd.concat(panel.exact.assign(model=panel.model, price=panel.price) for panel in panels)
    rows = rows.dropna(subset=["length"]).assign(cost=lambda frame: frame["N"] * frame["length"])
    return rows.assign(usd=usd(rows["cost"], rows["price"])).sort_values(["cost", "value"], ignore_index=True)


def usd(tokens: "pd.Series[float]", price: "pd.Series[float] | float") -> "pd.Series[float]":
    """US dollars for 1,000 questions of so many `tokens` each, at a `price` for a million."""
    return tokens.astype("float64") * price / 1_000  # a NaN in a column of nullable numbers is no null


def cost_column(panels: Sequence[Panel]) -> str:
    """What choices are compared by: `usd` where each model has a price, else `cost`, their tokens."""
    return "cost" if any(np.isnan(panel.price) for panel in panels) else "usd"


def frontier(panels: Sequence[Panel]) -> pd.DataFrame:
    """The choices that nothing as cheap equals, cheapest first."""
    return pareto_frontier(with_cost(panels), "value", cost_column(panels))


def cost_figure(panels: Sequence[Panel], name: str) -> Figure:
    """Accuracy against cost with the frontier marked.

    One model has a line for each setting, several have one line each, their own frontier.
    """
    first, several = panels[0], len(panels) > 1
    best, by = frontier(panels), cost_column(panels)
    if several:
        field, colours = "model", colour("model:N", [panel.model for panel in panels], "model")
        rows = pd.concat(frontier([panel]) for panel in panels)
        title = models_name(first.source, first.dataset, [panel.model for panel in panels])
        about = f"{sentence(METHOD_NAMES[first.method])} of each model at its best setting and N."
        marks = ["Rings and grey band: no cheaper choice of any model is as accurate"]
    else:
        settings, rows, title = spread_out(first.settings, MOST_SETTINGS), with_cost(panels), first.name
        field, colours = "setting", setting_colour(settings, first.source)
        rows = rows[rows["setting"].isin(settings)]
        about = f"Accuracy of the {METHOD_NAMES[first.method]} against its cost per question."
        marks = ["Rings and grey band: no cheaper choice is as accurate"]
        marks += some_of(len(settings), len(first.settings), "settings")
    every = pd.concat([rows, best])
    x = log_axis(by, every[by], PRICED if by == "usd" else "tokens per question, N × T")
    y = value_axis("value", first.metric, value_range(every["value"], first.metric))
    said = tooltips(["model"] * several + ["setting", "N", "length", by, "value"], first.source, first.metric)
    series = Series(name, field, x, y, colours)
    series.add(best, "line", "frontier", None)
    series.add(rows, "line", "curve", (0.85, 0.1))
    series.add(rows, "circle", "point", clip=False, tooltip=said)
    series.add(best, "point", "ring", None, clip=False, tooltip=said)
    return series.figure(title, about, "; ".join(marks) + ".")


def surface_figure(panel: Panel) -> Figure | None:
    """The panel's accuracy as a grid of caps and N, with the cost frontier outlined.

    None where the settings are not hard caps, or fewer than three of them or of N.
    """
    capped = panel.has_lengths and all("cap=" in setting for setting in panel.settings)
    if not capped or min(len(panel.settings), len(panel.ns)) < 3:
        return None
    shown = counts_to_show(panel.ns, 9)
    rows, best = (table[table["N"].isin(shown)] for table in (with_cost([panel]), frontier([panel])))
    x = alt.X("N:O", title="answers per question, N", axis=alt.Axis(labelAngle=0))
    y = alt.Y("setting:N", title="cap on tokens per answer", sort=panel.settings[::-1])
    colour = alt.Color("value:Q", legend=alt.Legend(title="accuracy", format=".0%"))
    said = tooltips(["setting", "N", "length", "cost", "value", "low", "high"], panel.source)
    cells = alt.Chart(rows).encode(x, y)
    layers = (
        cells.mark_rect().encode(colour, tooltip=said),
        cells.mark_text(style="cell").encode(alt.Text("value:Q", format=".0%")),
        alt.Chart(best).mark_rect(style="outline").encode(x, y, tooltip=said),
    )
    about = f"Accuracy of the {METHOD_NAMES[panel.method]} by cap and number of answers."
    subtitle = (about, "Outlined: no cheaper choice is as accurate.")
    return Figure(f"{panel.slug}-surface", panel.name, subtitle, layers)
