"""From a curves table to panels: what one chart shows, its settings in order and its dots limited in number.

    Panel(source="llm", dataset="gsm8k", model="Llama-3.1-8B", method="majority", metric="accuracy", ...)
      exact   setting  length  N  value  low    high      the exact curve, band = value ± 1.645 stderr
      dots    setting  length  N  value  permutation      one row for each random order
      greedy  setting  length  value                      the temperature-0 baseline

`length` is the mean tokens of one answer; for the synthetic twin, its steps.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import TypeVar

import altair as alt
import numpy as np
import pandas as pd

from results.commandline import BadInput
from results.figures.axes import tooltips
from results.figures.words import METHOD_NAMES, curves_name
from results.normal import Z90
from results.votes.tokens import answer_lengths

Value = TypeVar("Value")

MOST_ORDERS = 10
"""Random orders a chart shows at most, as in the paper; the caption tells of more."""

_BESIDE = ("stderr", "stderr_vs_first_n", "stderr_vs_cheapest", "questions", "unreadable", "cut_off")
_NUMBERS = ("T", "tokens_per_answer", "N", "accuracy", "risk", *_BESIDE)


@dataclass(frozen=True)
class Panel:
    """One model on one dataset, its answers combined by one method; see the module's first lines.

    `price`: US dollars for a million tokens of the model's answers, NaN where not known.
    """

    source: str
    dataset: str
    model: str
    method: str
    metric: str
    settings: list[str]
    exact: pd.DataFrame
    dots: pd.DataFrame
    greedy: pd.DataFrame
    orders: int
    slug: str
    price: float = np.nan

    @property
    def key(self) -> tuple[str, str, str]:
        """What the panels of different methods on the same answers have in common."""
        return self.source, self.dataset, self.model

    @property
    def name(self) -> str:
        """Model and dataset in words."""
        return curves_name(self.source, self.dataset, self.model)

    @property
    def combined(self) -> str:
        """How answers are combined, as the start of a sentence."""
        words = METHOD_NAMES[self.method]
        return words[0].upper() + words[1:]

    @property
    def ns(self) -> list[int]:
        """The numbers of answers, rising."""
        return sorted(int(n) for n in self.exact["N"].unique())

    @property
    def has_lengths(self) -> bool:
        """Whether there are two or more settings of known length to draw accuracy against."""
        return bool(self.exact["length"].notna().all() and len(set(self.exact["length"])) > 1)

    def marks(self, greedy: pd.DataFrame) -> list[str]:
        """What the dots and the dashed line mean, for a caption; `greedy` are the baseline rows drawn."""
        said = []
        if self.orders:
            many = "repeats" if self.source == "synthetic" else "random orders"
            some = f"{MOST_ORDERS} of " if self.orders > MOST_ORDERS else ""
            said.append(f"dots: {some}{self.orders} {many}")
        if len(greedy):
            name = "greedy decoding" if self.source == "synthetic" else "greedy (temperature 0)"
            said.append(f"dashed: {'plain gradient descent' if self.metric == 'risk' else name}")
        return said

    def tooltips(self) -> list[alt.Tooltip]:
        """What an exact point says when pointed at."""
        length = ["length"] if self.exact["length"].notna().any() else []
        return tooltips(
            ["setting", "N", *length, "value", "low", "high", "questions"], self.source, self.metric
        )


def make_panels(curves: pd.DataFrame, prices: Mapping[str, float] | None = None) -> list[Panel]:
    """The panels of a curves table, in the order of its rows; greedy rows are their baseline, not panels.

    `prices` are those of models by name. Raises BadInput for a model that no row is of.
    """
    prices, models = prices or {}, list(curves.get("model", pd.Series(dtype=str)).unique())
    if unknown := [name for name in prices if name not in models]:
        raise BadInput(f"--price {unknown[0]}: no such model in these tables, which have {', '.join(models)}")
    frame = curves.reindex(columns=list(dict.fromkeys([*curves.columns, *_NUMBERS])))
    frame = frame.assign(**{name: frame[name].astype("float64") for name in _NUMBERS})
    frame = frame.assign(N=frame["N"].astype("int64"), length=answer_lengths(frame))
    panels: list[Panel] = []
    for key, part in frame.groupby(["source", "dataset", "model"], sort=False):
        greedy = part[part["method"] == "greedy"]
        sampled = part[part["method"] != "greedy"]
        for method, rows in sampled.groupby("method", sort=False):
            names = (str(key[0]), str(key[1]), str(key[2]), str(method))
            slug = unique_slug(names, [panel.slug for panel in panels])
            panels.append(_panel(names, rows, greedy, slug, prices.get(names[2], np.nan)))
    return panels


def unique_slug(names: Sequence[str], taken: Sequence[str]) -> str:
    """A file name out of words: lower-case ASCII letters and digits with hyphens, and a number if taken."""
    text = re.sub(r"[^a-z0-9]+", "-", " ".join(names).lower()).strip("-")[:80] or "figure"
    numbered = (f"{text}-{number}" for number in count(2))
    return next(name for name in chain([text], numbered) if name not in taken)


def _panel(
    names: tuple[str, str, str, str], rows: pd.DataFrame, greedy: pd.DataFrame, slug: str, price: float
) -> Panel:
    metric = "accuracy" if rows["accuracy"].notna().any() else "risk"
    rows = rows.assign(value=rows[metric]).dropna(subset=["value"])
    is_exact = rows["permutation"] == "exact"
    exact, dots = rows[is_exact], rows[~is_exact]
    if exact.empty:  # the table has random orders only: their mean stands in for the exact curve
        exact = dots.groupby(["setting", "N"], sort=False).mean(numeric_only=True).reset_index()
    margin = Z90 * exact["stderr"].fillna(0)
    top = 1.0 if metric == "accuracy" else np.inf
    exact = exact.assign(
        low=(exact["value"] - margin).clip(0, top), high=(exact["value"] + margin).clip(0, top)
    )
    orders = list(dict.fromkeys(dots["permutation"]))
    shown = dots[dots["permutation"].isin(orders[:MOST_ORDERS])]
    return Panel(
        *names,
        metric=metric,
        settings=order_settings(exact),
        exact=exact[["setting", "length", "N", "value", "low", "high", *_BESIDE]],
        dots=shown[["setting", "length", "N", "value", "permutation"]],
        greedy=greedy.assign(value=greedy[metric])[["setting", "length", "value"]].dropna(subset=["value"]),
        orders=len(orders),
        slug=slug,
        price=price,
    )


def order_settings(rows: pd.DataFrame) -> list[str]:
    """Settings from cheap to dear: by length where known, else by their number, else as they come."""
    names = list(dict.fromkeys(rows["setting"].astype(str)))
    lengths = rows.groupby("setting")["length"].mean()
    if lengths.reindex(names).notna().all():
        return sorted(names, key=lambda name: float(lengths[name]))
    try:
        return sorted(names, key=float)
    except ValueError:
        return names


def spread_out(values: Sequence[Value], most: int) -> list[Value]:
    """At most `most` (≥ 2) of `values`: the last, those an even stride before it, and the first."""
    stride = max(1, -(-(len(values) - 1) // (most - 1)))
    return [values[i] for i in sorted({0, *range(len(values) - 1, -1, -stride)})]


def counts_to_show(ns: Sequence[int], most: int) -> list[int]:
    """At most `most` of the N: powers of two where there are enough, and always the first and the last."""
    kept = [n for n in ns if n & (n - 1) == 0 or n in (ns[0], ns[-1])]
    return spread_out(kept, most)


def axis_range(panel: Panel) -> tuple[float, float]:
    """The vertical range in which all rows of the panel fit, widened to round numbers."""
    parts = [panel.exact["low"], panel.exact["high"], panel.dots["value"], panel.greedy["value"]]
    return value_range(pd.concat(parts), panel.metric)


def value_range(values: "pd.Series[float]", metric: str) -> tuple[float, float]:
    """A vertical range with round ends that holds all `values`; an accuracy's stays within [0, 1]."""
    low, high = float(values.min()), float(values.max())
    if metric == "risk":
        room = 0.05 * (high - low) or 0.05 * high or 1.0
        return max(0.0, low - room), high + room
    step = 0.1 if high - low > 0.25 else 0.05
    return max(0.0, np.floor(low / step) * step), min(1.0, np.ceil(high / step + 1e-9) * step)
