"""How much better one run is than another, paired by question: at each number of answers, and at each cost.

method     N   difference  low    high       line and band: difference and its interval, in points
majority   16  0.071       0.020  0.122      band above 0: b is clearly better
"""

import altair as alt
import pandas as pd

from results.figures.axes import colour, log_axis, n_axis, tooltips
from results.figures.series import Series
from results.figures.theme import Figure
from results.words.names import METHOD_NAMES, PRICED

_ENDS = ["difference", "low", "high"]


def comparison_figure(rows: pd.DataFrame, name: str, title: str, level: str) -> Figure:
    """Differences of one pair of runs (rows of a comparison table) at equal N, a colour for each method."""
    x = n_axis(sorted(rows["N"].unique()))
    return _figure(rows, x, name, title, "At equal N", level)


def at_cost_figure(rows: pd.DataFrame, name: str, title: str, level: str) -> Figure | None:
    """The same at equal cost; None where fewer than two costs could be compared."""
    at_cost = rows.drop(columns=_ENDS).rename(columns={f"{end}_at_cost": end for end in _ENDS})
    at_cost = at_cost.dropna(subset=["difference", "cost"])
    if at_cost["cost"].nunique() < 2:
        return None
    unit = rows["cost_unit"].iloc[0] if "cost_unit" in rows else "cost"
    if unit == "US$":
        at_cost = at_cost.assign(usd=1000 * at_cost["cost"])
        x = log_axis("usd", at_cost["usd"], PRICED)
    else:
        x = log_axis("cost", at_cost["cost"], f"{unit} per question")
    return _figure(at_cost, x, name, title, f"At equal {unit}", level)


def _figure(rows: pd.DataFrame, x: alt.X, name: str, title: str, basis: str, level: str) -> Figure:
    rows = rows.assign(method=rows["method"].map(METHOD_NAMES), **{end: 100 * rows[end] for end in _ENDS})
    y = alt.Y("difference:Q", title="difference, points", axis=alt.Axis(tickCount=6))
    methods = list(rows["method"].unique())
    series = Series(name, "method", x, y, colour("method:N", methods, None))
    series.add(pd.DataFrame({"difference": [0.0]}), "rule", "zero", None, x=alt.Undefined)
    series.band(rows, 0.13)
    series.add(rows, "line", "curve")
    told = zip(_ENDS, ["difference, points", f"{level} interval from", f"{level} interval to"], strict=True)
    said = [alt.Tooltip(f"{end}:Q", title=words, format="+.1f") for end, words in told]
    series.add(
        rows,
        "circle",
        "point",
        clip=False,
        tooltip=[*tooltips(["method", "N"]), *said, *tooltips(["questions"])],
    )
    return series.figure(
        title,
        f"Difference in accuracy {basis[0].lower()}{basis[1:]}, paired by question.",
        f"{basis}: above 0, {rows['b'].iloc[0]} is better. Bands: {level} intervals that hold together.",
    )
