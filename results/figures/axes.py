"""Axes, colours, legends and tooltips shared by the figures.

n_axis([1, 2, 4])  ->  log₂ axis "answers per question, N"      value_axis(...)  ->  per cent, or a risk
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, TypeVar

import altair as alt
import numpy as np
import pandas as pd
from scipy.optimize import isotonic_regression

from results.summary.panels import Panel
from results.words.names import LENGTH_TITLES, METRIC_TITLES, PRICED, UNITS, settings_title

Value = TypeVar("Value")

TICKS = (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8)
"""Ticks of a logarithmic axis within each power of ten; the finer ones if too few of the first fit in."""

MOST_SETTINGS = 8
"""The most settings in a chart."""

MOST_COUNTS = 6
"""The most values of N in a chart."""

MOST_HUES = 8
"""The most models, methods or rules with a hue of their own; any others share a grey."""
OTHERS = "others"


def n_axis(ns: Sequence[int], field: str = "N", room: float = 0.0) -> alt.X:
    """The number of answers on a logarithmic axis with ticks at powers of two.

    `room`: the share of the axis left free at its end for labels.
    """
    ticks = [n for n in ns if n & (n - 1) == 0] or list(ns)
    low, high = min(ns) / 1.15, max(ns) * 1.15
    high *= (high / low) ** (room / (1 - room))
    scale = alt.Scale(type="log", base=2, domain=[low, high], nice=False)
    axis = alt.Axis(values=ticks, format="d", labelOverlap="greedy")
    return alt.X(f"{field}:Q", scale=scale, axis=axis, title="answers per question, N")


def log_axis(field: str, values: Collection[float], title: str, room: float = 0.0) -> alt.X:
    """A length or a cost on a logarithmic axis, with some space at both ends of `values`.

    `room` is as in `n_axis`. Ticks are at 1, 2, 5, 10, 20, … if three or more fit in, else
    finer, else Vega's own. The `field` "usd" is shown as money: $0.10, not 100m.
    """
    low, high = min(values) / 1.12, max(values) * 1.12
    within = [_ticks(steps, low, high) for steps in TICKS]
    ticks = next((steps for steps in within if len(steps) > 2), None)
    where = {"values": ticks} if ticks else {"tickCount": 6}
    number = "~s" if field != "usd" else "$,.2f" if low < 10 else "$,.0f"
    axis = alt.Axis(format=number, labelOverlap="greedy", labelSeparation=6, **where)
    high *= (high / low) ** (room / (1 - room))
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    return alt.X(f"{field}:Q", scale=scale, axis=axis, title=title)


def _ticks(steps: Collection[float], low: float, high: float) -> list[float]:
    """The multiples of powers of ten by `steps` from `low` to `high`."""
    multiples = [step * 10.0**power for power in range(-3, 12) for step in steps]
    return [tick for tick in multiples if low <= tick <= high]


def value_axis(field: str, metric: str, y_range: tuple[float, float]) -> alt.Y:
    """Accuracy in per cent, or risk as a plain number, within `y_range`."""
    scale = alt.Scale(domain=list(y_range), nice=False, zero=False)
    axis = alt.Axis(format=".0%" if metric == "accuracy" else ".4~r", tickCount=6)
    return alt.Y(f"{field}:Q", scale=scale, axis=axis, title=METRIC_TITLES[metric])


LONGEST_LABEL = 10
"""The most characters that fit next to the end of a line on a phone."""


def shared_start(names: Iterable[object]) -> str:
    """The common start of names up to "=": "forced=" for forced=20 and forced=300; else ""."""
    starts = {"".join(str(name).rpartition("=")[:2]) for name in names}
    return starts.pop() if len(starts) == 1 else ""


def short_names(names: Sequence[object]) -> dict[object, str]:
    """Names without their shared start, for labels: "20" and "300" for forced=20 and forced=300."""
    return {name: str(name).removeprefix(shared_start(names)) for name in names}


def label_room(names: Sequence[object]) -> float:
    """The share of the width that labels at line ends need; 0 if a legend is needed instead."""
    widest = max(map(len, short_names(names).values()))
    return (10 + 7 * widest) / 300 if len(names) > 1 and widest <= LONGEST_LABEL else 0.0


def line_ends(rows: pd.DataFrame, field: str, along: str) -> pd.DataFrame:
    """The row of each series with the largest `along`, by ascending `value`."""
    rows = rows.reset_index(drop=True)
    return rows.loc[rows.groupby(field)[along].idxmax()].sort_values("value")


def apart(values: Sequence[float], y_range: tuple[float, float]) -> list[float]:
    """The heights of labels for ascending `values`, moved as little as needed so that none overlap.

    Least squares: minus a line of text for each label below, heights must not decrease.
    """
    low, high = y_range
    lines = 0.048 * (high - low) * np.arange(len(values))
    if (np.diff(values) >= lines[1:2]).all():
        return list(values)
    heights = isotonic_regression(values - lines).x + lines
    within = np.minimum(np.maximum(heights, low + lines), high - lines[::-1])
    return [float(height) for height in within]


def colour(field: str, values: Sequence[object], title: str | None, labelled: bool = False) -> alt.Color:
    """The colours of series in all figures: a ramp for ordered values, hues for others.

    `field` includes its type: "N:O" and "setting:O" go from few to many and from cheap to
    expensive, each on its own ramp; "model:N", "way:N" have a hue per value (`with_hues`).
    No legend if lines are `labelled`.
    """
    domain: list[Any] = list(values)
    ramp: dict[str, Any] = {"range": "ramp"} if field == "setting:O" else {}
    shown = None if labelled else legend(title, list(map(str, values)))
    return alt.Color(field, scale=alt.Scale(domain=domain, **ramp), sort=domain, legend=shown)


def setting_colour(settings: list[str], source: str, ordered: bool, labelled: bool = False) -> alt.Color:
    """The colour of each setting: on the ramp from cheap to expensive if `ordered`."""
    ordered = ordered or all(setting.isdecimal() for setting in settings)
    field = "setting:O" if ordered else "setting:N"
    return colour(field, settings, settings_title(source, settings), labelled)


def with_hues(
    rows: pd.DataFrame, field: str, values: Sequence[str], best: Iterable[str]
) -> tuple[pd.DataFrame, list[str]]:
    """The rows with a column `hue`, and its values: those of `field`; if many, the `best` and OTHERS."""
    if len(values) <= MOST_HUES:
        return rows.assign(hue=rows[field]), list(values)
    first = list(dict.fromkeys([*best, *values]))[:MOST_HUES]
    hues = rows[field].where(rows[field].isin(first), OTHERS)
    return rows.assign(hue=hues), [*first, OTHERS]


def legend(title: str | None, labels: Sequence[str]) -> alt.Legend | None:
    """A legend with as many columns as fit on a phone; None for fewer than two labels."""
    if len(labels) < 2:
        return None
    widest = max(map(len, labels))
    return alt.Legend(title=title, columns=max(1, min(len(labels), 310 // (32 + 7 * min(widest, 36)))))


def tooltips(fields: Sequence[str], source: str = "llm", metric: str = "accuracy") -> list[alt.Tooltip]:
    """The tooltips of a mark for the `fields` of its row; fields without a format are text."""
    number = ".1%" if metric == "accuracy" else ".3f"
    formats = {
        "N": ("answers N", "d"),
        "length": (LENGTH_TITLES[source], ",.0f"),
        "cost": (f"{UNITS[source]} per question", ",.0f"),
        "usd": (PRICED, "$,.2f"),
        "value": (metric, number),
        "accuracy": ("accuracy", number),
        "predicted": ("accuracy", number),
        "questions": ("questions", ",.0f"),
        "low": ("interval from", number),
        "high": ("interval to", number),
        "lower": ("interval from", number),
        "upper": ("interval to", number),
    }
    return [
        alt.Tooltip(f"{field}:Q", title=formats[field][0], format=formats[field][1])
        if field in formats
        else alt.Tooltip(f"{field}:N")
        for field in fields
    ]


def panel_tooltips(panel: Panel) -> list[alt.Tooltip]:
    """The tooltips of an exact point."""
    length = ["length"] if panel.exact["length"].notna().any() else []
    ends = ["low", "high"] if panel.exact["low"].notna().any() else []
    fields = ["setting", "N", *length, "value", *ends, "questions"]
    return tooltips(fields, panel.key.source, panel.metric)


def panel_marks(panel: Panel, greedy: pd.DataFrame) -> list[str]:
    """The meaning of dots and the dashed line, for a caption; `greedy`: the baseline rows drawn."""
    synthetic, marks = panel.key.source == "synthetic", []
    if len(panel.dots):
        many = "repeats" if synthetic else "random orders"
        marks.append(f"dots: {panel.dots['permutation'].nunique()} {many}")
    if len(greedy):
        name = "greedy decoding" if synthetic else "greedy (temperature 0)"
        marks.append(f"dashed: {'plain gradient descent' if panel.metric == 'risk' else name}")
    return marks


def spread_out(values: Sequence[Value], most: int) -> list[Value]:
    """At most `most` (≥ 2) of `values`: the first, and every n-th back from the last."""
    stride = max(1, -(-(len(values) - 1) // (most - 1)))
    return [values[i] for i in sorted({0, *range(len(values) - 1, -1, -stride)})]


def counts_to_show(ns: Sequence[int], most: int) -> list[int]:
    """At most `most` of the N: powers of two, and always the first and the last."""
    kept = [n for n in ns if n & (n - 1) == 0 or n in (ns[0], ns[-1])]
    return spread_out(kept, most)


def axis_range(panel: Panel) -> tuple[float, float]:
    """The vertical range of all rows of the panel, widened to round numbers."""
    exact = [panel.exact[name] for name in ("value", "low", "high")]
    every = pd.concat([*exact, panel.dots["value"], panel.greedy["value"]])
    return value_range(every, panel.metric)


def shared_range(panels: Sequence[Panel]) -> tuple[float, float]:
    """The vertical range of several panels of one metric."""
    ranges = [axis_range(panel) for panel in panels]
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def value_range(values: "pd.Series[float]", metric: str) -> tuple[float, float]:
    """A vertical range with round ends that holds all `values`; an accuracy's stays within [0, 1]."""
    low, high = float(values.min()), float(values.max())
    if metric == "risk":
        room = 0.05 * (high - low) or 0.05 * high or 1.0
        return max(0.0, low - room), high + room
    step = 0.1 if high - low > 0.25 else 0.05
    return max(0.0, np.floor(low / step) * step), min(1.0, np.ceil(high / step + 1e-9) * step)
