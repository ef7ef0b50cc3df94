"""From a curves table to panels: what one chart shows, its settings in order.

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

from results.figures.axes import tooltips
from results.figures.words import METHOD_NAMES, curves_name, sentence
from results.normal import Z90
from results.votes.tokens import answer_lengths

Value = TypeVar("Value")

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
    slug: str
    price: float

    @property
    def key(self) -> tuple[str, str, str]:
        """What the panels of different methods on the same answers have in common."""
        return self.source, self.dataset, self.model

    @property
    def name(self) -> str:
        """Model and dataset in words."""
        return curves_name(*self.key)

    @property
    def combined(self) -> str:
        """How answers are combined, as the start of a sentence."""
        return sentence(METHOD_NAMES[self.method])

    @property
    def ns(self) -> list[int]:
        """The numbers of answers, rising."""
        return sorted(int(n) for n in self.exact["N"].unique())

    @property
    def has_lengths(self) -> bool:
        """Whether there are two or more settings of known length to draw accuracy against."""
        return bool(self.exact["length"].notna().all() and np.ptp(self.exact["length"]) > 0)

    def marks(self, greedy: pd.DataFrame) -> list[str]:
        """What the dots and the dashed line mean, for a caption; `greedy` are the baseline rows drawn."""
        said = []
        if len(self.dots):
            many = "repeats" if self.source == "synthetic" else "random orders"
            said.append(f"dots: {self.dots['permutation'].nunique()} {many}")
        if len(greedy):
            name = "greedy decoding" if self.source == "synthetic" else "greedy (temperature 0)"
            said.append(f"dashed: {'plain gradient descent' if self.metric == 'risk' else name}")
        return said

    def tooltips(self) -> list[alt.Tooltip]:
        """What an exact point says when pointed at."""
        length = ["length"] if self.exact["length"].notna().any() else []
        ends = ["low", "high"] if self.exact["low"].notna().any() else []
        fields = ["setting", "N", *length, "value", *ends, "questions"]
        return tooltips(fields, self.source, self.metric)


def make_panels(curves: pd.DataFrame, prices: Mapping[str, float] | None = None) -> list[Panel]:
    """The panels of a curves table, in the order of its rows; greedy rows are their baseline, not panels.

    `prices`: US dollars for a million tokens by model.
    """
    frame = curves.reindex(columns=list(dict.fromkeys([*curves.columns, *_NUMBERS])))
    frame = frame.assign(**{name: frame[name].astype("float64") for name in _NUMBERS})
    frame = frame.assign(N=frame["N"].astype("int64"), length=answer_lengths(frame))
    sampled = frame["method"] != "greedy"
    panels: list[Panel] = []
    for names, rows in frame[sampled].groupby(["source", "dataset", "model", "method"], sort=False):
        source, dataset, model, method = map(str, names)
        metric = "accuracy" if rows["accuracy"].notna().any() else "risk"
        same = frame[["source", "dataset", "model"]].eq([source, dataset, model]).all(axis=1)
        greedy = frame[same & ~sampled]
        rows = rows.assign(value=rows[metric]).dropna(subset=["value"])
        exact, dots = _exact(rows, metric), rows[rows["permutation"] != "exact"]
        slug = unique_slug([source, dataset, model, method], [panel.slug for panel in panels])
        tables = (
            exact[["setting", "length", "N", "value", "low", "high", *_BESIDE]],
            dots[["setting", "length", "N", "value", "permutation"]],
            greedy.assign(value=greedy[metric])[["setting", "length", "value"]].dropna(subset=["value"]),
        )
        about = source, dataset, model, method, metric, order_settings(exact)
        panels.append(Panel(*about, *tables, slug, (prices or {}).get(model, np.nan)))
    return panels


def _exact(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """The exact rows with their interval, NaN without a standard error.

    The mean of the random orders stands in where there are no exact rows.
    """
    exact = rows[rows["permutation"] == "exact"]
    if exact.empty:
        exact = rows.groupby(["setting", "N"], sort=False).mean(numeric_only=True).reset_index()
    margin = Z90 * exact["stderr"]
    top = 1.0 if metric == "accuracy" else np.inf
    low, high = ((exact["value"] + sign * margin).clip(0, top) for sign in (-1, 1))
    return exact.assign(low=low, high=high)


def unique_slug(names: Sequence[str], taken: Sequence[str]) -> str:
    """A file name out of words: lower-case ASCII letters and digits with hyphens, and a number if taken."""
    text = re.sub(r"[^a-z0-9]+", "-", " ".join(names).lower()).strip("-")[:80] or "figure"
    numbered = (f"{text}-{number}" for number in count(2))
    return next(name for name in chain([text], numbered) if name not in taken)


def order_settings(rows: pd.DataFrame) -> list[str]:
    """Settings from cheap to dear: by length where known, else by their number, else as they come."""
    lengths = rows.groupby("setting", sort=False)["length"].mean()
    if lengths.notna().all():
        return list(lengths.sort_values(kind="stable").index)
    names = list(lengths.index)
    return sorted(names, key=int) if all(name.isdecimal() for name in names) else names


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
    exact = [panel.exact[name] for name in ("value", "low", "high")]
    return value_range(pd.concat([*exact, panel.dots["value"], panel.greedy["value"]]), panel.metric)


def value_range(values: "pd.Series[float]", metric: str) -> tuple[float, float]:
    """A vertical range with round ends that holds all `values`; an accuracy's stays within [0, 1]."""
    low, high = float(values.min()), float(values.max())
    if metric == "risk":
        room = 0.05 * (high - low) or 0.05 * high or 1.0
        return max(0.0, low - room), high + room
    step = 0.1 if high - low > 0.25 else 0.05
    return max(0.0, np.floor(low / step) * step), min(1.0, np.ceil(high / step + 1e-9) * step)
