"""The gains from more answers and from longer answers, and whether they are clear.

    vote_gain(panel)    ->  Gain(value=0.040, margin=0.028): +4.0 ± 2.8 points, which pays
    length_gain(panel)  ->  Gain(value=0.002, margin=0.028): no clear difference

A gain pays, or hurts, if its interval at LEVEL excludes 0; without a standard error, neither is
said. The same questions are answered at every N and setting, so a standard error of the
difference paired by question is used if the table has one; if not, both values are treated as
independent, and the interval is too wide.

    ranks(comparison)   ->  large may rank 1 to 2 of 5 runs
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from results.normal import LEVEL, z_of
from results.paired.differences import half_width, least_stderr
from results.paired.verdict import Verdict, verdict
from results.summary.panels import Panel

FEWEST_RUNS = 3
"""The fewest runs to rank; for two, the verdict says more."""


@dataclass(frozen=True)
class Gain:
    """A difference of two accuracies (or risks) and the half-width of its interval, NaN if unknown."""

    value: float
    margin: float

    @property
    def known(self) -> bool:
        """Whether its uncertainty is known."""
        return not np.isnan(self.margin)

    @property
    def verdict(self) -> Verdict:
        """Whether the value clearly rises or falls; undecided if it could be noise."""
        return verdict(self.value - self.margin, self.value + self.margin)


class Ends(NamedTuple):
    """Four exact rows: the cheapest and the most expensive setting at the smallest N that both have (if none,
    each at its own), and the smallest and largest N at the most expensive one."""

    cheapest: Any
    dearest: Any
    fewest: Any
    most: Any


def ends(panel: Panel) -> Ends:
    """The rows between which gains are measured."""
    rows = panel.of_all.sort_values("N")
    first = rows[rows["setting"] == panel.settings[0]]
    last = rows[rows["setting"] == panel.settings[-1]]
    alike = first["N"].isin(last["N"]), last["N"].isin(first["N"])
    cheapest, dearest = (
        own[both if both.any() else ~both] for own, both in zip((first, last), alike, strict=True)
    )
    return Ends(cheapest.iloc[0], dearest.iloc[0], last.iloc[0], last.iloc[-1])


def vote_gain(panel: Panel) -> Gain:
    """The gain of the largest N over the smallest at the most expensive setting."""
    places = ends(panel)
    return gain(places.fewest, places.most, "stderr_vs_first_n")


def length_gain(panel: Panel) -> Gain:
    """The gain of the most expensive setting over the cheapest at the smallest N; NaN if they share none."""
    places = ends(panel)
    if places.cheapest["N"] != places.dearest["N"]:
        return Gain(float("nan"), float("nan"))
    return gain(places.cheapest, places.dearest, "stderr_vs_cheapest")


def gain(before: Any, after: Any, paired: str) -> Gain:
    """The difference of two rows of a panel; `paired` is the column with its standard error.

    This column is null in the row that others are compared with. A single question has no
    standard error.
    """
    stderr = after[paired]
    if pd.isna(stderr) or pd.notna(before[paired]):
        stderr = np.hypot(before["stderr"], after["stderr"])
    questions = np.fmin(before["questions"], after["questions"])
    draws = np.fmin(questions, np.fmin(*(row.get("clusters", np.nan) for row in (before, after))))
    return Gain(float(after["value"] - before["value"]), _margin(float(stderr), float(questions), draws))


def _margin(stderr: float, questions: float, draws: float) -> float:
    """The half-width of the interval of a mean over `questions`, by the rules of `paired.differences`.

    draws: the number of questions, or of clusters. If unknown (NaN), the interval is normal.
    """
    if np.isnan(stderr) or np.isnan(draws):
        return z_of(LEVEL) * stderr
    trusted = max(stderr, float(least_stderr(questions, questions / draws)))
    return float(half_width(trusted, draws, LEVEL))


def ranks(comparison: pd.DataFrame) -> pd.DataFrame:
    """The possible ranks of runs in a comparison table, if FEWEST_RUNS or more are all compared pairwise.

    Columns: dataset, setting ("" if the sides' settings differ), table (if several), method, N
    (the smallest and the largest), run, accuracy, first, last. The true rank is from `first`,
    1 + the runs clearly better, to `last`, all runs minus those clearly worse. All ranks hold
    at the level of the comparison, as its intervals are simultaneous.
    """
    same = comparison["setting_a"] == comparison["setting_b"]
    setting = comparison["setting_a"].where(same, "").rename("setting")
    table = comparison.get("table", pd.Series("", index=comparison.index)).rename("table")
    parts = [pd.DataFrame(columns=["dataset", "setting", "table", "method", "N", "run"])]
    for (dataset, at, name), own in comparison.groupby(["dataset", setting, table], sort=False):
        pairs_by = (
            own.drop_duplicates(["method", "a", "b", "setting_a", "setting_b"])
            .groupby("method", sort=False)
            .size()
        )
        method = str(pairs_by.idxmax())  # verdicts cast no votes: a vote may compare fewer pairs
        plain = own[own["method"] == method]
        pairs = plain["N"].value_counts()
        of_all = pairs[pairs == pairs.max()].index
        for n in sorted({of_all.min(), of_all.max()}):
            rows = _ranked(plain[plain["N"] == n])
            if len(rows) >= FEWEST_RUNS and 2 * pairs[n] == len(rows) * (len(rows) - 1):
                parts.append(
                    rows.assign(dataset=str(dataset), setting=str(at), table=str(name), method=method, N=n)
                )
    return pd.concat(parts[1:] or parts, ignore_index=True)


def _ranked(pairs: pd.DataFrame) -> pd.DataFrame:
    """The runs of the pairs with their first and last possible rank."""
    b_is = pd.Series(map(verdict, pairs["low"], pairs["high"]), index=pairs.index, dtype=object)
    sides = []
    for side, ahead, behind in (("a", "worse", "better"), ("b", "better", "worse")):
        named = pairs[side]
        several = (pairs["setting_a"] != pairs["setting_b"]) & (named != pairs[f"setting_{side}"])
        named = named.mask(several, named + ", " + pairs[f"setting_{side}"])
        accuracy = pairs[f"accuracy_{side}"]
        beats, loses = b_is == ahead, b_is == behind
        sides.append(pd.DataFrame({"run": named, "accuracy": accuracy, "beats": beats, "loses": loses}))
    runs = pd.concat(sides).groupby("run", sort=False)
    rows = runs.agg({"accuracy": "mean", "beats": "sum", "loses": "sum"})
    rows = rows.assign(first=1 + rows["loses"], last=len(rows) - rows["beats"]).reset_index()
    return rows.sort_values(["accuracy", "run"], ascending=[False, True], ignore_index=True)
