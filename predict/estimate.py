"""What every estimator returns: one mean and two intervals from one fit, and how far to trust them.

    estimate(evidence, targets, options)
    ->  mean 0.62,  these questions 0.59 … 0.65,  new questions 0.55 … 0.69 (at 90 %),  status "ok"

An estimator is a plain function of the evidence, the targets (M places on curves) and the options.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from predict.evidence.points import Evidence, Floats, Points, Texts
from results.arguments import LEVELS, REPLICATES, SEED
from results.normal import FORECAST_LEVEL, Interval
from results.tables.status import Status as Status

UNUSABLE = (Status.ILL_CONDITIONED, Status.OUT_OF_RANGE, Status.NOT_IDENTIFIABLE)
"""No decision may use a forecast with one of these."""

_SEVERITY = {status: rank for rank, status in enumerate(Status)}


@dataclass(frozen=True)
class Options:
    """How intervals are made.

    replicates: number of draws they are computed from; 0 for no intervals. level: the share of
    cases in which an interval contains the true value. allowed: whether to compute the range that
    the answers alone allow, which takes a second per setting and N. Raises BadInput for an
    invalid value.
    """

    replicates: int = 0
    seed: int = 0
    level: float = FORECAST_LEVEL
    allowed: bool = False

    def __post_init__(self) -> None:
        for argument in (REPLICATES, SEED, LEVELS):
            vars(self)[argument.name] = argument.of(getattr(self, argument.name))


@dataclass(frozen=True)
class Lengths:
    """Tokens per answer, if they are forecast too: mean (M,) and its interval."""

    mean: Floats
    interval: Interval[Floats]


@dataclass(frozen=True)
class Estimate:
    """One forecast per target, (M,) each; a mean that cannot be estimated is NaN, and none is clipped.

    these: for the accuracy that sampling the same questions further will show; new: for new
    questions of the kind. condition: the condition number of the system solved, NaN if there is
    none. notes: sentences on the whole forecast that its reader must see. allowed: the range that
    the answers alone allow, under any law of the questions; None if not requested.
    """

    mean: Floats
    these: Interval[Floats]
    new: Interval[Floats]
    status: Texts
    condition: Floats
    notes: tuple[str, ...] = ()
    lengths: Lengths | None = None
    allowed: Interval[Floats] | None = None


def of_opposite(estimate: Estimate) -> Estimate:
    """One minus the accuracy: turn an estimate for a method's `opposite` into one for the method."""
    these, new = (Interval(1 - of.high, 1 - of.low, of.level) for of in (estimate.these, estimate.new))
    return replace(estimate, mean=1 - estimate.mean, these=these, new=new)


Estimator = Callable[[Evidence, Points, Options], Estimate]


def everywhere(status: Status, M: int) -> Texts:
    """The same status at M targets."""
    return np.full(M, str(status), dtype="<U20")


def more_severe(one: Texts, other: Texts | Status) -> Texts:
    """The more severe of two statuses, elementwise with broadcasting."""
    ranks = np.vectorize(lambda value: _SEVERITY[Status(value)], otypes=[np.int64])
    return np.where(ranks(one) >= ranks(other), one, other)


def middle(draws: Floats, level: float) -> Floats:
    """The ends of the central interval with share `level` of draws (R, M): (2, M), NaN without draws."""
    ends = np.full((2, draws.shape[1]), np.nan)
    known = np.isfinite(draws).any(axis=0)
    if known.any():
        percentiles = 50 * (1 - level), 50 * (1 + level)
        ends[:, known] = np.nanpercentile(draws[:, known], percentiles, axis=0)
    return ends


def from_draws(
    mean: Floats,
    these: Floats,
    new: Floats,
    status: Texts,
    level: float,
    condition: Floats | None = None,
) -> Estimate:
    """The estimate whose intervals are the central ones of draws (R, M), widened to contain the mean.

    A missing mean is marked not_identifiable. A mean outside [0, 1] is kept and marked
    out_of_range. Its intervals and those of an ill-conditioned mean may leave [0, 1], to show
    how unstable they are.
    """
    outside = (mean < -1e-9) | (mean > 1 + 1e-9)
    status = more_severe(status, np.where(outside, Status.OUT_OF_RANGE, Status.OK))
    status = more_severe(status, np.where(np.isnan(mean), Status.NOT_IDENTIFIABLE, Status.OK))
    loose = outside | (status == Status.ILL_CONDITIONED)

    def interval(draws: Floats) -> Interval[Floats]:
        ends = middle(draws, level)
        ends = np.where(loose, ends, np.clip(ends, 0.0, 1.0))
        # NaN if either the mean or the end is missing
        return Interval(np.minimum(ends[0], mean), np.maximum(ends[1], mean), level)

    if condition is None:
        condition = np.where(np.isnan(mean), np.inf, np.nan)
    return Estimate(mean, interval(these), interval(new), status, condition)
