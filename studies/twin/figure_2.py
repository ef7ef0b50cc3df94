"""The panels of the paper's Figure 2 by their letters, with the theory's law for each.

    figure_2(panels)  ->  [("2a: average, constant noise", <Figure>), …, ("2h: five examples", <Figure>)]

The paper's source has no figures: the axes of the panels are our choice.

A risk has a colour for each line of the experiment. The average of N independent paths has the risk bias² +
variance/N: its lines are that law through the first and the last N, its points the exact values. Accuracies
are the figures of the twin's panels, with the trend α − β e^(−νN) and the limit of greedy decoding.
"""

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from results.figures.along_n import answers_figure
from results.figures.axes import axis_range, colour, log_axis, n_axis, tooltips
from results.figures.length import length_figure
from results.figures.series import Series
from results.figures.theme import Figure
from results.summary.panels import Panel
from results.words.names import LENGTH_TITLES, METHOD_NAMES, METRIC_TITLES, line_name, sentence

FIGURE_2 = {
    "fig2a": "average, constant noise",
    "fig2b": "average, linear noise",
    "fig2c": "best of N, constant noise",
    "fig2d": "best of N, linear noise",
    "fig2e": "many examples",
    "fig2f": "one example, d = 10",
    "fig2g": "one example, d = 2",
    "fig2h": "five examples",
}
"""The panels of Figure 2 by their experiments, which are the datasets of the twin's curves."""

_OVER_LENGTH = ("fig2e", "fig2f")  # against t: the text's claims on them are for any t, and for large t


def figure_2(panels: Sequence[Panel]) -> list[tuple[str, Figure]]:
    """The panels of Figure 2 for which there are curves, in its order, with their headings."""
    found = []
    for dataset, words in FIGURE_2.items():
        for pair in pictures([p for p in panels if (p.key.source, p.key.dataset) == ("synthetic", dataset)]):
            figure = pair[dataset in _OVER_LENGTH]
            found.append((f"{figure.title.removeprefix('fig')}: {words}", figure))
    return found


def pictures(panels: Sequence[Panel]) -> list[tuple[Figure, Figure]]:
    """One experiment against N and against t: a pair for all its risks, and one for each voted accuracy."""
    risks = [panel for panel in panels if panel.metric == "risk"]
    voted = [(panel, axis_range(panel)) for panel in panels if panel.key.method == "majority"]
    return [
        *([(risk_figure(risks, "N"), risk_figure(risks, "length"))] if risks else []),
        *((answers_figure(*one), length_figure(*one)) for one in voted),
    ]


def risk_figure(panels: Sequence[Panel], along: str) -> Figure:
    """The risks of an experiment along "N", at the most steps, or along "length", at the most answers."""
    several = len({panel.key.method for panel in panels}) > 1
    parts = [_parts(panel, along, several) for panel in panels]
    rows, law, descent = (pd.concat(part[i] for part in parts) for i in range(3))
    first, name = panels[0], f"paper-{panels[0].key.dataset}-{along.lower()}"
    by_n = along == "N"
    x = n_axis(first.ns) if by_n else log_axis("length", rows["length"], LENGTH_TITLES["synthetic"])
    scale, axis = alt.Scale(type="log", nice=False), alt.Axis(tickCount=5)
    y = alt.Y("value:Q", scale=scale, axis=axis, title=METRIC_TITLES["risk"])
    lines = list(rows["line"].unique())
    series = Series(name, "line", x, y, colour("line:N", lines, None))
    series.intervals(rows, lines)
    if by_n:
        series.add(descent, "rule", "descent", (0.8, 0.05), x=alt.Undefined)
    else:
        series.add(descent, "line", "descent", (0.8, 0.05))
    series.add(law, "line", "curve")
    said = tooltips(["line", "N", "length", "value", "low", "high"], "synthetic", "risk")
    series.add(rows, "circle", "point", clip=False, tooltip=said)
    averaged = by_n and any(panel.key.method == "ensemble" for panel in panels)
    words = "Points: exact; bands: 90 % intervals; dashed: plain gradient descent"
    words += "; lines of averages: bias² + variance/N." if averaged else "."
    most = f"{rows['length'].max():,.0f} steps" if by_n else f"N = {rows['N'].max()}"
    return series.figure(f"{first.key.dataset}, {most}", f"{sentence(METRIC_TITLES['risk'])}.", words)


def _parts(panel: Panel, along: str, several: bool) -> tuple[pd.DataFrame, ...]:
    """The exact rows along one axis, the law or the line that joins them, and gradient descent."""
    line = ", ".join(
        filter(None, [line_name(panel.key.model), METHOD_NAMES[panel.key.method] if several else ""])
    )
    other, descent = "length" if along == "N" else "N", panel.greedy
    rows = panel.exact[panel.exact[other] == panel.exact[other].max()].sort_values(along)
    law = average_law(rows) if (along, panel.key.method) == ("N", "ensemble") and len(rows) > 1 else rows
    if along == "N":
        descent = descent[descent["length"] == descent["length"].max()]
    return tuple(part.assign(line=line) for part in (rows, law, descent))


def average_law(rows: pd.DataFrame) -> pd.DataFrame:
    """bias² + variance/N on a grid of N, through the first and the last of `rows` (columns N and value)."""
    one, last = rows.iloc[0], rows.iloc[-1]
    variance = (one["value"] - last["value"]) / (1 / one["N"] - 1 / last["N"])
    N = np.geomspace(one["N"], last["N"], 60)
    return pd.DataFrame({"N": N, "value": one["value"] + variance * (1 / N - 1 / one["N"])})
