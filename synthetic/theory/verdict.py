"""A claim of the paper, the rows it is checked by, and the verdict that follows from them.

    mean_row("fig2e t=2", "P(greedy right) (ours: > 0.97)", values, lambda low, high: low > 0.97)

Whether a row holds is decided by the ends of its 95 % interval.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from synthetic.model.tasks import Array

_Z = 1.96


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
    """What is claimed and where; `check(seed)` gives the rows, `condition` words a mixed outcome."""

    name: str
    where: str
    check: Callable[[int], Iterable[Row]]
    condition: Callable[[list[Row]], str] = field(
        default=lambda rows: " or ".join(dict.fromkeys(row.setting for row in rows if row.holds))
    )

    def verdict(self, rows: list[Row]) -> str:
        """holds, fails, or the condition under which it holds."""
        if all(row.holds for row in rows):
            return "holds"
        if not any(row.holds for row in rows):
            return "fails"
        return f"holds only if {self.condition(rows)}"


def mean_row(setting: str, quantity: str, values: Array, holds: Callable[[float, float], bool]) -> Row:
    """A mean over tasks with its 95 % interval; `holds` judges the interval's ends."""
    mean, count = float(values.mean()), len(values)
    if np.isin(values, (0.0, 1.0)).all():
        shrunk = (mean + _Z**2 / (2 * count)) / (1 + _Z**2 / count)
        half = _Z / (1 + _Z**2 / count) * float(np.sqrt(mean * (1 - mean) / count + (_Z / (2 * count)) ** 2))
    else:
        shrunk, half = mean, _Z * float(values.std(ddof=1) / np.sqrt(count))
    return Row(
        setting, quantity, mean, shrunk - half, shrunk + half, bool(holds(shrunk - half, shrunk + half))
    )


def extreme_row(setting: str, quantity: str, value: float, holds: bool) -> Row:
    """A largest or smallest value over everything computed: no interval."""
    return Row(setting, quantity, float(value), float(value), float(value), bool(holds))
