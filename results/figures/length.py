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

from results.figures.axes import MOST_COUNTS, count_colour, log_axis, value_axis
from results.figures.panels import Panel, counts_to_show
from results.figures.series import Series
from results.figures.theme import Figure
from results.figures.words import LENGTH_TITLES, METRIC_TITLES, some_of
from results.paper_fits import Fit, along_gap, along_t
from results.saturating import FitStatus, Saturating
from results.tables.status import Status

GREEDY_LIMITS = {"fig2f linear-attention": 2 / 10}
"""2/d, near which greedy decoding stays with one example (paper, Sec. 5), by experiment and line."""


@dataclass(frozen=True)
class Trend:
    """The fitted trend at one N: in T itself, or for N > 1 in the square of the gap that `gap` predicts."""

    n: int
    fit: Fit
    curve: Saturating
    gap: Saturating | None

    def __call__(self, lengths: Sequence[float] | np.ndarray) -> np.ndarray:
        """Accuracy at `lengths`, shape (lengths,)."""
        return self.curve(lengths) if self.gap is None else self.curve(self.gap(lengths) ** 2)


def fit_trends(panel: Panel) -> list[Trend]:
    """The trend at each N of the panel that has one; [] where fewer than three lengths are known.

    These are the fits that `python -m predict fits` writes. Where no gap varies with T (a risk has none, nor
    has a flat or a step at N = 1) all are fitted in T.
    """
    rows = panel.exact.dropna(subset=["length"])
    parts = {n: part for n in panel.ns if len(part := rows[rows["N"] == n])}
    in_T = {n: along_t(part["length"], part["value"], panel.metric) for n, part in parts.items()}
    single = in_T[1].curve if 1 in in_T and panel.metric == "accuracy" else None
    gap = None if single is None or single.status is FitStatus.STEP else single
    trends = []
    for n, fit in in_T.items():
        by_gap = gap if n > 1 else None
        if by_gap is not None:
            fit = along_gap(n, parts[n]["length"], parts[n]["value"], in_T[1])
        if fit.curve is not None:
            trends.append(Trend(n, fit, fit.curve, by_gap))
    return trends


def length_figure(panel: Panel, y_range: tuple[float, float]) -> Figure:
    """The panel's accuracy (or risk) against reasoning length, a colour for each of at most MOST_COUNTS N."""
    shown = counts_to_show(panel.ns, MOST_COUNTS)
    rows, greedy = (part.dropna(subset=["length"]) for part in (panel.exact, panel.greedy))
    grid = np.geomspace(rows["length"].min(), rows["length"].max(), 80)
    trends = {trend.n: trend for trend in fit_trends(panel) if trend.fit.status is Status.OK}
    lines = [pd.DataFrame({"N": n, "length": grid, "value": trends[n](grid)}) for n in shown if n in trends]
    without = [n for n in shown if n not in trends]
    proven = GREEDY_LIMITS.get(f"{panel.dataset} {panel.model}")

    x = log_axis("length", rows["length"], LENGTH_TITLES[panel.source])
    y = value_axis("value", panel.metric, y_range)
    series = Series(f"{panel.slug}-length", "N", x, y, count_colour(shown))
    series.add(_dots(panel, shown), "circle", "dot", (0.3, 0.02))
    series.add(greedy, "line", "baseline", None)
    series.add(pd.DataFrame({"value": [proven] if proven else []}), "rule", "zero", None, x=alt.Undefined)
    series.add(pd.concat([pd.DataFrame(), *lines]), "line", "curve")
    series.add(rows[rows["N"].isin(without)], "line", "thin", (0.5, 0.05))
    series.add(rows[rows["N"].isin(shown)], "circle", "point", clip=False, tooltip=panel.tooltips())

    marks = ["Points: exact", *some_of(len(shown), len(panel.ns), "N")]
    if proven:
        marks.append("grey: 2/d, the theory's value for greedy decoding")
    if lines:
        few = " (which meets any three points)" if len(set(rows["length"])) == 3 else ""
        marks.append(f"lines: fitted trend{few}")
    if without:
        joined = f"N = {', '.join(map(str, without))}" if lines else "every N"
        marks.append(f"thin: points joined, where no trend fits ({joined})")
    about = f"{panel.combined}: {METRIC_TITLES[panel.metric]} against reasoning length."
    return series.figure(panel.name, about, "; ".join([*marks, *panel.marks(greedy)]) + ".")


def _dots(panel: Panel, ns: list[int]) -> pd.DataFrame:
    """Random orders at their own length or, where that is unknown, at their setting's."""
    dots = panel.dots[panel.dots["N"].isin(ns)]
    usual = panel.exact.groupby("setting")["length"].mean()
    return dots.assign(length=dots["length"].fillna(dots["setting"].map(usual))).dropna(subset=["length"])
