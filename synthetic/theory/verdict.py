"""A claim of the paper, the rows it is checked by, and the verdict that follows from them.

    mean_row("fig2e t=2", "P(greedy right) (ours: > 0.97)", values, above=0.97)

Whether a row holds is decided by the ends of its 95 % interval.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest

from synthetic.model.tasks import Array


@dataclass(frozen=True)
class Row:
    """One setting that a claim was checked at; an extreme has `low` and `high` equal to `measured`."""

    setting: str
    quantity: str
    measured: float
    low: float
    high: float
    holds: bool


@dataclass(frozen=True)
class Claim:
    """What is claimed and where; `check(seed)` gives the rows."""

    name: str
    where: str
    check: Callable[[int], Iterable[Row]]

    @staticmethod
    def verdict(rows: list[Row]) -> str:
        """holds, fails, or the settings at which it holds."""
        good = dict.fromkeys(row.setting for row in rows if row.holds)
        if all(row.holds for row in rows):
            return "holds"
        return f"holds only if {' or '.join(good)}" if good else "fails"


def mean_row(
    setting: str, quantity: str, values: Array, above: float = -np.inf, below: float = np.inf
) -> Row:
    """A mean over tasks with its 95 % interval; it holds if all of the interval is above or below."""
    mean, count = float(values.mean()), len(values)
    if np.isin(values, (0.0, 1.0)).all():
        low, high = map(float, binomtest(int(values.sum()), count).proportion_ci(method="wilson"))
    else:
        half = 1.96 * float(values.std(ddof=1) / np.sqrt(count))
        low, high = mean - half, mean + half
    return Row(setting, quantity, mean, low, high, bool(above < low and high < below))


def extreme_row(setting: str, quantity: str, value: float, holds: bool) -> Row:
    """A largest or smallest value over everything computed: no interval."""
    return Row(setting, quantity, float(value), float(value), float(value), bool(holds))
