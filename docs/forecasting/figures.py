"""Pictures of how good forecasts are: error by set and predictor, coverage, calibration, and truth in view.

    set                     method    predictor  forecasts  mean_error  bias    coverage
    bigGSM t 0.8, 4 → 8, 16 majority  mixture    48         0.0091      0.0071  1.00

Predictors keep one colour in all of them; ours stands out.
"""

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd
from scipy.special import ndtri

from results.figures.axes import (
    count_colour,
    legend,
    log_axis,
    n_axis,
    setting_colour,
    value_axis,
)
from results.figures.panels import value_range
from results.figures.theme import AXIS, INK, Figure
from results.figures.words import LENGTH_TITLES
from results.normal import Z90

COLOURS = {
    "mixture": "#b93289",
    "low-cost-to-high": "#3b528b",
    "joint": "#21918c",
    "power-law": "#f48849",
    "exponential": "#9c755f",
    "flat": "#9aa3b2",
    "beta-binomial": "#5ec962",
    "plug-in": "#6d7f99",
}
SIMPLE = ("flat", "exponential", "power-law")
"""The rivals that any forecast should beat."""

GOOD_COVERAGE = (0.85, 0.97)
"""Where the coverage of honest 90 % intervals should lie."""

_WIDEST = 8.0
"""Errors of more than so many times the best simple rival's are drawn at the edge."""


def relative_error(table: pd.DataFrame) -> pd.DataFrame:
    """`ratio` to the best simple rival of the same set, chosen afterwards; the rows of a summary by set."""
    simple = table[table["predictor"].isin(SIMPLE)].groupby("set")["mean_error"].min()
    return table.assign(ratio=table["mean_error"] / table["set"].map(simple)).dropna(subset=["ratio"])


def errors_figure(table: pd.DataFrame, name: str, title: str) -> Figure:
    """Mean error relative to the best simple rival, one line a set, one mark a predictor."""
    rows = relative_error(table)
    sets = list(dict.fromkeys(rows["set"]))
    rows = rows.assign(shown=rows["ratio"].clip(1 / _WIDEST, _WIDEST))
    scale = alt.Scale(type="log", base=2, domain=[1 / _WIDEST, _WIDEST], nice=False)
    axis = alt.Axis(values=[0.125, 0.25, 0.5, 1, 2, 4, 8], format="~r", grid=True)
    x = alt.X("shown:Q", scale=scale, axis=axis, title="mean error / that of the best simple rival")
    y = alt.Y("set:N", sort=sets, title=None, axis=alt.Axis(labelLimit=230, domain=False, grid=True))
    one = pd.DataFrame({"shown": [1.0]})
    base = alt.Chart(rows).encode(x, y, _colour(rows), tooltip=_said())
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


def coverage_figure(table: pd.DataFrame, name: str, title: str) -> Figure:
    """Share of the 90 % intervals that held the truth: one mark a set, a row a predictor."""
    rows = table.dropna(subset=["coverage"])
    band = pd.DataFrame({"coverage": [GOOD_COVERAGE[0]], "end": [GOOD_COVERAGE[1]]})
    line = pd.DataFrame({"coverage": [0.9]})
    order = [p for p in COLOURS if p in set(rows["predictor"])]
    scale = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X(
        "coverage:Q", scale=scale, axis=alt.Axis(format=".0%"), title="90 % intervals that hold the truth"
    )
    y = alt.Y("predictor:N", sort=order, title=None, axis=alt.Axis(grid=True, domain=False))
    size = alt.Size("forecasts:Q", scale=alt.Scale(range=[20, 260]), legend=None)
    layers = (
        alt.Chart(band).mark_rect(color=AXIS, opacity=0.35).encode(x, alt.X2("end:Q")),
        alt.Chart(line).mark_rule(color=INK, strokeWidth=1).encode(x),
        alt.Chart(rows)
        .mark_point(filled=True, opacity=0.6, stroke="white", strokeWidth=0.6)
        .encode(x, y, _colour(rows, False), size, tooltip=_said()),
    )
    return Figure(
        name,
        title,
        ("One dot for each set, larger with more forecasts.", "Grey: 85 to 97 %."),
        layers,
    )


def calibration(
    table: pd.DataFrame, levels: Sequence[float] = tuple(np.linspace(0.05, 0.99, 24))
) -> pd.DataFrame:
    """Share of intervals that hold the truth at other levels: each stretched as a normal law's would be.

    Argument: a backtest's rows. Returns predictor, level, held; intervals of no width hold nothing.
    """

    rows = table.dropna(subset=["accuracy", "predicted", "low", "high"])
    error = rows["accuracy"] - rows["predicted"]
    arm = np.where(error < 0, rows["predicted"] - rows["low"], rows["high"] - rows["predicted"])
    z = (error.abs() / np.maximum(arm, 1e-12) * Z90).to_numpy()
    parts = [
        pd.DataFrame({"predictor": rows["predictor"], "level": level, "held": z <= ndtri(0.5 + level / 2)})
        for level in levels
    ]
    return pd.concat(parts).groupby(["predictor", "level"], sort=False)["held"].mean().reset_index()


def calibration_figure(table: pd.DataFrame, name: str, title: str) -> Figure:
    """Nominal against actual coverage, from a backtest's rows."""
    rows = calibration(table)
    shares = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X("level:Q", scale=shares, axis=alt.Axis(format=".0%"), title="coverage that is promised")
    y = alt.Y("held:Q", scale=shares, axis=alt.Axis(format=".0%"), title="coverage that is kept")
    ideal = pd.DataFrame({"level": [0.0, 1.0], "held": [0.0, 1.0]})
    ours = rows["predictor"] == "mixture"
    layers = (
        alt.Chart(ideal).mark_line(color=INK, strokeDash=[4, 4], strokeWidth=1).encode(x, y),
        alt.Chart(rows[~ours]).mark_line(strokeWidth=1.6, opacity=0.8).encode(x, y, _colour(rows)),
        alt.Chart(rows[ours]).mark_line(strokeWidth=3.4).encode(x, y, _colour(rows)),
    )
    return Figure(
        name,
        title,
        (
            "All sets. On the dashed line: as promised; below: intervals too narrow.",
            "Each interval stretched as a normal law's.",
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
        x = log_axis("T", float(exact["T"].min()), float(exact["T"].max()), LENGTH_TITLES["synthetic"])
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


def _colour(rows: pd.DataFrame, shown: bool = True) -> alt.Color:
    present = [predictor for predictor in COLOURS if predictor in set(rows["predictor"])]
    scale = alt.Scale(domain=present, range=[COLOURS[predictor] for predictor in present])
    return alt.Color(
        "predictor:N", scale=scale, sort=present, legend=legend(None, present) if shown else None
    )


def _said() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("set:N"),
        alt.Tooltip("predictor:N"),
        alt.Tooltip("mean_error:Q", format=".2%"),
        alt.Tooltip("coverage:Q", format=".0%"),
    ]
