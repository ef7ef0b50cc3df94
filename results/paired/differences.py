"""The mean of a difference measured on every question, with its standard error, interval and p value.

    question  a     b     b − a
    q1        0.25  1.00   0.75
    q2        0.50  0.50   0.00      mean 0.25, standard error 0.25 (over questions)
    q3        1.00  1.00   0.00

Each question has its own difference and a finite number of answers. The spread of the measured
differences over the questions reflects both sources of noise, so the interval is that of a
paired t test, for new questions of the same kind (arXiv:2411.00640). Two rules keep it valid
where a t test is not:

* The sample may lack the questions that differ. Differences that are all 0, or all equal, have a misleading
  standard error of 0, so the interval uses at least 1 / Q, as if one of Q questions differed by 1. One half
  would not do: if b loses one question in fifty outright and is slightly better on the others, with no
  overall difference, 60 questions include none of those that it loses in 30 of 100 cases.
* Few questions decide nothing. If all of Q differ one way, chance alone does this in 2 of 2^Q cases (the sign
  test); if this is more often than the level allows, the interval is everything, −1 … 1.

If questions come in clusters (`results.votes.clusters`), there are as many draws as clusters, for
Student's t and the sign test; the least standard error depends on the largest cluster.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from results.normal import LEVEL, Interval, z_of
from results.votes.clusters import Clusters, cluster_sizes, equal_draws, mean_accuracy, standard_error
from results.votes.exact import SAME, Floats

ONE_THAT_DIFFERS = 1.0
"""The difference assumed for one question when the least standard error is computed."""

FEW = 20
"""Up to this many questions, the measured spread is unreliable and intervals use Student's t."""


@dataclass(frozen=True)
class Differences:
    """K mean differences over the same Q questions: mean, stderr, interval's ends and p_value, all (K,).

    draws: the number of questions, or the effective number of equal clusters (`equal_draws`);
    largest: questions in the largest cluster. stderr is as measured. The interval's level is for
    all rows together, `row_level` for each alone. A p_value is two-sided, for its row alone,
    against no difference. With one draw, all but the mean are NaN.
    """

    questions: int
    draws: float
    largest: int
    mean: Floats
    stderr: Floats
    interval: Interval[Floats]
    row_level: float
    p_value: Floats


def mean_differences(
    by_question: Floats,
    level: float = LEVEL,
    row_level: float | None = None,
    clusters: Clusters = None,
) -> Differences:
    """The mean of each column of `by_question`, (Q, K), whose questions come in `clusters`, (Q,), if any.

    row_level: the level of each row alone at which all rows hold together with probability
    `level` (see `results.paired.simultaneous`); by default `level` itself, as for a single
    row.
    """
    row_level = level if row_level is None else row_level
    questions = len(by_question)
    sizes = cluster_sizes(questions, clusters)
    draws, largest = (equal_draws(sizes), int(sizes.max())) if questions else (0.0, 1)
    mean, stderr = mean_accuracy(by_question), standard_error(by_question, clusters)
    mean = np.where(np.abs(mean) < SAME, 0.0, mean)
    trusted = np.maximum(stderr, least_stderr(questions, largest))
    half = half_width(trusted, draws, row_level)
    p_value = 2 * special.stdtr(draws - 1, -np.abs(mean) / trusted)
    p_value = np.fmin(np.maximum(p_value, 2.0 ** (1 - draws)), np.where(np.isnan(trusted), np.nan, 1.0))
    ends = Interval(np.clip(mean - half, -1, 1), np.clip(mean + half, -1, 1), level)
    return Differences(questions, draws, largest, mean, stderr, ends, row_level, p_value)


def half_width(stderr: Floats | float, draws: float, level: float) -> Floats:
    """The half-width of Student's interval of a mean; infinite if draws are too few, NaN if stderr is."""
    if draws < fewest_questions(level):
        return np.where(np.isnan(stderr), np.nan, np.inf)
    return np.asarray(special.stdtrit(draws - 1, (1 + level) / 2) * stderr)


def least_stderr(questions: float | Floats, largest: float | Floats = 1) -> float | Floats:
    """The standard error of the mean of Q questions of which one differs by ONE_THAT_DIFFERS.

    largest: the size of the largest cluster. All its questions may differ, each by one half: a
    whole cluster that is lost outright is rarer than a single question.
    """
    return ONE_THAT_DIFFERS * np.maximum(1.0, largest / 2) / questions


def students(draws: float | Floats, level: float) -> Floats:
    """The factor by which Student's t widens an interval of at most FEW questions or clusters; else 1."""
    wider = special.stdtrit(draws - 1, (1 + level) / 2) / z_of(level)
    return np.where((draws > 1) & (draws <= FEW), wider, 1.0)


def fewest_questions(level: float) -> int:
    """The fewest questions that all differ one way by chance in at most 1 − level of cases: 6 at 95 %."""
    return int(np.ceil(1 - np.log2(1 - level)))
