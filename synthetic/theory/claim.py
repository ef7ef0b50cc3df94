"""A claim of the paper, the rows that check it, and the verdict that follows from them.

    mean_row("fig2e t=2", "P(greedy right) (ours: > 0.97)", values, above=0.97)

    interval        claimed: above 0       outcome
    0.01 … 0.05                            holds
    −0.05 … −0.01                          fails
    −0.01 … 0.05                           undecided: more tasks would tell

A row's outcome is decided by the ends of its interval, at the level used for verdicts everywhere, and a
claim's verdict by its rows. `where` begins with "ours" if the paper does not make the claim.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import stdtrit
from scipy.stats import binomtest

from results.normal import LEVEL, Interval
from synthetic.model.tasks import Array

Outcome = Literal["holds", "undecided", "fails"]

GROUPS = 20
"""Groups of tasks for the jackknife of a fitted number."""

_WORST_FIRST: tuple[Outcome, ...] = ("fails", "undecided", "holds")


@dataclass(frozen=True)
class ClaimRow:
    """One setting at which a claim was checked; an extreme has `low` and `high` equal to `measured`."""

    setting: str
    quantity: str
    measured: float
    low: float
    high: float
    outcome: Outcome


@dataclass(frozen=True)
class Claim:
    """What is claimed and where; `check(seed)` returns the rows."""

    name: str
    where: str
    check: Callable[[int], Iterable[ClaimRow]]

    @staticmethod
    def verdict(rows: list[ClaimRow]) -> str:
        """holds, fails or undecided; if settings differ, those at which it holds and those undecided.

        A claim is about all of its settings: it holds if it does at each, and is undecided if none fails
        and some are undecided. A setting's outcome is the worst of its rows'.
        """
        outcomes: dict[str, Outcome] = {}
        for row in rows:
            before = outcomes.get(row.setting, "holds")
            outcomes[row.setting] = min(before, row.outcome, key=_WORST_FIRST.index)
        settings = {one: [name for name in outcomes if outcomes[name] == one] for one in _WORST_FIRST}
        left_open = " and ".join(settings["undecided"])
        if not settings["fails"] and not settings["undecided"]:
            return "holds"
        if not settings["fails"]:
            return f"undecided at {left_open}" if settings["holds"] else "undecided"
        decided = f"holds only at {' and '.join(settings['holds'])}" if settings["holds"] else "fails"
        return f"{decided}; undecided at {left_open}" if left_open else decided


def outcome_of(interval: Interval[float], above: float = -np.inf, below: float = np.inf) -> Outcome:
    """Holds if the whole interval lies between the bounds, fails if all of it is beyond one of them."""
    if above < interval.low and interval.high < below:
        return "holds"
    if interval.high <= above or interval.low >= below:
        return "fails"
    return "undecided"


def mean_row(
    setting: str, quantity: str, values: Array, above: float = -np.inf, below: float = np.inf
) -> ClaimRow:
    """A mean over tasks with its interval, and whether it is within the claimed bounds."""
    mean, interval = float(values.mean()), mean_interval(values)
    return ClaimRow(setting, quantity, mean, interval.low, interval.high, outcome_of(interval, above, below))


def mean_interval(values: Array) -> Interval[float]:
    """Interval of a mean over tasks: Wilson's for a share of them, else Student's t (some have few tasks)."""
    count = len(values)
    if np.isin(values, (0.0, 1.0)).all():
        wilson = binomtest(int(values.sum()), count).proportion_ci(LEVEL, method="wilson")
        return Interval(float(wilson.low), float(wilson.high), LEVEL)
    mean, stderr = float(values.mean()), float(values.std(ddof=1) / np.sqrt(count))
    half = float(stdtrit(count - 1, (1 + LEVEL) / 2)) * stderr
    return Interval(mean - half, mean + half, LEVEL)


def fitted_row(
    setting: str,
    quantity: str,
    of: Callable[..., float],
    *values: Array,
    above: float = -np.inf,
    below: float = np.inf,
    most: float = np.inf,
) -> ClaimRow:
    """A number from 0 to `most` that `of` fits to the mean over tasks of each of `values`, (tasks, …).

    Its standard error is from the delete-a-group jackknife (Miller 1974, Biometrika 61, 1-15), its
    interval from Student's t with one degree of freedom fewer than groups.
    """
    everyone = np.arange(len(values[0]))
    groups = np.array_split(everyone, min(GROUPS, len(everyone)))
    value, *less = (
        float(of(*(one[tasks].mean(axis=0) for one in values)))
        for tasks in (everyone, *(np.delete(everyone, group) for group in groups))
    )
    freedom = len(groups) - 1
    half = float(stdtrit(freedom, (1 + LEVEL) / 2) * np.sqrt(freedom) * np.std(less))
    interval = Interval(max(value - half, 0.0), min(value + half, most), LEVEL)
    outcome = outcome_of(interval, above, below)
    return ClaimRow(setting, quantity, value, interval.low, interval.high, outcome)


def extreme_row(setting: str, quantity: str, value: float, holds: bool) -> ClaimRow:
    """The value closest to a counterexample, for a statement about every case."""
    return ClaimRow(
        setting, quantity, float(value), float(value), float(value), "holds" if holds else "fails"
    )
