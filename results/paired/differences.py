"""The mean of a difference that was measured on every question: its standard error, interval and p value.

    question  a     b     b − a
    q1        0.25  1.00   0.75
    q2        0.50  0.50   0.00      mean 0.25, standard error 0.25 (over questions)
    q3        1.00  1.00   0.00

Each question has its own difference and its own finite answers. The spread of the measured
differences over the questions holds both sources of noise, so the interval is that of a paired
t test, and is about new questions of the kind (arXiv:2411.00640). Two rules keep it honest
where a t test is not:

* The questions may have missed what they differ in. Differences that are all 0, or all equal, have a standard
  error of 0, which says nothing: the interval goes by at least that of Q questions of which one differs by
  1, 1 / Q. One half would not do: where b loses one question in fifty outright and is a little better on the
  others, so that it is no better, 60 questions have missed all that it loses in 30 of 100 cases.
* Few questions decide nothing. If all of Q differ one way, chance alone does that in 2 of 2^Q cases (the sign
  test); where this is more often than the level allows, the interval is everything, −1 … 1.

Questions that come in clusters (`results.votes.clusters`) are as many draws as there are
clusters: Student's t, the sign test and the one that may have been missed go by them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from results.normal import LEVEL, Interval, z_of
from results.votes.clusters import Clusters, cluster_sizes, equal_draws, mean_accuracy, standard_error
from results.votes.exact import SAME, Floats

ONE_THAT_DIFFERS = 1.0
"""The difference that one of the questions is at least taken to have, beyond what was seen."""

FEW = 20
"""Of so few questions the spread that was seen is not that of their kind: intervals are Student's."""


@dataclass(frozen=True)
class Differences:
    """K mean differences over the same Q questions: mean, stderr, interval's ends and p_value, all (K,).

    draws: the questions, or the clusters of equal size that theirs count as (`equal_draws`), of
    which the largest has `largest` questions. stderr is as measured. The interval's level is
    that of all rows looked at, `row_level` that of each alone. A p_value is two-sided, of no
    difference, of its row alone. One draw tells nothing: all but the mean are NaN.
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

    row_level: the level of each row alone at which all rows looked at hold together with
    `level` (see `results.paired.simultaneous`); by default one row is looked at, and it is
    `level`.
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
    """Half the interval of a mean over so many draws: Student's; infinite of too few, NaN without stderr."""
    if draws < fewest_questions(level):
        return np.where(np.isnan(stderr), np.nan, np.inf)
    return np.asarray(special.stdtrit(draws - 1, (1 + level) / 2) * stderr)


def least_stderr(questions: float | Floats, largest: float | Floats = 1) -> float | Floats:
    """The standard error of the mean of Q questions of which one differs by ONE_THAT_DIFFERS.

    largest: the questions of the largest cluster, which may all be missed. Each of them then
    differs by one half: that all of a cluster are lost outright is rarer than that one is.
    """
    return ONE_THAT_DIFFERS * np.maximum(1.0, largest / 2) / questions


def students(draws: float | Floats, level: float) -> Floats:
    """How many times as wide Student's t makes an interval of questions, or clusters, that are FEW."""
    wider = special.stdtrit(draws - 1, (1 + level) / 2) / z_of(level)
    return np.where((draws > 1) & (draws <= FEW), wider, 1.0)


def fewest_questions(level: float) -> int:
    """The questions at which a difference in all of them is rarer by chance than 1 − level: 6 at 95 %."""
    return int(np.ceil(1 - np.log2(1 - level)))
