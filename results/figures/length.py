"""Figures of accuracy against reasoning length, with the paper's trend (Fig. 1 right, Fig. 3).

N=1   α − β e^{−μT}               fitted to Acc(T, 1), which then serves as the gap Δ_T
N>1   α_N − β_N e^{−μ_N Δ_T²}      Experiment Details, "Fitting accuracy with varying reasoning length T"
"""

from collections.abc import Collection

import altair as alt
import numpy as np
import pandas as pd

from results.figures.axes import (
    MOST_COUNTS,
    colour,
    counts_to_show,
    label_room,
    log_axis,
    panel_marks,
    panel_tooltips,
    value_axis,
)
from results.figures.series import FADED, Series
from results.figures.theme import Figure
from results.summary.panels import Panel, fit_trends
from results.tables.status import Status, commonest
from results.words.names import LENGTH_TITLES, METRIC_TITLES, curves_name, some_of
from results.words.values import combined

GREEDY_LIMITS = {"fig2f linear-attention": 2 / 10}
"""2/d, near which greedy decoding with one example stays (paper, Sec. 5), by experiment and line."""


def length_figure(panel: Panel, y_range: tuple[float, float], lengths: Collection[float] = ()) -> Figure:
    """The panel's accuracy (or risk) against reasoning length, a colour for each of at most MOST_COUNTS N.

    y_range, lengths: of the axes, which other panels may share; lengths: its own by default.
    """
    shown = counts_to_show(panel.ns, MOST_COUNTS)
    rows, dots, greedy = (part.dropna(subset=["length"]) for part in (panel.exact, panel.dots, panel.greedy))
    grid = np.geomspace(rows["length"].min(), rows["length"].max(), 80)
    trends = {n: fit for n, fit in fit_trends(panel).items() if n in shown}
    without = [n for n in shown if n not in trends]
    doubted = {n: fit.status for n, fit in trends.items() if fit.status is not Status.OK}
    lines = [pd.DataFrame({"N": n, "length": grid, "value": fit(grid)}) for n, fit in trends.items()]
    drawn = pd.concat(lines) if lines else pd.DataFrame(columns=["N", "length", "value"])
    faded = drawn["N"].isin(doubted)
    proven = GREEDY_LIMITS.get(f"{panel.key.dataset} {panel.key.model}")

    room = label_room(shown)
    x = log_axis("length", lengths or rows["length"], LENGTH_TITLES[panel.key.source], room)
    y = value_axis("value", panel.metric, y_range)
    series = Series(f"{panel.slug}-length", "N", x, y, colour("N:O", shown, "answers N", labelled=room > 0))
    series.add(dots[dots["N"].isin(shown)], "circle", "dot", (0.3, 0.02))
    series.add(greedy, "line", "baseline", None)
    series.add(pd.DataFrame({"value": [proven] if proven else []}), "rule", "zero", None, x=alt.Undefined)
    series.add(drawn[~faded], "line", "curve")
    series.add(drawn[faded], "line", "curve", FADED)
    series.add(rows[rows["N"].isin(without)], "line", "thin", (0.5, 0.05))
    series.add(rows[rows["N"].isin(shown)], "circle", "point", clip=False, tooltip=panel_tooltips(panel))

    if room:
        series.labels(rows[rows["N"].isin(shown)], "length", y_range)

    marks = [
        "Points: exact, labelled by N" if room else "Points: exact",
        *some_of(len(shown), len(panel.ns), "N"),
    ]
    if proven:
        marks.append("grey: 2/d, the theory's value for greedy decoding")
    if trends:
        few = " (which meets any three points)" if len(set(rows["length"])) == 3 else ""
        marks.append(f"lines: fitted trend{few}")
    if doubted:
        which = _listed(doubted, trends)
        marks.append(f"faded: not to be trusted ({which}: {commonest(doubted.values())})")
    if without:
        marks.append(f"thin: points joined, where nothing can be fitted ({_listed(without, shown)})")
    about = f"{combined(panel)}: {METRIC_TITLES[panel.metric]} against reasoning length."
    return series.figure(
        curves_name(panel.key), about, "; ".join([*marks, *panel_marks(panel, greedy)]) + "."
    )


def _listed(some: Collection[int], whole: Collection[int]) -> str:
    """ "N = 1, 4", or "every N"."""
    return "every N" if len(some) == len(whole) else f"N = {', '.join(map(str, some))}"
