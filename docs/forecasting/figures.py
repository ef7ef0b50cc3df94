"""The pictures of docs/forecasting/evidence.md: error by set and predictor, and forecasts beside the truth.

set                     method    predictor  forecasts  mean_error  bias    coverage
bigGSM t 0.8, 4 → 8, 16 majority  mixture    48         0.0091      0.0071  1.00
"""

import altair as alt
import pandas as pd

from results.figures.axes import (
    count_colour,
    legend,
    log_axis,
    n_axis,
    setting_colour,
    value_axis,
)
from results.figures.panels import value_range
from results.figures.theme import INK, Figure
from results.figures.words import LENGTH_TITLES

COLOURS = {
    "mixture": "#b93289",
    "low-cost-to-high": "#3b528b",
    "joint": "#21918c",
    "power-law": "#f48849",
    "exponential": "#9c755f",
    "flat": "#9aa3b2",
    "beta-binomial": "#5ec962",
    "plug-in": "#6d7f99",
    "beta + Pitman–Yor": "#5ec962",
    "NPMLE": "#2a9df4",
    "zero-inflated beta": "#b5de2b",
    "scaled beta": "#8c6d31",
}
SIMPLE = ("flat", "exponential", "power-law")
"""The simple rivals."""

_WIDEST = 8.0
"""A larger ratio to the best simple rival is drawn at the edge."""


def relative_error(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of a summary by set with `ratio`: the error over that of the set's best simple rival."""
    simple = table[table["predictor"].isin(SIMPLE)].groupby("set")["mean_error"].min()
    return table.assign(ratio=table["mean_error"] / table["set"].map(simple)).dropna(subset=["ratio"])


def errors_figure(table: pd.DataFrame, name: str, title: str) -> Figure:
    """Mean error relative to the best simple rival, one line a set, one mark a predictor."""
    rows = relative_error(table[table["predictor"].isin(COLOURS)])
    sets = list(dict.fromkeys(rows["set"]))
    rows = rows.assign(shown=rows["ratio"].clip(1 / _WIDEST, _WIDEST))
    scale = alt.Scale(type="log", base=2, domain=[1 / _WIDEST, _WIDEST], nice=False)
    axis = alt.Axis(values=[0.125, 0.25, 0.5, 1, 2, 4, 8], format="~r", grid=True)
    x = alt.X("shown:Q", scale=scale, axis=axis, title="mean error / that of the best simple rival")
    y = alt.Y("set:N", sort=sets, title=None, axis=alt.Axis(labelLimit=230, domain=False, grid=True))
    one = pd.DataFrame({"shown": [1.0]})
    base = alt.Chart(rows).encode(x, y, _colour(rows))
    ours = alt.datum.predictor == "mixture"
    layers = (
        alt.Chart(one).mark_rule(color=INK, strokeWidth=1.2).encode(alt.X("shown:Q")),
        base.transform_filter(~ours).mark_point(filled=True, size=46, opacity=0.85),
        base.transform_filter(ours).mark_point(filled=True, size=150, opacity=1, stroke="white"),
    )
    return Figure(
        name,
        title,
        (
            "Left of the line: better than flat, exponential and power law,",
            f"whichever was best on that set. Edge: {_WIDEST:.0f} times or more.",
        ),
        layers,
    )


def truth_figure(
    exact: pd.DataFrame, forecasts: pd.DataFrame, axis: str, name: str, title: str, subtitle: tuple[str, ...]
) -> Figure:
    """Exact curves as lines and forecasts with their 90 % intervals, against `axis`: "N" or "T".

    Arguments: `exact` has setting, T, N, accuracy; `forecasts` also predicted, low, high and `known`
    (whether the fit saw it). Colour tells settings apart over N, and numbers of answers over T.
    """
    series = "setting" if axis == "N" else "N"
    if axis == "N":
        colour: alt.Color = setting_colour(list(dict.fromkeys(exact.sort_values("T")["setting"].astype(str))))
        x = n_axis(sorted(int(n) for n in exact["N"].unique()))
    else:
        colour = count_colour(sorted(int(n) for n in exact["N"].unique()))
        x = log_axis("T", list(exact["T"]), LENGTH_TITLES["synthetic"])
    told = forecasts.assign(low=forecasts["low"].clip(0, 1), high=forecasts["high"].clip(0, 1))
    values = pd.concat([exact["accuracy"], told["low"], told["high"], told["predicted"]]).dropna()
    reach = value_range(values, "accuracy")
    point = alt.Shape(
        "known:N", scale=alt.Scale(domain=[True, False], range=["circle", "diamond"]), legend=None
    )
    layers = (
        alt.Chart(exact)
        .mark_line(strokeWidth=1.6, opacity=0.75)
        .encode(x, value_axis("accuracy", "accuracy", reach), colour, detail=f"{series}:N"),
        alt.Chart(told[~told["known"]])
        .mark_rule(strokeWidth=6, opacity=0.28)
        .encode(x, value_axis("low", "accuracy", reach), alt.Y2("high:Q"), colour),
        alt.Chart(told)
        .mark_point(filled=True, size=60, opacity=1, stroke="white", strokeWidth=0.5)
        .encode(x, value_axis("predicted", "accuracy", reach), colour, point),
    )
    return Figure(name, title, subtitle, layers)


def _colour(rows: pd.DataFrame) -> alt.Color:
    present = [predictor for predictor in COLOURS if predictor in set(rows["predictor"])]
    scale = alt.Scale(domain=present, range=[COLOURS[predictor] for predictor in present])
    return alt.Color("predictor:N", scale=scale, sort=present, legend=legend(None, present))
