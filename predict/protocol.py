"""What every predictor takes and gives back.

    observed  curve points (setting, T, N, accuracy), and the counted answers behind them where there are any
    targets   the (setting, T, N) to forecast
    ->        Prediction: mean 0.62, low 0.59, high 0.65, status "ok", condition 38.2   at each target

A predictor is a plain function `predict(observed, targets, options) -> Prediction`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from results.tables.status import Status as Status
from results.votes.exact import AnswerPools

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Texts = NDArray[np.str_]


UNUSABLE = (Status.ILL_CONDITIONED, Status.OUT_OF_RANGE, Status.NOT_IDENTIFIABLE)
"""Nothing is decided by a forecast with one of these."""

_SEVERITY = {status: rank for rank, status in enumerate(Status)}


def more_severe(one: Texts, other: Texts) -> Texts:
    """Elementwise the more severe of two arrays of status values."""
    ranks = np.vectorize(lambda value: _SEVERITY[Status(value)], otypes=[np.int64])
    return np.where(ranks(one) >= ranks(other), one, other)


@dataclass(frozen=True)
class Pool:
    """The answers of one setting; `T`: tokens (for the twin: steps) of an answer, NaN if not counted."""

    setting: str
    T: float
    answers: AnswerPools


@dataclass(frozen=True)
class Points:
    """Places on accuracy curves, one element a point: setting, T (tokens or steps of one answer) and N."""

    setting: Texts
    T: Floats
    N: Ints

    def __len__(self) -> int:
        return len(self.N)

    def settings(self) -> list[tuple[str, float]]:
        """The different settings with their T, cheapest first (unknown T last)."""
        return sorted(
            {str(s): float(t) for s, t in zip(self.setting, self.T, strict=True)}.items(),
            key=lambda pair: (np.isnan(pair[1]), pair[1], pair[0]),
        )


@dataclass(frozen=True)
class Observed:
    """What a predictor may look at.

    Arguments:
        points: the observed curve points, P of them.
        accuracy: their accuracies, shape (P,).
        stderr: their standard errors over questions, shape (P,); NaN where unknown.
        replicates: the same accuracies for R bootstrap samples, shape (R, P); R = 0 for no intervals.
        pools: the counted answers by setting; empty when only curves are known.
        method: majority or best_of_n.
    """

    points: Points
    accuracy: Floats
    stderr: Floats
    replicates: Floats
    pools: tuple[Pool, ...] = ()
    method: str = "majority"


@dataclass(frozen=True)
class Options:
    """How intervals are made.

    Arguments:
        level: their coverage.
        replicates: how many replicates or draws they are read from; 0 for none.
        target: "these-questions" (what sampling the same questions further will show) or "population".
        pool: answers a question in the pool whose accuracy is forecast; None: the largest N asked for.
    """

    level: float = 0.9
    replicates: int = 0
    seed: int = 0
    target: str = "these-questions"
    pool: int | None = None


@dataclass(frozen=True)
class Prediction:
    """One forecast a target; NaN for a mean that cannot be given, never a clipped one."""

    mean: Floats
    low: Floats
    high: Floats
    status: Texts
    condition: Floats
    notes: tuple[str, ...] = field(default=())


Predictor = Callable[[Observed, Points, Options], Prediction]


def with_interval(
    mean: Floats, draws: Floats, status: Texts, condition: Floats, level: float, notes: tuple[str, ...] = ()
) -> Prediction:
    """A Prediction whose interval is the middle `level` of `draws` (R, M), widened to hold the mean itself.

    Means outside [0, 1] are kept as they are and marked out_of_range; missing ones not_identifiable. The
    interval of any other mean ends at 0 and 1, but that of an ill-conditioned one, which shows how unstable
    it is.
    """
    outside = (mean < -1e-9) | (mean > 1 + 1e-9)
    status = more_severe(status, np.where(outside, Status.OUT_OF_RANGE, Status.OK))
    status = more_severe(status, np.where(np.isnan(mean), Status.NOT_IDENTIFIABLE, Status.OK))
    if len(draws):
        tail = 50 * (1 - level)
        usable = np.isfinite(draws).any(axis=0) & np.isfinite(mean)
        ends = np.full((2, len(mean)), np.nan)
        ends[:, usable] = np.nanpercentile(draws[:, usable], [tail, 100 - tail], axis=0)
        ends = np.where(outside | (status == Status.ILL_CONDITIONED), ends, np.clip(ends, 0.0, 1.0))
        low, high = np.fmin(ends[0], mean), np.fmax(ends[1], mean)
        low, high = np.where(np.isnan(ends[0]), np.nan, low), np.where(np.isnan(ends[1]), np.nan, high)
    else:
        low = high = np.full(len(mean), np.nan)
    return Prediction(mean, low, high, status, condition, notes)
