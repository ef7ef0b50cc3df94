"""Axes, colours and wording that the figures share.

n_axis([1, 2, 4])  ->  log₂ axis "answers per question, N"      value_axis(...)  ->  per cent, or a risk
"""

from collections.abc import Sequence

import altair as alt

from results.figures.theme import count_colours, setting_colours

MOST_SETTINGS = 8
"""Settings a chart shows at most."""

MOST_COUNTS = 6
"""Values of N a chart shows at most."""

NBSP = "\N{NO-BREAK SPACE}"

METRIC_TITLES = {"accuracy": "accuracy", "risk": "squared error (lower is better)"}
LENGTH_TITLES = {"llm": "tokens per answer, T", "synthetic": "reasoning steps, T"}


def n_axis(ns: Sequence[int]) -> alt.X:
    """The number of answers on a logarithmic axis with its ticks at powers of two."""
    ticks = [n for n in ns if n & (n - 1) == 0] or list(ns)
    scale = alt.Scale(type="log", base=2, domain=[min(ns) / 1.1, max(ns) * 1.1], nice=False)
    axis = alt.Axis(values=ticks, format="d", labelOverlap="greedy")
    return alt.X("N:Q", scale=scale, axis=axis, title="answers per question, N")


def log_axis(field: str, low: float, high: float, title: str) -> alt.X:
    """A length or a cost from `low` to `high` on a logarithmic axis, with a little room at both ends."""
    scale = alt.Scale(type="log", domain=[low / 1.12, high * 1.12], nice=False)
    axis = alt.Axis(format="~s", labelOverlap="greedy", tickCount=6)
    return alt.X(f"{field}:Q", scale=scale, axis=axis, title=title)


def value_axis(field: str, metric: str, y_range: tuple[float, float]) -> alt.Y:
    """Accuracy in per cent, or risk as it is, within `y_range`."""
    scale = alt.Scale(domain=list(y_range), nice=False, zero=False)
    axis = alt.Axis(format=number_format(metric, axis=True), tickCount=6)
    return alt.Y(f"{field}:Q", scale=scale, axis=axis, title=METRIC_TITLES[metric])


def setting_colour(settings: list[str]) -> alt.Color:
    """The colour of each setting, from cheap (dark) to dear."""
    scale = alt.Scale(domain=settings, range=setting_colours(len(settings)))
    return alt.Color("setting:N", scale=scale, sort=settings, legend=legend("setting", settings))


def count_colour(ns: list[int]) -> alt.Color:
    """The colour of each N, from few (dark) to many."""
    scale = alt.Scale(domain=ns, range=count_colours(len(ns)))
    return alt.Color("N:O", scale=scale, legend=legend("answers N", [str(n) for n in ns]))


def legend(title: str | None, labels: Sequence[str]) -> alt.Legend:
    """A legend in as many columns as a phone has room for."""
    widest = max(len(label) for label in labels)
    columns = max(1, min(len(labels), 310 // (38 + 7 * min(widest, 24))))
    return alt.Legend(title=title, columns=columns)


def picker(name: str, field: str) -> alt.Parameter:
    """A selection made by clicking the legend of `field`; `name` is a figure's, unique on the page."""
    return alt.selection_point(fields=[field], bind="legend", name=f"pick_{name}".replace("-", "_"))


def faded(pick: alt.Parameter, shown: float, hidden: float) -> alt.Opacity:
    """Opacity `shown`, or `hidden` where another legend entry is picked."""
    return alt.when(pick).then(alt.value(shown)).otherwise(alt.value(hidden))  # type: ignore[return-value]


def number_format(metric: str, axis: bool = False) -> str:
    """The d3 format of a value: per cent, rounder on an axis."""
    if metric == "accuracy":
        return ".0%" if axis else ".1%"
    return ".4~r" if axis else ".3f"


def show(value: float, metric: str = "accuracy") -> str:
    """A value in words: per cent for an accuracy, three digits for a risk."""
    text = f"{100 * value:.1f}{NBSP}%" if metric == "accuracy" else f"{value:.3g}"
    return text.replace("-", "−")
