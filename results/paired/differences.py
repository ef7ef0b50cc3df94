"""The mean of a difference measured on every question: its interval, and what it would take to be sure of it.

    question  a     b     b − a
    q1        0.25  1.00   0.75
    q2        0.50  0.50   0.00      mean 0.25, standard error 0.25 (over questions)
    q3        1.00  1.00   0.00

Each question has its own difference and its own finite answers. The spread of the measured differences over
the questions holds both sources of noise, so the standard error is the usual one of a paired test, and the
interval is about new questions of the kind. The part that comes from the finite answers is found by halving
the pools; it says whether more answers or more questions would help.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from scipy import special

from results.votes.curves import standard_error
from results.votes.exact import AnswerPools, Floats, Ints, accuracy_by_question
from results.votes.permutations import random_orders

LEVEL = 0.05
"""False alarms of the test that the needed questions and answers are worked out for, which is two-sided."""

POWER = 0.80
"""The share of runs in which that test finds a difference of the size measured."""

_DETECTABLE = NormalDist().inv_cdf(1 - LEVEL / 2) + NormalDist().inv_cdf(POWER)  # 2.80 standard errors
_HALVINGS = 8


@dataclass(frozen=True)
class Differences:
    """K mean differences over the same Q questions: mean, stderr, low, high (90 %), p_value, all (K,).

    A p_value is two-sided, of no difference. One question has no standard error: all but the mean are NaN.
    """

    questions: int
    mean: Floats
    stderr: Floats
    low: Floats
    high: Floats
    p_value: Floats


def mean_differences(by_question: Floats) -> Differences:
    """The paired t test of each column of `by_question`, (Q, K)."""
    questions = len(by_question)
    mean, stderr = by_question.mean(axis=0), standard_error(by_question)
    margin = special.stdtrit(questions - 1, 0.95) * stderr
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.nan_to_num(np.abs(mean) / stderr, nan=0.0)  # 0 / 0: no difference in any question
    p_value = 2 * special.stdtr(questions - 1, -t)
    low, high = (np.clip(mean + side * margin, -1, 1) for side in (-1, 1))
    return Differences(questions, mean, stderr, low, high, p_value)


def answer_variance(pools: AnswerPools, method: str, ns: Ints) -> Floats:
    """The mean over questions of the variance that the accuracy of a question owes to its finite answers.

    Half of the variance at half the answers, (len(ns),), which is measured between random halves of a
    question's pool. It is exact for a single answer and a little too large for N > 1, since the variance of a
    mean over subsets falls at least as fast as 1/answers (Hoeffding, Annals of Mathematical Statistics 1948,
    theorem 5.2). NaN where half a pool has fewer than N answers.
    """
    half = np.repeat(pools.sizes // 2, pools.sizes)
    known = ns <= pools.sizes.min() // 2
    variance = np.full(ns.size, np.nan)
    if known.any():
        orders = random_orders(pools, _HALVINGS, seed=0)
        parts = [(order < half, (order >= half) & (order < 2 * half)) for order in orders]
        halves = np.array(
            [[accuracy_by_question(pools.kept(one).counts(), method, ns[known]) for one in p] for p in parts]
        )  # (halvings, 2, Q, N)
        between = (halves[:, 0] - halves[:, 1]) ** 2  # twice the variance of a half
        variance[known] = between.mean(axis=(0, 1)) / 2 / 2
    return variance


def questions_needed(differences: Differences) -> Floats:
    """Questions, with as many answers each, at which the test has its power; inf where the mean is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = _DETECTABLE * differences.stderr / np.abs(differences.mean)
    return np.where(differences.mean == 0, np.inf, np.maximum(np.ceil(differences.questions * ratio**2), 2.0))


def more_answers_needed(differences: Differences, from_answers: Floats) -> Floats:
    """How many times as many answers to the same number of questions give the test its power.

    from_answers: the part of the variance of a question's difference that falls as 1/answers, (K,). Inf where
    the questions alone differ too much, or the mean is 0; NaN where `from_answers` is.
    """
    questions = differences.questions
    total = differences.stderr**2 * questions
    allowed = questions * (differences.mean / _DETECTABLE) ** 2
    left = allowed - np.maximum(total - from_answers, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.isnan(from_answers), np.nan, np.where(left > 0, from_answers / left, np.inf))
