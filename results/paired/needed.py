"""What would tell two runs apart: how many questions, or how many answers to each.

    difference  stderr  questions      ->  questions_needed
    0.05        0.03    120                346

By the rule that the verdict goes by: the same level, made for all rows looked at. The named number finds a
true difference of the size measured in 80 of 100 comparisons.
"""

from collections import Counter
from dataclasses import replace
from statistics import NormalDist

import numpy as np
from scipy import special

from results.paired.differences import Differences, fewest_questions, least_stderr
from results.votes.exact import AnswerPools, Floats, Ints
from results.votes.permutations import random_orders
from results.votes.scored import accuracy_by

POWER = 0.80
"""The share of comparisons in which a difference of the size measured is found."""

_HALVINGS = 8
_ROUNDS = 4  # of the quantile of Student's t, which depends on the number that it gives


def answer_variance(pools: AnswerPools, method: str, ns: Ints, logs: bool = False) -> Floats:
    """The mean over questions of the variance that the accuracy of a question owes to its finite answers.

    Half of the variance at half the answers, (len(ns),), which is measured between random halves of a
    question's pool. It is exact for a single answer and a little too large for N > 1, since the variance of a
    mean over subsets falls at least as fast as 1/answers (Hoeffding, Annals of Mathematical Statistics 1948,
    theorem 5.2). NaN where half a pool has fewer than N answers. logs: scores are log-probabilities.
    """
    pools = _named_by_answers(pools)
    half = np.repeat(pools.sizes // 2, pools.sizes)
    known = ns <= pools.sizes.min() // 2
    variance = np.full(ns.size, np.nan)
    if known.any():
        orders = random_orders(pools, _HALVINGS, seed=0)
        parts = [(order < half, (order >= half) & (order < 2 * half)) for order in orders]
        halves = np.array(
            [[accuracy_by(pools.kept(one), method, ns[known], logs) for one in part] for part in parts]
        )  # (halvings, 2, Q, N)
        between = (halves[:, 0] - halves[:, 1]) ** 2  # twice the variance of a half
        variance[known] = between.mean(axis=(0, 1)) / 2 / 2
    return variance


def _named_by_answers(pools: AnswerPools) -> AnswerPools:
    """The same answers, in an order of their own, to questions named by them and not by their names.

    Random orders go by the name of a question, so that renaming it would give other halves.
    """
    scores = np.zeros(len(pools.votes)) if pools.scores is None else pools.scores
    order = np.lexsort((scores, pools.votes, pools.question))
    votes, scores = pools.votes[order], scores[order]
    seen = Counter[str]()
    names = []
    for start, end in zip(pools.starts[:-1], pools.starts[1:], strict=True):
        answers = f"{votes[start:end].tolist()} {scores[start:end].tolist()}"
        seen[answers] += 1
        names.append(f"{answers} {seen[answers]}")
    scored = None if pools.scores is None else scores
    return replace(pools, question_ids=names, votes=votes, tokens=pools.tokens[order], scores=scored)


def questions_needed(found: Differences) -> Floats:
    """Questions, with as many answers each, that find the difference; inf where its mean is 0.

    NaN where there is one draw.
    """
    size = np.abs(found.mean)
    each = found.questions / found.draws  # more questions come in clusters, too
    fewest = np.full(size.shape, fewest_questions(found.row_level) * each)
    questions = np.full(size.shape, np.inf)
    for _ in range(_ROUNDS):
        errors = standard_errors_needed(found.row_level, questions / each)
        with np.errstate(divide="ignore", invalid="ignore"):
            by_spread = found.questions * (errors * found.stderr / size) ** 2
            by_least = errors * least_stderr(1, found.largest) / size
        questions = np.ceil(np.maximum(np.maximum(by_spread, by_least), fewest))
    questions = np.where(size == 0, np.inf, questions)
    return np.where(np.isnan(found.stderr), np.nan, questions)


def more_answers_needed(found: Differences, from_answers: Floats) -> Floats:
    """How many times as many answers to the same number of questions find the difference.

    from_answers: the part of the variance of a question's difference that falls as 1/answers, (K,). Inf where
    the questions alone differ too much, are too few, or the mean is 0; NaN where `from_answers` is.
    """
    questions, least = found.questions, least_stderr(found.questions, found.largest)
    size = np.abs(found.mean) / standard_errors_needed(found.row_level, np.array(float(found.draws)))
    total = found.stderr**2 * questions
    left = questions * size**2 - np.maximum(total - from_answers, 0.0)
    enough = (left > 0) & (size >= least) & (found.draws >= fewest_questions(found.row_level))
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.where(enough, from_answers / left, np.inf)
    return np.where(np.isnan(from_answers), np.nan, times)


def standard_errors_needed(row_level: float, questions: Floats) -> Floats:
    """How many standard errors a true difference must have to be found with POWER, of so many questions."""
    freedom = np.maximum(questions, 2.0) - 1
    with np.errstate(invalid="ignore"):
        student = special.stdtrit(freedom, (1 + row_level) / 2)
    normal = NormalDist().inv_cdf((1 + row_level) / 2)
    return np.asarray(np.where(np.isfinite(freedom), student, normal) + NormalDist().inv_cdf(POWER))
