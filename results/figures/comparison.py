"""How much better one run is than another, at each number of answers and by method, paired by question.

method     N   difference  low    high       line and band: difference and its 90 % interval, in points
majority   16  0.071       0.020  0.122      band above 0: clearly better
"""

import altair as alt
import pandas as pd

from results.figures.axes import colour, n_axis, tooltips
from results.figures.series import Series
from results.figures.theme import Figure
from results.figures.words import METHOD_NAMES


def comparison_figure(rows: pd.DataFrame, name: str, title: str) -> Figure:
    """Differences of one pair of runs (rows of a comparison table) against N, a colour for each method."""
    ends = ["difference", "low", "high"]
    rows = rows.assign(method=rows["method"].map(METHOD_NAMES), **{end: 100 * rows[end] for end in ends})
    y = alt.Y("difference:Q", title="difference, points", axis=alt.Axis(tickCount=6))
    methods = list(rows["method"].unique())
    series = Series(name, "method", n_axis(sorted(rows["N"].unique())), y, colour("method:N", methods, None))
    series.add(pd.DataFrame({"difference": [0.0]}), "rule", "zero", None, x=alt.Undefined)
    series.add(rows, "area", "band", (0.13, 0.0), y="low:Q", y2="high:Q")
    series.add(rows, "line", "curve")
    told = zip(ends, ["difference, points", "90 % interval from", "90 % interval to"], strict=True)
    said = [alt.Tooltip(f"{end}:Q", title=title, format="+.1f") for end, title in told]
    said = [*tooltips(["method", "N"]), *said, *tooltips(["questions"])]
    series.add(rows, "circle", "point", clip=False, tooltip=said)
    about = "Difference in accuracy at equal N, paired by question."
    return series.figure(title, about, "Band: 90 % interval.")
