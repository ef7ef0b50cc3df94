"""From a curves table to panels: the contents of one chart, with its settings in order.

    Panel(key=Key("llm", "gsm8k", "Llama-3.1-8B", method="majority"), metric="accuracy", …)
      exact   setting  length  N  value  low    high      the exact curve, and its interval
      dots    setting  length  N  value  permutation      one row for each random order
      greedy  setting  length  value                      the temperature-0 baseline

`length` is the mean tokens of one answer; for the synthetic twin, its steps.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain, count

import numpy as np
import pandas as pd

from results.normal import FORECAST_LEVEL, Interval, z_of
from results.paired.differences import least_stderr, students
from results.paper_fits import PaperFit, along_gap, along_t
from results.tables.key import PANEL, WHOSE, Key, groups, keys
from results.tables.money import NO_MONEY, Money, Paid
from results.votes.setting import sorted_settings
from results.votes.tokens import answer_lengths, budgets_ignored

_BESIDE = (
    *("stderr", "stderr_vs_first_n", "stderr_vs_cheapest"),
    *("questions", "clusters", "unreadable", "cut_off"),
)
_NUMBERS = ("T", "tokens_per_answer", "N", "accuracy", "risk", *_BESIDE)


@dataclass(frozen=True)
class Panel:
    """One model on one data set, its answers combined by one method; see the module docstring.

    `margin`: half-width of the interval of each exact row, unclipped. `paid`: the cost of
    the model's answers in US dollars, as far as it is known.
    """

    key: Key
    metric: str
    settings: list[str]
    exact: pd.DataFrame
    margin: "pd.Series[float]"
    dots: pd.DataFrame
    greedy: pd.DataFrame
    slug: str
    paid: Paid

    @property
    def of_model(self) -> bool:
        """Whether it shows accuracies of a language model."""
        return self.key.source == "llm" and self.metric == "accuracy"

    @property
    def ns(self) -> list[int]:
        """The values of N, in ascending order."""
        return sorted(int(n) for n in self.exact["N"].unique())

    @property
    def of_all(self) -> pd.DataFrame:
        """The exact rows that include all questions of their setting."""
        most = self.exact.groupby("setting")["questions"].transform("max")
        return self.exact[~(self.exact["questions"] < most)]

    @property
    def knows_costs(self) -> bool:
        """Whether the length of an answer is known at every setting."""
        return bool(self.exact["length"].notna().all())

    @property
    def has_lengths(self) -> bool:
        """Whether all lengths are known and two or more differ, so that they can be an axis."""
        return self.knows_costs and bool(np.ptp(self.exact["length"]) > 0)

    @property
    def lengths(self) -> dict[str, float]:
        """The length of an answer at each setting."""
        means = self.exact.groupby("setting")["length"].mean()
        return {setting: float(means[setting]) for setting in self.settings}

    @property
    def ignores_budgets(self) -> bool:
        """Whether the settings are token budgets that hardly affect the length of answers."""
        return self.has_lengths and budgets_ignored(self.lengths)


def make_panels(curves: pd.DataFrame, money: Money = NO_MONEY) -> list[Panel]:
    """The panels of a curves table, in the order of its rows; greedy rows are baselines, not panels."""
    table = curves.reindex(columns=list(dict.fromkeys([*curves.columns, *_NUMBERS])))
    table = table.assign(**{name: table[name].astype("float64") for name in _NUMBERS})
    table = table.assign(N=table["N"].astype("int64"), length=answer_lengths(table))
    sampled = table["method"] != "greedy"
    baselines = table[~sampled]
    whose = keys(baselines, WHOSE)
    panels: list[Panel] = []
    for key, rows in groups(table[sampled], PANEL):
        greedy = baselines[whose == key.whose]
        taken = [panel.slug for panel in panels]
        paid = money.paid(key.dataset, key.model)
        panels.append(_panel(key, rows, greedy, unique_slug(key.names, taken), paid))
    return panels


def _panel(key: Key, rows: pd.DataFrame, greedy: pd.DataFrame, slug: str, paid: Paid) -> Panel:
    metric = "accuracy" if rows["accuracy"].notna().any() else "risk"
    rows = rows.assign(value=rows[metric]).dropna(subset=["value"])
    greedy = greedy.assign(value=greedy[metric]).dropna(subset=["value"])
    exact, dots = _exact(rows, metric), rows[rows["permutation"] != "exact"]
    return Panel(
        key=key,
        metric=metric,
        settings=order_settings(exact),
        exact=exact[["setting", "length", "N", "value", "low", "high", *_BESIDE]],
        margin=exact["margin"],
        dots=dots[["setting", "length", "N", "value", "permutation"]],
        greedy=greedy[["setting", "length", "value"]],
        slug=slug,
        paid=paid,
    )


def _exact(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """The exact rows with their interval, NaN without a standard error.

    An accuracy's standard error is at least that of one missed question, as at 0 and 100 %. Without exact
    rows, the mean of the random orders is used.
    """
    exact = rows[rows["permutation"] == "exact"]
    if exact.empty:
        exact = rows.groupby(["setting", "N"], sort=False).mean(numeric_only=True).reset_index()
    counted = exact if metric == "accuracy" else exact.assign(questions=np.nan, clusters=np.nan)
    questions, clusters = counted["questions"], counted["clusters"]
    exact = exact.assign(stderr=trusted_stderr(exact["stderr"], questions, clusters))
    top = 1.0 if metric == "accuracy" else np.inf
    ends = of_new_questions(exact["value"], exact["stderr"], questions, clusters)
    margin = (ends.high - ends.low) / 2
    return exact.assign(low=ends.low.clip(0, top), high=ends.high.clip(0, top), margin=margin)


def trusted_stderr(
    stderr: "pd.Series[float]", questions: "pd.Series[float] | float", clusters: "pd.Series[float] | float"
) -> "pd.Series[float]":
    """Standard errors over questions, at least that of one missed question or cluster."""
    largest = np.fmax(1.0, np.asarray(questions / clusters))
    return stderr.clip(lower=np.nan_to_num(least_stderr(np.asarray(questions, np.float64), largest)))


def of_new_questions(
    value: "pd.Series[float]",
    stderr: "pd.Series[float]",
    questions: "pd.Series[float] | float",
    clusters: "pd.Series[float] | float",
    level: float = FORECAST_LEVEL,
) -> "Interval[pd.Series[float]]":
    """The interval of measured values for new questions of the same kind; NaN without a standard error.

    It uses the standard error over questions, and Student's t if these or their clusters are few. Figures,
    tables and plans all show this interval for measured points. Its ends may be beyond 0 and 1.
    """
    reach = z_of(level) * students(np.fmin(questions, clusters), level)
    margin = reach * trusted_stderr(stderr, questions, clusters)
    return Interval(value - margin, value + margin, level)


def fit_trends(panel: Panel) -> dict[int, PaperFit]:
    """The trend in T at each N of the panel that has one; {} if fewer than three lengths are known.

    These are the fits that `tts fits` writes. If no gap varies with T (for a risk, or a flat or
    step curve at N = 1), they are fitted to T itself.
    """
    rows = panel.exact.dropna(subset=["length"])
    parts = {n: rows[rows["N"] == n] for n in panel.ns if (rows["N"] == n).any()}
    fits = {n: along_t(part["length"], part["value"], panel.metric) for n, part in parts.items()}
    single = fits.get(1)
    for n, part in parts.items():
        if single and panel.metric == "accuracy" and n > 1:
            by_gap = along_gap(n, part["length"], part["value"], single)
            fits[n] = by_gap if by_gap.curve else fits[n]
    return {n: fit for n, fit in fits.items() if fit.curve}


def unique_slug(names: Sequence[str], taken: Collection[str]) -> str:
    """A file name made of words: lower-case ASCII letters, digits and hyphens, and a number if taken."""
    text = re.sub(r"[^a-z0-9]+", "-", " ".join(names).lower()).strip("-")[:80] or "figure"
    numbered = (f"{text}-{number}" for number in count(2))
    return next(name for name in chain([text], numbered) if name not in taken)


def order_settings(rows: pd.DataFrame) -> list[str]:
    """Settings from cheap to expensive: by length if known, else by their number, else as in the rows."""
    lengths = rows.groupby("setting", sort=False)["length"].mean()
    if lengths.notna().all():
        return list(lengths.sort_values(kind="stable").index)
    return sorted_settings(lengths)
