"""Accuracy against the number of answers N: a line for each setting (paper, Fig. 1 left and Fig. 2 g, h).

N=1  0.52   N=4  0.60   N=16  0.65      line and band: exact value ± 1.645 stderr; dots: random orders
"""

import altair as alt

from results.figures.axes import MOST_SETTINGS, faded, n_axis, picker, setting_colour, tooltips, value_axis
from results.figures.panels import Panel, spread_out
from results.figures.theme import Figure
from results.figures.words import METRIC_TITLES


def answers_figure(panel: Panel, y_range: tuple[float, float]) -> Figure:
    """The panel's accuracy (or risk) against N, a colour for each of at most MOST_SETTINGS settings."""
    settings = spread_out(panel.settings, MOST_SETTINGS)
    exact, dots, greedy = (
        part[part["setting"].isin(settings)] for part in (panel.exact, panel.dots, panel.greedy)
    )
    pick = picker(f"{panel.slug}_answers", "setting")
    colour = setting_colour(settings, panel.source)
    x, y = n_axis(panel.ns), value_axis("value", panel.metric, y_range)
    base = alt.Chart(exact).encode(x, y, colour)
    layers: list[alt.Chart] = [
        alt.Chart(exact)
        .mark_area(clip=True)
        .encode(x, alt.Y("low:Q"), alt.Y2("high:Q"), colour, opacity=faded(pick, 0.13, 0.0)),
    ]
    if len(greedy):
        said = tooltips(["setting", "value"], panel.source, panel.metric)
        layers.append(
            alt.Chart(greedy)
            .mark_rule(strokeDash=[5, 4], strokeWidth=1.5)
            .encode(y, colour, opacity=faded(pick, 0.8, 0.05), tooltip=said)
        )
    if len(dots):
        layers.append(
            alt.Chart(dots)
            .mark_circle(size=14, clip=True)
            .encode(x, y, colour, opacity=faded(pick, 0.28, 0.02))
        )
    layers += [
        base.mark_line(strokeWidth=2.2).encode(opacity=faded(pick, 1.0, 0.12)),
        base.mark_circle(size=42, stroke="white", strokeWidth=0.8)
        .encode(opacity=faded(pick, 1.0, 0.12), tooltip=panel.tooltips())
        .add_params(pick),
    ]
    return Figure(
        name=f"{panel.slug}-answers",
        title=panel.name,
        subtitle=(
            f"{panel.combined}: {METRIC_TITLES[panel.metric]} against the number of answers.",
            "; ".join(["Line: exact; band: 90 % interval", *panel.marks(panel.greedy)]) + ".",
        ),
        layers=tuple(layers),
    )
