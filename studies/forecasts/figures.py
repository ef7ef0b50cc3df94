"""The figure of studies/forecasts/README.md: error by set and predictor.

set                     method    predictor  forecasts  mean_error  bias    coverage
bigGSM t 0.8, 4 → 8, 16 majority  mixture    48         0.0091      0.0071  1.00
"""

import altair as alt
import pandas as pd

from results.figures.axes import legend
from results.figures.theme import INK, Figure

COLOURS = {
    "mixture": "#b93289",
    "low-cost-to-high": "#3b528b",
    "question-law": "#0b6e4f",
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
    """The rows of a summary with `ratio`: the error relative to that of the set's best simple rival."""
    simple = table[table["predictor"].isin(SIMPLE)].groupby("set")["mean_error"].min()
    return table.assign(ratio=table["mean_error"] / table["set"].map(simple)).dropna(subset=["ratio"])


def errors_figure(table: pd.DataFrame, name: str, title: str) -> Figure:
    """Mean error relative to the best simple rival, with a line per set and a mark per predictor."""
    rows = relative_error(table[table["predictor"].isin(COLOURS)])
    sets = list(dict.fromkeys(rows["set"]))
    rows = rows.assign(shown=rows["ratio"].clip(1 / _WIDEST, _WIDEST))
    scale = alt.Scale(type="log", base=2, domain=[1 / _WIDEST, _WIDEST], nice=False)
    axis = alt.Axis(values=[0.125, 0.25, 0.5, 1, 2, 4, 8], format="~r", grid=True)
    x = alt.X("shown:Q", scale=scale, axis=axis, title="mean error / that of the best simple rival")
    names = alt.Axis(labelLimit=230, labelFontSize=8, domain=False, grid=True)
    y = alt.Y("set:N", sort=sets, title=None, axis=names)
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


def _colour(rows: pd.DataFrame) -> alt.Color:
    present = [predictor for predictor in COLOURS if predictor in set(rows["predictor"])]
    scale = alt.Scale(domain=present, range=[COLOURS[predictor] for predictor in present])
    return alt.Color("predictor:N", scale=scale, sort=present, legend=legend(None, present))
