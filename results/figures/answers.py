"""Accuracy against the number of answers N: a line for each setting (paper, Fig. 1 left and Fig. 2 g, h).

N=1  0.52   N=4  0.60   N=16  0.65      line and band: exact value ± 1.645 stderr; dots: random orders;
                                         dotted: the paper's trend α − β e^(−νN), faded where a check objects

And one model's answers chosen in several ways, by a perfect judge, by score and by vote: the distance to best
of N is what a judge loses, that to the majority vote what it earns.
"""

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from results.figures.axes import (
    MOST_SETTINGS,
    axis_range,
    colour,
    n_axis,
    panel_marks,
    panel_tooltips,
    setting_colour,
    spread_out,
    tooltips,
    value_axis,
)
from results.figures.series import FADED, Series
from results.figures.theme import Figure
from results.methods import BY_SCORE
from results.paper_fits import along_n
from results.summary.panels import Panel
from results.tables.status import Status, commonest
from results.words.names import METHOD_NAMES, METRIC_TITLES, curves_name, some_of
from results.words.values import combined

WAYS = ("best_of_n", *BY_SCORE, "majority")


def answers_figure(panel: Panel, y_range: tuple[float, float]) -> Figure:
    """The panel's accuracy (or risk) against N, a colour for each of at most MOST_SETTINGS settings."""
    settings = spread_out(panel.settings, MOST_SETTINGS)
    exact, dots, greedy = (
        part[part["setting"].isin(settings)] for part in (panel.exact, panel.dots, panel.greedy)
    )
    trends = _trends(panel, settings)
    band = "; band: 90 % interval" if exact["low"].notna().any() else ""
    marks = [f"Line: exact{band}", *some_of(len(settings), len(panel.settings), "settings")]
    doubted = trends["status"] != Status.OK
    if fitted := trends["setting"].nunique():
        marks.append(f"dotted: fitted α − β e^(−νN) ({fitted} of {len(settings)})")
    if objected := trends.loc[doubted, "setting"].nunique():
        marks.append(f"faded: a check objects ({objected}: {commonest(trends.loc[doubted, 'status'])})")

    y = value_axis("value", panel.metric, y_range)
    colours = setting_colour(settings, panel.key.source)
    series = Series(f"{panel.slug}-answers", "setting", n_axis(panel.ns), y, colours)
    series.band(exact, 0.13)
    said = tooltips(["setting", "value"], panel.key.source, panel.metric)
    series.add(greedy[["setting", "value"]], "rule", "baseline", (0.8, 0.05), x=alt.Undefined, tooltip=said)
    series.add(dots, "circle", "dot", (0.28, 0.02))
    series.add(exact, "line", "curve" if trends.empty else "thin")
    series.add(trends[~doubted], "line", "trend")
    series.add(trends[doubted], "line", "trend", FADED)
    series.add(exact, "circle", "point", clip=False, tooltip=panel_tooltips(panel))
    about = f"{combined(panel)}: {METRIC_TITLES[panel.metric]} against the number of answers."
    return series.figure(
        curves_name(panel.key), about, "; ".join([*marks, *panel_marks(panel, greedy)]) + "."
    )


def _trends(panel: Panel, settings: list[str]) -> pd.DataFrame:
    """The fitted trends at the settings that have one, on a grid of N, and the status of each fit."""
    trends = []
    for setting in settings if panel.metric == "accuracy" else []:
        rows = panel.exact[panel.exact["setting"] == setting]
        fit = along_n(setting, rows["N"], rows["value"], panel.key.method == "majority")
        if fit.curve is not None:
            N = np.geomspace(rows["N"].min(), rows["N"].max(), 60)
            curve = {"setting": setting, "N": N, "value": fit.curve(N), "status": str(fit.status)}
            trends.append(pd.DataFrame(curve))
    return pd.concat(trends) if trends else pd.DataFrame(columns=["setting", "N", "value", "status"])


def judged_figure(panels: Sequence[Panel]) -> Figure | None:
    """The panels of one model at their last setting, a line each; None where none of them is by score."""
    shown = [panel for way in WAYS for panel in panels if panel.key.method == way and len(panel.ns) > 1]
    if not {panel.key.method for panel in shown} & set(BY_SCORE) or len(shown) < 2:
        return None
    setting = shown[0].settings[-1]
    parts = [
        panel.exact[panel.exact["setting"] == setting].assign(way=METHOD_NAMES[panel.key.method])
        for panel in shown
    ]
    exact, first = pd.concat(parts, ignore_index=True), shown[0]
    ranges = [axis_range(panel) for panel in shown]
    y_range = min(low for low, _ in ranges), max(high for _, high in ranges)
    y = value_axis("value", first.metric, y_range)
    names = [METHOD_NAMES[panel.key.method] for panel in shown]
    ns = sorted({n for panel in shown for n in panel.ns})
    series = Series(f"{first.slug}-judged", "way", n_axis(ns), y, colour("way:N", names, "chosen by"))
    series.band(exact, 0.13)
    series.add(exact, "line", "curve")
    said = tooltips(["way", "N", "value"], first.key.source, first.metric)
    series.add(exact, "circle", "point", clip=False, tooltip=said)
    about = f"Accuracy of N answers by who chooses among them, at setting “{setting}”."
    band = "; band: 90 % interval" if exact["low"].notna().any() else ""
    return series.figure(curves_name(first.key), about, f"Line: exact{band}.")
