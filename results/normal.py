"""90 % intervals: as wide as a standard error says under the normal law, and how good forecast ones are."""

from statistics import NormalDist

import pandas as pd

Z90 = NormalDist().inv_cdf(0.95)
"""A 90 % interval is a value ± Z90 (1.645) standard errors."""


def missed(rows: pd.DataFrame) -> "pd.Series[float]":
    """How far each row's `accuracy` lies outside its interval, `low` … `high`: 0 inside, NaN without one."""
    below, above = rows["low"] - rows["accuracy"], rows["accuracy"] - rows["high"]
    return below.clip(lower=0) + above.clip(lower=0)


def interval_score(rows: pd.DataFrame) -> "pd.Series[float]":
    """Width plus 2/α times the miss, α = 0.1; smaller is better (Winkler 1972, JASA 67)."""
    return rows["high"] - rows["low"] + 20 * missed(rows)
