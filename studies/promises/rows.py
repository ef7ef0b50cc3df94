"""Promises and their measured values: one row for each number, with its Monte Carlo error.

table     case                 measure       now   error  runs  promised
clusters  12 × 10, ICC .3      different, %  4.6   0.2    12000 ≤ 5
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from results.votes.clusters import Clusters, standard_error


class Row(NamedTuple):
    """A measure of one case in one table of the page.

    now, error: the measured value and its standard error, in the unit named by the measure;
    runs: the number of independent draws; promised: a sign (≤, ≥ or =) and a number, "" if
    nothing is promised.
    """

    table: str
    case: str
    measure: str
    now: float
    error: float
    runs: int
    promised: str = ""


Found = tuple[float, float, int]
"""A measure, its standard error, and its number of draws."""


def at_most(part: float) -> str:
    """A promise of at most this share, in per cent."""
    return f"≤ {round(100 * part, 6):g}"


def at_least(part: float) -> str:
    """A promise of at least this share, in per cent."""
    return f"≥ {round(100 * part, 6):g}"


def share(values: npt.ArrayLike, clusters: Clusters = None) -> Found:
    """The percentage of true `values` (n,); values of one cluster were drawn together.

    A share of all or none is not certain: the error is at least that with four more draws,
    two of them true (Agresti and Coull, The American Statistician 1998).
    """
    true = np.asarray(values, dtype=np.float64)
    draws = len(set(clusters)) if clusters else true.size
    if not draws:
        return np.nan, np.nan, 0
    part = (true.mean() * draws + 2) / (draws + 4)
    least = np.sqrt(part * (1 - part) / (draws + 4))
    error = float(standard_error(true[:, None], clusters)[0])
    return 100 * float(true.mean()), 100 * float(np.fmax(error, least)), draws


def mean(values: npt.ArrayLike, of_each: float = 1.0) -> Found:
    """The mean of `values` (n,), times `of_each`."""
    drawn = np.asarray(values, dtype=np.float64)
    spread = float(drawn.std(ddof=1)) if drawn.size > 1 else np.nan
    return of_each * float(drawn.mean()), of_each * spread / drawn.size**0.5, drawn.size


def ratio(over: npt.ArrayLike, under: npt.ArrayLike) -> Found:
    """The mean of `over` (n,) relative to that of `under` (n,), drawn together; by the delta method."""
    above, below = np.asarray(over, dtype=np.float64), np.asarray(under, dtype=np.float64)
    value = float(above.mean() / below.mean())
    _, error, draws = mean(above - value * below)
    return value, error / float(below.mean()), draws
