"""What more answers and longer answers gain, with the noise of the difference.

Gain(0.072, 0.035)  ->  "+7.2 ± 3.5 points", clearly a gain

The same questions are answered at every N and setting, so a difference is less noisy than two independent
values would make it. A curves table that holds standard errors paired by question is taken at its word; for
one that does not, they are computed as if independent, and the interval is too wide.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from results.figures.panels import Panel
from results.figures.words import points
from results.normal import Z90


@dataclass(frozen=True)
class Gain:
    """A difference of two accuracies (or risks) and the half-width of its 90 % interval."""

    value: float
    margin: float

    @property
    def direction(self) -> int:
        """1 or −1 where the value clearly rises or falls, 0 where all of it could be noise."""
        return int(np.sign(self.value)) if abs(self.value) > self.margin else 0

    def __str__(self) -> str:
        margin = f" ± {100 * self.margin:.1f}" if self.margin else ""
        return f"{points(self.value)}{margin} points"


def ends(panel: Panel) -> tuple[Any, Any, Any]:
    """Three exact rows: fewest answers at the cheapest setting and at the dearest, most at the dearest."""
    rows = panel.exact.sort_values("N")
    first, last = (rows[rows["setting"] == panel.settings[end]] for end in (0, -1))
    return first.iloc[0], last.iloc[0], last.iloc[-1]


def vote_gain(panel: Panel) -> Gain:
    """What the most answers gain over the fewest at the dearest setting."""
    _, one, many = ends(panel)
    return gain(one, many, "stderr_vs_first_n")


def length_gain(panel: Panel) -> Gain:
    """What the dearest setting gains over the cheapest at the fewest answers."""
    cheap, dear, _ = ends(panel)
    return gain(cheap, dear, "stderr_vs_cheapest")


def gain(before: Any, after: Any, paired: str) -> Gain:
    """The difference of two rows of a panel; `paired` is the column with its standard error.

    That column is null in the row that the others are compared with.
    """
    stderr = after[paired]
    if pd.isna(stderr) or pd.notna(before[paired]):
        stderr = np.hypot(*pd.Series([before["stderr"], after["stderr"]], dtype="float64").fillna(0))
    return Gain(float(after["value"] - before["value"]), Z90 * float(stderr))
