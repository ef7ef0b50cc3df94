"""What more answers and longer answers change, and whether the change is clear.

    vote_gain(panel)    ->  Gain(value=0.040, margin=0.028): +4.0 ± 2.8 points, which pays
    length_gain(panel)  ->  Gain(value=0.002, margin=0.028): no clear difference

A gain pays, or hurts, where its interval at LEVEL excludes 0; without a standard error neither is said. The
same questions are answered at every N and setting: a standard error of the difference that is paired by
question is taken at its word; where the table has none, those of both values count as independent, and the
interval is too wide.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from results.figures.panels import Panel
from results.figures.words import points
from results.normal import LEVEL, z_of
from results.paired.differences import fewest_questions, least_stderr
from results.paired.verdict import Verdict, verdict
from results.votes.tokens import budgets_ignored

_DIRECTIONS: dict[Verdict, int] = {"better": 1, "worse": -1, "undecided": 0}


@dataclass(frozen=True)
class Gain:
    """A difference of two accuracies (or risks) and the half-width of its interval, NaN where not known."""

    value: float
    margin: float

    @property
    def known(self) -> bool:
        """Whether it can be told from noise at all."""
        return not np.isnan(self.margin)

    @property
    def direction(self) -> int:
        """1 or −1 where the value clearly rises or falls, 0 where all of it could be noise."""
        return _DIRECTIONS[verdict(self.value - self.margin, self.value + self.margin)]

    @property
    def verb(self) -> str:
        """What it comes to: "pays"."""
        if not self.known:
            return "cannot be judged"
        return {1: "pays", 0: "makes no clear difference", -1: "hurts"}[self.direction]

    def __str__(self) -> str:
        margin = f" ± {100 * self.margin:.1f}" if self.margin < 1 else ""
        return f"{points(self.value)}{margin} points"


def gain(before: Any, after: Any, paired: str) -> Gain:
    """The difference of two rows of a panel; `paired` is the column with its standard error.

    That column is null in the row that the others are compared with. One question has no standard error.
    """
    stderr = after[paired]
    if pd.isna(stderr) or pd.notna(before[paired]):
        stderr = np.hypot(before["stderr"], after["stderr"])
    questions = np.fmin(before["questions"], after["questions"])
    return Gain(float(after["value"] - before["value"]), _margin(float(stderr), float(questions)))


def _margin(stderr: float, questions: float) -> float:
    """The half-width of the interval of a mean over `questions`, by the rules of `paired.differences`.

    By the normal law where it is not told how many there are.
    """
    if np.isnan(stderr) or np.isnan(questions):
        return z_of(LEVEL) * stderr
    if questions < fewest_questions(LEVEL):
        return np.inf
    trusted = max(stderr, float(least_stderr(int(questions))))
    return float(special.stdtrit(questions - 1, (1 + LEVEL) / 2)) * trusted


def ends(panel: Panel) -> tuple[Any, Any, Any]:
    """Three exact rows: fewest answers at the cheapest setting and at the dearest, most at the dearest."""
    rows = panel.exact.sort_values("N")
    first, last = (rows[rows["setting"] == panel.settings[end]] for end in (0, -1))
    return first.iloc[0], last.iloc[0], last.iloc[-1]


def vote_gain(panel: Panel) -> Gain:
    """What the most answers gain over the fewest at the dearest setting."""
    return gain(*ends(panel)[1:], "stderr_vs_first_n")


def length_gain(panel: Panel) -> Gain:
    """What the dearest setting gains over the cheapest at the fewest answers."""
    return gain(*ends(panel)[:2], "stderr_vs_cheapest")


def length_ignored(panel: Panel) -> bool:
    """Whether the settings are tokens asked for that hardly set the length of the answers."""
    used = panel.exact.groupby("setting")["length"].mean()
    return panel.has_lengths and budgets_ignored({name: float(used[name]) for name in panel.settings})
