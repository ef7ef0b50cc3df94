"""Intervals: their type, the levels of verdicts and forecasts, and how well forecast intervals do."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")

LEVEL = 0.95
"""The level of verdicts: two equal models are declared different in at most 5 of 100 comparisons."""


@dataclass(frozen=True)
class Interval(Generic[T]):
    """From `low` to `high`, numbers or arrays; it contains the true value in a share `level` of cases."""

    low: T
    high: T
    level: float


def z_of(level: float) -> float:
    """The half-width of a two-sided normal interval, in standard errors."""
    return NormalDist().inv_cdf((1 + level) / 2)


FORECAST_LEVEL = 0.90
"""The level of forecast intervals, as in their tables (docs/tables.md)."""

FORECAST_TAILS = (round((1 - FORECAST_LEVEL) / 2, 6), round((1 + FORECAST_LEVEL) / 2, 6))
"""The probabilities of the quantiles at the ends of a forecast's interval."""

Z90 = z_of(FORECAST_LEVEL)
"""A 90 % interval is a value ± Z90 (1.645) standard errors."""


def missed(rows: pd.DataFrame) -> pd.Series[float]:
    """How far each row's `accuracy` is outside its interval, `low` … `high`: 0 inside, NaN without one."""
    below, above = rows["low"] - rows["accuracy"], rows["accuracy"] - rows["high"]
    return below.clip(lower=0) + above.clip(lower=0)


def held(rows: pd.DataFrame) -> pd.Series[bool]:
    """Whether each row's interval contains its `accuracy`, up to rounding; False without one."""
    return missed(rows) <= 1e-9


def interval_score(rows: pd.DataFrame) -> pd.Series[float]:
    """Width plus 2/α times the miss, α = 1 − level; smaller is better (Winkler 1972, JASA 67).

    The level is the column `level`, or FORECAST_LEVEL if there is none.
    """
    alpha = 1 - rows.get("level", FORECAST_LEVEL)
    return rows["high"] - rows["low"] + missed(rows) * 2 / alpha
