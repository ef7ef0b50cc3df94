"""How much better one run is than another, paired by question: at each number of answers.

method     N   difference  low    high       line and band: difference and its interval, in points
majority   16  0.071       0.020  0.122      band above 0: b is clearly better
"""

import altair as alt
import pandas as pd

from results.figures.axes import colour, n_axis, tooltips
from results.figures.series import Series
from results.figures.theme import Figure
from results.words.compared import level_of
from results.words.names import METHOD_NAMES


def comparison_figure(rows: pd.DataFrame, name: str, title: str) -> Figure:
    """Differences of one pair of runs (rows of a comparison table) at equal N, a colour for each method."""
    level = level_of(rows)
    titles = {
        "difference": "difference, points",
        "low": f"{level} interval from",
        "high": f"{level} interval to",
    }
    rows = rows.assign(method=rows["method"].map(METHOD_NAMES), **{end: 100 * rows[end] for end in titles})
    y = alt.Y("difference:Q", title="difference, points", axis=alt.Axis(tickCount=6))
    methods = list(rows["method"].unique())
    x = n_axis(sorted(rows["N"].unique()))
    series = Series(name, "method", x, y, colour("method:N", methods, None))
    series.add(pd.DataFrame({"difference": [0.0]}), "rule", "zero", None, x=alt.Undefined)
    series.band(rows, 0.13)
    series.add(rows, "line", "curve")
    ends = [alt.Tooltip(f"{end}:Q", title=words, format="+.1f") for end, words in titles.items()]
    pointed = [*tooltips(["method", "N"]), *ends, *tooltips(["questions"])]
    series.add(rows, "circle", "point", clip=False, tooltip=pointed)
    return series.figure(
        title,
        "Difference in accuracy at equal N, paired by question.",
        f"Above 0, {rows['b'].iloc[0]} is better. Bands: {level} intervals that hold together.",
    )
