"""Accuracy against reasoning length: a colour for each N, with the paper's trend (Fig. 1 right, Fig. 3).

    N=1   α − β e^{−μT}               fitted to Acc(T, 1), which then stands for the gap Δ_T
    N>1   α_N − β_N e^{−μ_N Δ_T²}      Experiment Details, "Fitting accuracy with varying reasoning length T"

Random orders are faint dots at the tokens they used, exact values larger points, trends lines.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
import pandas as pd

from results.figures.axes import MOST_COUNTS, count_colour, faded, log_axis, picker, value_axis
from results.figures.panels import Panel, counts_to_show
from results.figures.theme import QUIET, Figure
from results.figures.words import LENGTH_TITLES, METRIC_TITLES
from results.paper_fits import along_gap, along_t
from results.saturating import FitStatus, Saturating
from results.tables.status import Status


@dataclass(frozen=True)
class Trend:
    """The fitted trend at one N: in T itself, or for N > 1 in the square of the gap that `gap` predicts.

    `reason` says what speaks against it, "" if nothing does.
    """

    n: int
    fit: Saturating
    gap: Saturating | None
    status: Status
    reason: str

    def __call__(self, lengths: Sequence[float] | np.ndarray) -> np.ndarray:
        """Accuracy at `lengths`, shape (lengths,)."""
        return self.fit(lengths) if self.gap is None else self.fit(self.gap(lengths) ** 2)


def fit_trends(panel: Panel) -> list[Trend]:
    """The trend at each N of the panel that has one; [] where fewer than three lengths are known.

    These are the fits that `python -m predict fits` writes. Where no gap varies with T (a risk has none, nor
    has a flat or a step at N = 1) all are fitted in T.
    """
    rows = panel.exact.dropna(subset=["length"])
    parts = {n: rows[rows["N"] == n] for n in panel.ns if (rows["N"] == n).any()}
    in_T = {n: along_t(part["length"], part["value"], panel.metric) for n, part in sorted(parts.items())}
    single = in_T[1].curve if 1 in in_T and panel.metric == "accuracy" else None
    gap = None if single is None or single.status is FitStatus.STEP else single
    trends = []
    for n, fit in in_T.items():
        if gap is not None and n > 1:
            fit = along_gap(n, parts[n]["length"], parts[n]["value"], in_T[1])
        if fit.curve is not None:
            trends.append(Trend(n, fit.curve, gap if n > 1 else None, fit.status, fit.reason))
    return trends


def length_figure(panel: Panel, y_range: tuple[float, float]) -> Figure:
    """The panel's accuracy (or risk) against reasoning length, a colour for each of at most MOST_COUNTS N."""
    shown = counts_to_show(panel.ns, MOST_COUNTS)
    rows = panel.exact.dropna(subset=["length"])
    exact, dots = rows[rows["N"].isin(shown)], _dots(panel, shown)
    grid = np.geomspace(rows["length"].min(), rows["length"].max(), 80)
    trends = [trend for trend in fit_trends(panel) if trend.n in shown]
    curves = [_drawn(trend, grid, rows) for trend in trends]

    pick = picker(f"{panel.slug}_length", "N")
    colour = count_colour(shown)
    low, high = float(rows["length"].min()), float(rows["length"].max())
    x = log_axis("length", low, high, LENGTH_TITLES[panel.source])
    y = value_axis("value", panel.metric, y_range)
    layers: list[alt.Chart] = []
    if len(dots):
        layers.append(
            alt.Chart(dots)
            .mark_circle(size=16, clip=True)
            .encode(x, y, colour, opacity=faded(pick, 0.3, 0.02))
        )
    greedy = panel.greedy.dropna(subset=["length"])
    if len(greedy):
        layers.append(
            alt.Chart(greedy)
            .mark_line(strokeDash=[5, 4], strokeWidth=1.5, color=QUIET, clip=True)
            .encode(x, y)
        )
    if curves:
        layers.append(
            alt.Chart(pd.concat(curves))
            .mark_line(strokeWidth=2.2, clip=True)
            .encode(x, y, colour, opacity=faded(pick, 1.0, 0.1))
        )
    layers.append(
        alt.Chart(exact)
        .mark_circle(size=62, stroke="white", strokeWidth=1)
        .encode(x, y, colour, opacity=faded(pick, 1.0, 0.1), tooltip=panel.tooltips())
        .add_params(pick)
    )
    return Figure(
        name=f"{panel.slug}-length",
        title=panel.name,
        subtitle=(
            f"{panel.combined}: {METRIC_TITLES[panel.metric]} against reasoning length.",
            "; ".join([_points_and_lines(panel, bool(curves)), *panel.marks(greedy)]) + ".",
        ),
        layers=tuple(layers),
    )


def _drawn(trend: Trend, grid: np.ndarray, rows: pd.DataFrame) -> pd.DataFrame:
    """The trend's line; a step starts at the second length, as nothing is known before it."""
    if trend.fit.status == FitStatus.STEP:
        second = np.unique(rows.loc[rows["N"] == trend.n, "length"])[1]
        grid = np.concatenate([[second], grid[grid > second]])
    return pd.DataFrame({"N": trend.n, "length": grid, "value": trend(grid)})


def _points_and_lines(panel: Panel, has_trend: bool) -> str:
    if not has_trend:
        return "Points: exact"
    few = " (which meets any three points)" if len(set(panel.exact["length"])) == 3 else ""
    return f"Points: exact; lines: fitted trend{few}"


def _dots(panel: Panel, ns: list[int]) -> pd.DataFrame:
    """Random orders at their own length or, where that is unknown, at their setting's."""
    dots = panel.dots[panel.dots["N"].isin(ns)]
    usual = panel.exact.groupby("setting")["length"].mean()
    return dots.assign(length=dots["length"].fillna(dots["setting"].map(usual))).dropna(subset=["length"])
