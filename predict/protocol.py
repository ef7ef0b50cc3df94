"""What every predictor takes and gives back.

    observed  curve points (setting, T, N, accuracy), and the counted answers behind them where there are any
    targets   the (setting, T, N) to forecast
    ->        Prediction: mean 0.62, low 0.59, high 0.65, status "ok", condition 38.2   at each target

A predictor is a plain function `predict(observed, targets, options) -> Prediction`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from results.normal import FORECAST_TAILS
from results.tables.status import Status as Status
from results.votes.exact import AnswerPools

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Texts = NDArray[np.str_]


UNUSABLE = (Status.ILL_CONDITIONED, Status.OUT_OF_RANGE, Status.NOT_IDENTIFIABLE)
"""Nothing is decided by a forecast with one of these."""

ENDS = tuple(round(100 * tail) for tail in FORECAST_TAILS)
"""Percentiles at the ends of an interval."""

_SEVERITY = {status: rank for rank, status in enumerate(Status)}


def everywhere(status: Status, M: int) -> Texts:
    """The same status at M targets."""
    return np.full(M, str(status), dtype="<U20")


def more_severe(one: Texts, other: Texts | Status) -> Texts:
    """Elementwise the more severe of two statuses, broadcast."""
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
    """Places on accuracy curves, one element a point: setting, T (tokens or steps of one answer) and N.

    `spread`: standard deviation of log T where T is a forecast itself, 0 elsewhere; None: 0 everywhere.
    """

    setting: Texts
    T: Floats
    N: Ints
    spread: Floats | None = None

    def __len__(self) -> int:
        return len(self.N)

    def settings(self) -> list[tuple[str, float]]:
        """The different settings with their T, cheapest first (unknown T last)."""
        return sorted(
            {str(s): float(t) for s, t in zip(self.setting, self.T, strict=True)}.items(),
            key=lambda pair: (np.isnan(pair[1]), pair[1], pair[0]),
        )

    def __getitem__(self, at: NDArray[np.bool_] | Ints) -> "Points":
        """The points that a mask or indices choose."""
        return Points(
            self.setting[at], self.T[at], self.N[at], None if self.spread is None else self.spread[at]
        )

    def places(self) -> list[tuple[str, int]]:
        """(setting, N) of each point."""
        return list(zip(self.setting.tolist(), self.N.tolist(), strict=True))

    @staticmethod
    def grid(lengths: Mapping[str, float], N: Sequence[int] | Ints) -> "Points":
        """Every N at every setting of `lengths`, which maps settings to T."""
        T = np.array(list(lengths.values()), dtype=np.float64)
        ns = np.asarray(N, dtype=np.int64)
        return Points(np.repeat(list(lengths), len(ns)), np.repeat(T, len(ns)), np.tile(ns, len(lengths)))


@dataclass(frozen=True, eq=False)
class Run:
    """Answers of one `setting` looked at as if each had been stopped at `cap` tokens.

    `caps`: what stopping later would be called as a setting, with its tokens; the first is `cap` itself.
    """

    setting: str
    answers: AnswerPools
    cap: int
    caps: Mapping[str, int]


@dataclass(frozen=True)
class Observed:
    """What a predictor may look at.

    Arguments:
        points: the observed curve points, P of them, sorted by T, then N.
        accuracy: their accuracies, shape (P,).
        stderr: their standard errors over questions, shape (P,); NaN where unknown.
        replicates: the same accuracies for R bootstrap samples, shape (R, P); R = 0 for no intervals.
        pools: the counted answers by setting; empty when only curves are known.
        method: majority or best_of_n.
        run: where dearer caps are asked, the answers as they were stopped.
    """

    points: Points
    accuracy: Floats
    stderr: Floats
    replicates: Floats
    pools: tuple[Pool, ...] = ()
    method: str = "majority"
    run: Run | None = None


@dataclass(frozen=True)
class Options:
    """How intervals are made.

    Arguments:
        replicates: how many replicates or draws they are read from; 0 for none.
        target: "these-questions" (what sampling the same questions further will show) or "population".
        pool: answers a question in the pool whose accuracy is forecast; None: the largest N asked for.
    """

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
    notes: tuple[str, ...] = ()


Predictor = Callable[[Observed, Points, Options], Prediction]


def with_interval(
    mean: Floats, draws: Floats, status: Texts, condition: Floats, notes: tuple[str, ...] = ()
) -> Prediction:
    """A Prediction whose interval is the middle 90 % of `draws` (R, M), widened to hold the mean itself.

    A missing mean is marked not_identifiable. A mean outside [0, 1] is kept and marked out_of_range. Its
    interval and that of an ill-conditioned mean may leave [0, 1], to show how unstable they are.
    """
    outside = (mean < -1e-9) | (mean > 1 + 1e-9)
    status = more_severe(status, np.where(outside, Status.OUT_OF_RANGE, Status.OK))
    status = more_severe(status, np.where(np.isnan(mean), Status.NOT_IDENTIFIABLE, Status.OK))
    ends = np.full((2, len(mean)), np.nan)
    usable = np.isfinite(draws).any(axis=0) & np.isfinite(mean)
    if usable.any():
        ends[:, usable] = np.nanpercentile(draws[:, usable], ENDS, axis=0)
        ends = np.where(outside | (status == Status.ILL_CONDITIONED), ends, np.clip(ends, 0.0, 1.0))
    low, high = np.minimum(ends[0], mean), np.maximum(ends[1], mean)  # NaN where there is no end
    return Prediction(mean, low, high, status, condition, notes)
