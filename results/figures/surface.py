"""Accuracy by hard cap on the length of an answer and number of answers, and the cells that are worth buying.

cap=4000  N=1  0.41   N=4  0.47       outlined: no cell that costs as little is as accurate
cap=8000  N=1  0.58   N=4  0.66
"""

import altair as alt

from results.figures.axes import tooltips
from results.figures.cost import frontier, with_cost
from results.figures.panels import Panel, counts_to_show
from results.figures.theme import Figure
from results.figures.words import METHOD_NAMES

LEAST = 3
"""Caps, and N, below which there is no surface to draw."""

_MOST = 9
"""N that are drawn at most."""


def has_surface(panel: Panel) -> bool:
    """Whether the settings of the panel are hard caps, at least LEAST of them at as many N."""
    capped = all("cap=" in setting for setting in panel.settings)
    return capped and panel.has_lengths and min(len(panel.settings), len(panel.ns)) >= LEAST


def surface_figure(panel: Panel) -> Figure:
    """The panel's accuracy as a grid of caps and N, with the cost frontier outlined."""
    shown = counts_to_show(panel.ns, _MOST)
    rows, best = (table[table["N"].isin(shown)] for table in (with_cost(panel), frontier(panel)))
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
    return Figure(
        f"{panel.slug}-surface",
        panel.name,
        (
            f"Accuracy of the {METHOD_NAMES[panel.method]} by cap and number of answers.",
            "Outlined: no cheaper choice is as accurate.",
        ),
        layers,
    )
