"""Accuracy against the number of answers N: a line for each setting (paper, Fig. 1 left and Fig. 2 g, h).

N=1  0.52   N=4  0.60   N=16  0.65      line and band: exact value ± 1.645 stderr; dots: random orders
"""

from results.figures.axes import MOST_SETTINGS, n_axis, setting_colour, tooltips, value_axis
from results.figures.panels import Panel, spread_out
from results.figures.series import Series
from results.figures.theme import Figure
from results.figures.words import METRIC_TITLES


def answers_figure(panel: Panel, y_range: tuple[float, float]) -> Figure:
    """The panel's accuracy (or risk) against N, a colour for each of at most MOST_SETTINGS settings."""
    settings = spread_out(panel.settings, MOST_SETTINGS)
    exact, dots, greedy = (
        part[part["setting"].isin(settings)] for part in (panel.exact, panel.dots, panel.greedy)
    )
    name = f"{panel.slug}-answers"
    y = value_axis("value", panel.metric, y_range)
    series = Series(name, "setting", n_axis(panel.ns), y, setting_colour(settings, panel.source))
    series.add(exact, "area", "band", (0.13, 0.0), y="low:Q", y2="high:Q")
    said = tooltips(["setting", "value"], panel.source, panel.metric)
    series.add(greedy[["setting", "value"]], "rule", "baseline", (0.8, 0.05), tooltip=said)
    series.add(dots, "circle", "dot", (0.28, 0.02))
    series.add(exact, "line", "curve")
    series.add(exact, "circle", "point", clip=False, tooltip=panel.tooltips())
    return Figure(
        name,
        panel.name,
        (
            f"{panel.combined}: {METRIC_TITLES[panel.metric]} against the number of answers.",
            "; ".join(["Line: exact; band: 90 % interval", *panel.marks(panel.greedy)]) + ".",
        ),
        series.layers,
    )
