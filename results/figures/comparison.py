"""How much better one run is than another, paired by question: at each number of answers, and at each cost.

method     N   difference  low    high       line and band: difference and its interval, in points
majority   16  0.071       0.020  0.122      band above 0: b is clearly better
"""

import altair as alt
import pandas as pd

from results.figures.axes import colour, log_axis, n_axis, tooltips
from results.figures.series import Series
from results.figures.theme import Figure
from results.words.compared import at_cost, level_of
from results.words.names import METHOD_NAMES, PRICED


def comparison_figure(rows: pd.DataFrame, name: str, title: str) -> Figure:
    """Differences of one pair of runs (rows of a comparison table) at equal N, a colour for each method."""
    return _figure(rows, n_axis(sorted(rows["N"].unique())), name, title, "At equal N")


def at_cost_figure(rows: pd.DataFrame, name: str, title: str) -> Figure | None:
    """The same at equal cost; None where fewer than two costs could be compared."""
    rows = at_cost(rows).dropna(subset=["cost"])
    rows = rows.drop(columns=[name for name in rows if str(name).endswith("_at_cost")])
    if rows["cost"].nunique() < 2:
        return None
    unit = rows["cost_unit"].iloc[0] if "cost_unit" in rows else "cost"
    if unit == "US$":
        rows = rows.assign(usd=1000 * rows["cost"])
        x = log_axis("usd", rows["usd"], PRICED)
    else:
        x = log_axis("cost", rows["cost"], f"{unit} per question")
    return _figure(rows, x, name, title, f"At equal {unit}")


def _figure(rows: pd.DataFrame, x: alt.X, name: str, title: str, basis: str) -> Figure:
    level = level_of(rows)
    titles = {
        "difference": "difference, points",
        "low": f"{level} interval from",
        "high": f"{level} interval to",
    }
    rows = rows.assign(method=rows["method"].map(METHOD_NAMES), **{end: 100 * rows[end] for end in titles})
    y = alt.Y("difference:Q", title="difference, points", axis=alt.Axis(tickCount=6))
    methods = list(rows["method"].unique())
    series = Series(name, "method", x, y, colour("method:N", methods, None))
    series.add(pd.DataFrame({"difference": [0.0]}), "rule", "zero", None, x=alt.Undefined)
    series.band(rows, 0.13)
    series.add(rows, "line", "curve")
    ends = [alt.Tooltip(f"{end}:Q", title=words, format="+.1f") for end, words in titles.items()]
    pointed = [*tooltips(["method", "N"]), *ends, *tooltips(["questions"])]
    series.add(rows, "circle", "point", clip=False, tooltip=pointed)
    return series.figure(
        title,
        f"Difference in accuracy {basis[0].lower()}{basis[1:]}, paired by question.",
        f"{basis}: above 0, {rows['b'].iloc[0]} is better. Bands: {level} intervals that hold together.",
    )
