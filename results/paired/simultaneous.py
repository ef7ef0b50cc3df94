"""Simultaneous confidence: one level for all the differences that are looked at together.

    rows looked at                          level of each alone, so that all hold together in 95 of 100 cases
    one, chosen in advance                  0.95
    a vote and best-of-N at N = 1, 2, … 16  about 0.985
    twenty that have nothing in common      0.9974

Reporting the best of many rows is wrong more often than the level of a single row says. The
level of each row is therefore raised until the largest of all studentised errors stays within
its bounds in a share `level` of cases. The errors of the rows are correlated, as are their
differences over the questions. Their joint law is that of the multiplier bootstrap over
questions, or clusters, with normal multipliers (Chernozhukov, Chetverikov and Kato, Annals of
Statistics 2013): normal, with the correlations of the differences.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from results.votes.exact import DIGITS, Floats

DRAWS = 20_000
"""Enough for a row's level of 0.985 to about 0.0005."""

_SEED, _AT_ONCE = 0, 1000


@dataclass(frozen=True)
class Measured:
    """Differences by question, (Q, K), and the names of the Q questions.

    If questions come in clusters, each has its cluster's name. A column of NaN is ignored.
    """

    questions: Sequence[Hashable]
    differences: Floats


def level_of_each(looked_at: Sequence[Measured], level: float) -> float:
    """The level of each row alone at which all rows hold together in a share `level` of cases.

    It is clipped to between `level` and Bonferroni's level: only sampling error of the draws,
    few of which are far in the tails, could take it beyond.
    """
    same = correlations(looked_at)
    if np.all(same > 1 - 1e-9):
        return level
    root, rng = symmetric_root(same), np.random.default_rng(_SEED)
    largest = [
        np.abs(rng.standard_normal((_AT_ONCE, len(same))) @ root).max(axis=1)
        for _ in range(DRAWS // _AT_ONCE)
    ]
    critical = np.quantile(largest, level)
    most = 1 - (1 - level) / len(same)
    return float(np.clip(special.erf(critical / np.sqrt(2)), level, most))


def correlations(looked_at: Sequence[Measured]) -> Floats:
    """The correlations of the mean differences of all rows over draws of the questions, (K, K).

    Rows over different questions are independent; a row whose questions all have the same
    difference has no error and is left out.
    """
    questions = dict.fromkeys(question for one in looked_at for question in one.questions)
    place = {question: i for i, question in enumerate(questions)}
    columns = []
    for one in looked_at:
        errors = one.differences - one.differences.mean(axis=0)
        every = np.zeros((len(place), errors.shape[1]))
        np.add.at(every, [place[question] for question in one.questions], errors)
        columns.append(every)
    errors = np.concatenate(columns, axis=1).round(DIGITS)
    errors = errors[np.lexsort(errors.T)]  # so that the order of questions changes no digit
    size = np.sqrt((errors**2).sum(axis=0))
    moving = size > 1e-12  # False for NaN
    unit = errors[:, moving] / size[moving]
    return np.asarray(unit.T @ unit)


def symmetric_root(matrix: Floats) -> Floats:
    """The symmetric R with R R = matrix; it is unique, so that all machines give the same draws."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)
