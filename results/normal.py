"""Intervals: what one holds and how often, the level that verdicts go by, and how good forecast ones are."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")

LEVEL = 0.95
"""The level that verdicts go by: two equal models are told apart in at most 5 of 100 comparisons."""


@dataclass(frozen=True)
class Interval(Generic[T]):
    """From `low` to `high`, numbers or arrays alike; it holds its quantity in a share `level` of cases."""

    low: T
    high: T
    level: float


def z_of(level: float) -> float:
    """How many standard errors a two-sided interval reaches to each side under the normal law."""
    return NormalDist().inv_cdf((1 + level) / 2)


FORECAST_LEVEL = 0.90
"""The level of the intervals of forecasts, as their tables say (docs/tables.md)."""

FORECAST_TAILS = (round((1 - FORECAST_LEVEL) / 2, 6), round((1 + FORECAST_LEVEL) / 2, 6))
"""The shares of what a forecast may come to that lie below the ends of such an interval."""

Z90 = z_of(FORECAST_LEVEL)
"""A 90 % interval is a value ± Z90 (1.645) standard errors."""


def missed(rows: pd.DataFrame) -> pd.Series[float]:
    """How far each row's `accuracy` lies outside its interval, `low` … `high`: 0 inside, NaN without one."""
    below, above = rows["low"] - rows["accuracy"], rows["accuracy"] - rows["high"]
    return below.clip(lower=0) + above.clip(lower=0)


def held(rows: pd.DataFrame) -> pd.Series[bool]:
    """Whether each row's interval holds its `accuracy`, but for rounding; False without one."""
    return missed(rows) <= 1e-9


def interval_score(rows: pd.DataFrame) -> pd.Series[float]:
    """Width plus 2/α times the miss, α = 1 − level; smaller is better (Winkler 1972, JASA 67).

    The level is that of a column `level`, or FORECAST_LEVEL where there is none.
    """
    alpha = 1 - rows.get("level", FORECAST_LEVEL)
    return rows["high"] - rows["low"] + missed(rows) * 2 / alpha
