"""Accuracy against what it costs, and the settings and N that nothing cheaper beats (the Pareto frontier).

cost = N × tokens per answer     1,400 tokens: budget 100, N = 16: 0.78 is on the frontier
"""

from typing import Any

import altair as alt
import pandas as pd

from results.figures.axes import MOST_SETTINGS, faded, log_axis, picker, setting_colour, show, value_axis
from results.figures.panels import METHOD_NAMES, Panel, spread_out, value_range
from results.figures.theme import INK, Figure
from results.frontier import pareto_frontier


def with_cost(panel: Panel) -> pd.DataFrame:
    """The panel's exact rows with `cost`, tokens spent on one question, cheapest first."""
    rows = panel.exact.dropna(subset=["length"])
    return rows.assign(cost=rows["N"] * rows["length"]).sort_values(["cost", "value"], ignore_index=True)


def cost_figure(panel: Panel) -> Figure:
    """The panel's accuracy against tokens per question, a line for each setting, and the frontier."""
    rows = with_cost(panel)
    best = pareto_frontier(rows, "value")
    settings = spread_out(panel.settings, MOST_SETTINGS)
    pick = picker(f"{panel.slug}_cost", "setting")
    colour = setting_colour(settings)
    low, high = float(rows["cost"].min()), float(rows["cost"].max())
    x = log_axis("cost", low, high, "tokens per question, N × T")
    y = value_axis("value", panel.metric, value_range(rows["value"], panel.metric))
    lines = alt.Chart(rows[rows["setting"].isin(settings)]).encode(x, y, colour)
    said = [
        alt.Tooltip("setting:N"),
        alt.Tooltip("N:Q", title="answers N"),
        alt.Tooltip("cost:Q", title="tokens per question", format=",.0f"),
        alt.Tooltip("value:Q", title="accuracy", format=".1%"),
    ]
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
    cheap, dear = best.iloc[0], best.iloc[-1]
    return Figure(
        name=f"{panel.slug}-cost",
        title=panel.name,
        subtitle=(
            f"Accuracy of the {METHOD_NAMES[panel.method]} against tokens per question.",
            "Ringed, over the grey band: no cheaper choice was as accurate.",
        ),
        words=(
            f"Line chart for {panel.name}: accuracy against tokens per question. The frontier goes from "
            f"{show(cheap['value'], 'accuracy')} for {cheap['cost']:,.0f} tokens ({_choice(cheap)}) to "
            f"{show(dear['value'], 'accuracy')} for {dear['cost']:,.0f} tokens ({_choice(dear)})."
        ),
        layers=layers,
    )


def _choice(row: "pd.Series[Any]") -> str:
    return f"setting {row['setting']}, N = {row['N']:.0f}"
