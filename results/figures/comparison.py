"""How much better one run is than another, at each number of answers and by method, paired by question.

method     N   difference  low    high       line and band: difference and its 90 % interval, in points
majority   16  0.071       0.020  0.122      band above 0: clearly better
"""

import altair as alt
import pandas as pd

from results.figures.axes import colour, n_axis
from results.figures.series import Series
from results.figures.theme import Figure
from results.figures.words import METHOD_NAMES


def comparison_figure(rows: pd.DataFrame, name: str, title: str) -> Figure:
    """Differences of one pair of runs (rows of a comparison table) against N, a colour for each method."""
    rows = rows.assign(
        method=rows["method"].map(METHOD_NAMES),
        **{end: 100 * rows[end] for end in ("difference", "low", "high")},
    )
    y = alt.Y("difference:Q", title="difference, points", axis=alt.Axis(tickCount=6))
    methods = list(rows["method"].unique())
    series = Series(name, "method", n_axis(sorted(rows["N"].unique())), y, colour("method:N", methods, None))
    said = [
        alt.Tooltip("method:N"),
        alt.Tooltip("N:Q", title="answers N"),
        alt.Tooltip("difference:Q", format="+.1f"),
        alt.Tooltip("low:Q", format="+.1f", title="90 % interval from"),
        alt.Tooltip("high:Q", format="+.1f", title="90 % interval to"),
        alt.Tooltip("questions:Q"),
    ]
    series.add(pd.DataFrame({"difference": [0.0]}), "rule", "zero", None, x=alt.Undefined)
    series.add(rows, "area", "band", (0.13, 0.0), y="low:Q", y2="high:Q")
    series.add(rows, "line", "curve")
    series.add(rows, "circle", "point", clip=False, tooltip=said)
    subtitle = ("Difference in accuracy at equal N, paired by question.", "Band: 90 % interval.")
    return Figure(name, title, subtitle, series.layers)
