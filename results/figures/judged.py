"""One model's answers chosen in several ways, against N: by a perfect judge, by score, by vote.

best of N  0.97   weighted vote  0.88   majority vote  0.81   best by score  0.79      at N = 16

The distance to best of N is what the judge loses, that to the majority vote what it earns.
"""

from collections.abc import Sequence

import pandas as pd

from results.figures.axes import axis_range, colour, n_axis, tooltips, value_axis
from results.figures.series import Series
from results.figures.theme import Figure
from results.methods import BY_SCORE
from results.summary.panels import Panel
from results.words.names import METHOD_NAMES, curves_name

WAYS = ("best_of_n", *BY_SCORE, "majority")


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
