"""Accuracy against the number of answers N: a line for each setting (paper, Fig. 1 left and Fig. 2 g, h).

N=1  0.52   N=4  0.60   N=16  0.65      line and band: exact value ± 1.645 stderr; dots: random orders
"""

import altair as alt

from results.figures.axes import (
    METRIC_TITLES,
    MOST_SETTINGS,
    faded,
    n_axis,
    number_format,
    picker,
    setting_colour,
    show,
    value_axis,
)
from results.figures.panels import METHOD_NAMES, Panel, spread_out
from results.figures.theme import Figure


def samples_figure(panel: Panel, y_range: tuple[float, float]) -> Figure:
    """The panel's accuracy (or risk) against N, a colour for each of at most MOST_SETTINGS settings."""
    settings = spread_out(panel.settings, MOST_SETTINGS)
    exact, dots, greedy = (
        part[part["setting"].isin(settings)] for part in (panel.exact, panel.dots, panel.greedy)
    )
    pick = picker(f"{panel.slug}_answers", "setting")
    colour = setting_colour(settings)
    x = n_axis(panel.ns)
    y = value_axis("value", panel.metric, y_range)
    layers: list[alt.Chart] = [
        alt.Chart(exact)
        .mark_area(clip=True)
        .encode(x, alt.Y("low:Q"), alt.Y2("high:Q"), colour, opacity=faded(pick, 0.13, 0.0)),
    ]
    if len(greedy):
        layers.append(
            alt.Chart(greedy)
            .mark_rule(strokeDash=[5, 4], strokeWidth=1.5)
            .encode(y, colour, opacity=faded(pick, 0.8, 0.05), tooltip=value_tooltip(panel.metric)[:2])
        )
    if len(dots):
        layers.append(
            alt.Chart(dots)
            .mark_circle(size=14, clip=True)
            .encode(x, y, colour, opacity=faded(pick, 0.28, 0.02))
        )
    base = alt.Chart(exact).encode(x, y, colour)
    layers.append(base.mark_line(strokeWidth=2.2).encode(opacity=faded(pick, 1.0, 0.12)))
    layers.append(
        base.mark_circle(size=42, stroke="white", strokeWidth=0.8)
        .encode(opacity=faded(pick, 1.0, 0.12), tooltip=tooltip(panel))
        .add_params(pick)
    )
    return Figure(
        name=f"{panel.slug}-answers",
        title=panel.name,
        subtitle=(
            f"{panel.combined}: {METRIC_TITLES[panel.metric]} against the number of answers.",
            key_in_words(panel),
        ),
        words=_in_words(panel),
        layers=tuple(layers),
    )


def key_in_words(panel: Panel) -> str:
    """What the marks mean, for a subtitle or a caption."""
    many = "repeats" if panel.source == "synthetic" else "random orders"
    parts = ["Line: exact; band: 90 % interval"]
    if panel.orders:
        parts.append(f"dots: {panel.orders_shown} {many}")
    if len(panel.greedy):
        parts.append(f"dashed: {greedy_name(panel)}")
    return "; ".join(parts) + "."


def greedy_name(panel: Panel) -> str:
    """What the baseline is called: decoding without chance, or in the continuous twin plain descent."""
    if panel.metric == "risk":
        return "plain gradient descent"
    return "greedy decoding" if panel.source == "synthetic" else "greedy (temperature 0)"


def value_tooltip(metric: str) -> list[alt.Tooltip]:
    """Setting and value."""
    number = number_format(metric)
    return [alt.Tooltip("setting:N"), alt.Tooltip("value:Q", title=metric, format=number)]


def tooltip(panel: Panel) -> list[alt.Tooltip]:
    """What a point says when pointed at."""
    number = number_format(panel.metric)
    length = "steps" if panel.source == "synthetic" else "tokens per answer"
    lines = [alt.Tooltip("setting:N"), alt.Tooltip("N:Q", title="answers N")]
    if panel.exact["length"].notna().any():
        lines.append(alt.Tooltip("length:Q", title=length, format=",.0f"))
    lines.append(alt.Tooltip("value:Q", title=panel.metric, format=number))
    lines.append(alt.Tooltip("low:Q", title="90 % from", format=number))
    lines.append(alt.Tooltip("high:Q", title="90 % to", format=number))
    return lines


def _in_words(panel: Panel) -> str:
    ends = []
    for setting in panel.settings:
        rows = panel.exact[panel.exact["setting"] == setting].sort_values("N")
        first, last = rows.iloc[0], rows.iloc[-1]
        ends.append(
            f"{setting}: {show(first['value'], panel.metric)} at N = {first['N']:.0f}, "
            f"{show(last['value'], panel.metric)} at N = {last['N']:.0f}"
        )
    what = f"{METRIC_TITLES[panel.metric]} of the {METHOD_NAMES[panel.method]} against the number of answers"
    return f"Line chart for {panel.name}: {what}. {'; '.join(ends)}."
