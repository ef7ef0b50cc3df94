"""Figures of accuracy against the number of answers N, a line per setting (paper, Fig. 1 left, Fig. 2 g, h).

N=1  0.52   N=4  0.60   N=16  0.65      line and band: exact value and its interval; dots: random orders
"""

from collections.abc import Sequence

import altair as alt
import pandas as pd

from results.figures.axes import (
    MOST_SETTINGS,
    colour,
    label_room,
    n_axis,
    panel_marks,
    panel_tooltips,
    setting_colour,
    shared_range,
    shared_start,
    spread_out,
    tooltips,
    value_axis,
)
from results.figures.series import Series
from results.figures.theme import Figure
from results.methods import BY_SCORE
from results.summary.panels import Panel
from results.words.names import METHOD_NAMES, METRIC_TITLES, curves_name, settings_title, some_of
from results.words.values import combined

MOST_INTERVALS = 4
"""With more settings, only the most expensive one has intervals."""

WAYS = ("best_of_n", *BY_SCORE, "majority")


def answers_figure(panel: Panel, y_range: tuple[float, float], ns: Sequence[int] = ()) -> Figure:
    """The panel's accuracy (or risk) against N, a colour for each of at most MOST_SETTINGS settings.

    y_range, ns: of the axes, which other panels may share; ns: the panel's own by default.
    """
    settings = spread_out(panel.settings, MOST_SETTINGS)
    exact, dots, greedy = (
        part[part["setting"].isin(settings)] for part in (panel.exact, panel.dots, panel.greedy)
    )
    room = label_room(settings)
    labelled = settings if len(settings) <= MOST_INTERVALS else settings[-1:]
    title = shared_start(settings).rstrip("=") or settings_title(panel.key.source, settings)
    named = f", labelled by {title}" if room else ""

    y = value_axis("value", panel.metric, y_range)
    colours = setting_colour(settings, panel.key.source, panel.knows_costs, labelled=room > 0)
    series = Series(f"{panel.slug}-answers", "setting", n_axis(ns or panel.ns, room=room), y, colours)
    drawn = series.intervals(exact[exact["setting"].isin(labelled)], labelled)
    hints = tooltips(["setting", "value"], panel.key.source, panel.metric)
    series.add(greedy[["setting", "value"]], "rule", "baseline", (0.8, 0.05), x=alt.Undefined, tooltip=hints)
    series.add(dots, "circle", "dot", (0.28, 0.02))
    series.add(exact, "line", "curve")
    series.add(exact, "circle", "point", clip=False, tooltip=panel_tooltips(panel))
    if room:
        series.labels(exact, "N", y_range)
    about = f"{combined(panel)}: {METRIC_TITLES[panel.metric]} against the number of answers."
    interval = f"; {drawn}: 90 % interval{' of the dearest' * (labelled != settings)}" if drawn else ""
    marks = [f"Line: exact{named}{interval}", *some_of(len(settings), len(panel.settings), "settings")]
    return series.figure(
        curves_name(panel.key), about, "; ".join([*marks, *panel_marks(panel, greedy)]) + "."
    )


def judged_figure(panels: Sequence[Panel]) -> Figure | None:
    """The panels of one model at their last setting, a line each; None if none of them uses scores."""
    shown = [panel for way in WAYS for panel in panels if panel.key.method == way and len(panel.ns) > 1]
    if not {panel.key.method for panel in shown} & set(BY_SCORE) or len(shown) < 2:
        return None
    setting = shown[0].settings[-1]
    parts = [
        panel.exact[panel.exact["setting"] == setting].assign(way=METHOD_NAMES[panel.key.method])
        for panel in shown
    ]
    exact, first = pd.concat(parts, ignore_index=True), shown[0]
    y = value_axis("value", first.metric, shared_range(shown))
    names = [METHOD_NAMES[panel.key.method] for panel in shown]
    ns = sorted({n for panel in shown for n in panel.ns})
    series = Series(f"{first.slug}-judged", "way", n_axis(ns), y, colour("way:N", names, "chosen by"))
    drawn = series.intervals(exact, names)
    series.add(exact, "line", "curve")
    hints = tooltips(["way", "N", "value"], first.key.source, first.metric)
    series.add(exact, "circle", "point", clip=False, tooltip=hints)
    about = f"Accuracy of N answers by who chooses among them, at setting “{setting}”."
    interval = f"; {drawn}: 90 % interval" if drawn else ""
    return series.figure(curves_name(first.key), about, f"Line: exact{interval}.")
