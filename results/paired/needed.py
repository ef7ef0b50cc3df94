"""What would tell two runs apart: how many questions, or how many answers to each.

    difference  stderr  questions      ->  questions_needed  detectable
    0.05        0.03    120                3,966             0.085

A fresh run of the named number gives the verdict in about 80 of 100 cases, at the level of all
rows looked at. The difference measured is not the true one: who asks how many questions it
takes has seen one that was too small to be told, or a lucky one, and the number for a
difference as large as was seen decides in 40 to 68 of 100 cases
(`python -m studies.promises.run`). So the chance of a verdict is averaged over what
the measurement leaves open of the true difference (an assurance: O'Hagan, Stevens & Campbell,
Pharmaceutical Statistics 2005). Before it, that is normal about 0 with a scale τ of a
half-Cauchy law (Gelman 2006, Bayesian Analysis 1) of SCALE, which draws what luck may have made
to 0 and leaves what is clear. `detectable` needs no such law: the true difference that as many
questions find in 80 of 100 cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from scipy import optimize
from scipy.special import ndtr, pdtrc, stdtrit

from results.normal import LEVEL
from results.paired.differences import Differences, fewest_questions, half_width, least_stderr
from results.votes.exact import AnswerPools, Floats, Ints
from results.votes.permutations import random_orders
from results.votes.scored import accuracy_by

POWER = 0.80
"""The share of comparisons in which a difference is found."""

SCALE = 0.04
"""Half of the scales of that law lie below it, before those below LEAST_SCALE are left out."""

LEAST_SCALE = 0.01
"""No scale is below a point: none of what is compared is so much alike."""

MOST_QUESTIONS = 10**7
"""No number up to this: inf."""

_RANKS = np.linspace(2 / np.pi * np.arctan(LEAST_SCALE / SCALE), 1, 40, endpoint=False)
_SCALES = SCALE * np.tan(np.pi / 2 * _RANKS)  # equally likely ones
_LEAST_SHARE, _MOST_SHARE = 1e-9, 1e3  # of the answers' part of the variance that more or fewer leave

_HALVINGS = 8


def answer_variance(pools: AnswerPools, method: str, ns: Ints, logs: bool = False) -> Floats:
    """The mean over questions of the variance that the accuracy of a question owes to its finite answers.

    Half of the variance at half the answers, (len(ns),), which is measured between random
    halves of a question's pool. It is exact for a single answer and a little too large for N >
    1, since the variance of a mean over subsets falls at least as fast as 1/answers (Hoeffding,
    Annals of Mathematical Statistics 1948, theorem 5.2). NaN where half a pool has fewer than N
    answers. logs: scores are log-probabilities.
    """
    half, first = (np.repeat(each, pools.sizes) for each in (pools.sizes // 2, pools.starts[:-1]))
    place = np.arange(len(first)) - first  # in an order
    known = ns <= pools.sizes.min() // 2
    variance = np.full(ns.size, np.nan)
    if known.any():
        rank = np.empty((_HALVINGS, len(first)), np.int64)
        np.put_along_axis(rank, first + random_orders(pools, _HALVINGS, seed=0), place[None], axis=1)
        parts = [(one < half, (one >= half) & (one < 2 * half)) for one in rank]
        halves = np.array(
            [[accuracy_by(pools.kept(one), method, ns[known], logs) for one in part] for part in parts]
        )  # (halvings, 2, Q, N)
        between = (halves[:, 0] - halves[:, 1]) ** 2  # twice the variance of a half
        variance[known] = between.mean(axis=(0, 1)) / 2 / 2
    return variance


@dataclass(frozen=True)
class Truth:
    """What is known of a true difference: normal laws mixed, their weights, means and sds (T,)."""

    weights: Floats
    means: Floats
    sds: Floats

    @property
    def expected(self) -> float:
        """Its mean."""
        return float(self.weights @ self.means)


def given(difference: float, stderr: float) -> Truth:
    """The true difference given the one measured, a normal law for each scale τ; known by a `stderr` of 0."""
    total = _SCALES**2 + stderr**2
    log = -np.log(total) / 2 - difference**2 / (2 * total)
    weights = np.exp(log - log.max())
    kept = _SCALES**2 / total
    return Truth(weights / weights.sum(), kept * difference, np.sqrt(kept) * stderr)


@dataclass(frozen=True)
class Decision:
    """How a verdict is come to, from the mean over questions in clusters.

    level: of its row alone; size: of the clusters, were all equal; largest: of the largest;
    whole: a question's difference is −1, 0 or 1.
    """

    level: float = LEVEL
    size: float = 1.0
    largest: int = 1
    whole: bool = False

    def margin(self, questions: float, variance: float) -> float:
        """Half the interval of the mean, a question's variance being this; inf of too few questions."""
        stderr = max(np.sqrt(variance / questions), float(least_stderr(questions, self.largest)))
        return float(half_width(stderr, questions / self.size, self.level))

    def detectable(self, questions: float, variance: float) -> float:
        """The true difference that so many questions find with POWER."""
        scatter = np.sqrt(variance / questions)
        return self.margin(questions, variance) + NormalDist().inv_cdf(POWER) * float(scatter)

    def decided(self, questions: float, variance: float, truth: Truth) -> float:
        """The chance of a verdict.

        Where differences are whole and few questions differ the mean is not normal: no verdict
        comes of fewer than `fewest_gained`, and their number is Poisson's at most.
        """
        margin = self.margin(questions, variance)
        if np.isinf(margin):
            return 0.0
        scatter = np.sqrt(np.maximum(variance / questions + truth.sds**2, 1e-300))
        beyond = ndtr((truth.means - margin) / scatter) + ndtr((-truth.means - margin) / scatter)
        chance = float(truth.weights @ beyond)
        if not self.whole:
            return chance
        differ = questions * (variance + truth.expected**2)
        return min(chance, float(pdtrc(self.fewest_gained(questions) - 1, differ)))

    def fewest_gained(self, questions: float) -> int:
        """So many questions gained, and none lost, are told from 0: 4 of 100 at 95 %.

        k of Q gained have the mean k/Q and the standard error sqrt(k (Q − k) / (Q − 1)) / Q.
        """
        squared = stdtrit(questions / self.size - 1, (1 + self.level) / 2) ** 2
        return int(np.floor(questions * squared / (questions - 1 + squared))) + 1

    def questions(self, variance: float, truth: Truth) -> float:
        """The fewest questions with a chance of POWER; inf where MOST_QUESTIONS have less."""
        most = int(np.ceil(fewest_questions(self.level) * self.size))
        while self.decided(most, variance, truth) < POWER:
            most *= 2
            if most > MOST_QUESTIONS:
                return np.inf
        least = most // 2
        while most - least > 1:
            middle = (least + most) // 2
            enough = self.decided(middle, variance, truth) >= POWER
            least, most = (least, middle) if enough else (middle, most)
        return float(most)


def decision_of(rows: Differences) -> Decision:
    """How a row of measured differences is decided."""
    return Decision(rows.row_level, rows.questions / rows.draws, rows.largest)


def questions_needed(rows: Differences) -> Floats:
    """Questions of a fresh run, with as many answers each, that decide in 80 of 100 cases, (K,).

    Inf where the difference measured is 0, NaN where there is one draw.
    """
    decision, needed = decision_of(rows), []
    for mean, stderr, truth in zip(rows.mean, rows.stderr, truths(rows), strict=True):
        needed.append(decision.questions(rows.questions * stderr**2, truth) if mean else np.inf)
    return np.where(np.isnan(rows.stderr), np.nan, needed)


def truths(rows: Differences) -> list[Truth]:
    """What is known of the true difference of each row."""
    trusted = np.maximum(rows.stderr, least_stderr(rows.questions, rows.largest))
    return [given(mean, stderr) for mean, stderr in zip(rows.mean, trusted, strict=True)]


def detectable(rows: Differences) -> Floats:
    """The true difference that as many questions find in 80 of 100 cases, (K,); NaN of one draw."""
    decision = decision_of(rows)
    every = [decision.detectable(rows.questions, rows.questions * stderr**2) for stderr in rows.stderr]
    return np.where(np.isnan(rows.stderr), np.nan, every)


def more_answers_needed(rows: Differences, from_answers: Floats) -> Floats:
    """How many times as many answers to as many questions decide in 80 of 100 cases, (K,).

    from_answers: the part of the variance of a question's difference that falls as 1/answers,
    (K,). Inf where the questions alone differ too much, are too few, or the mean is 0; NaN
    where `from_answers` is.
    """
    decision, times = decision_of(rows), []
    for stderr, truth, part in zip(rows.stderr, truths(rows), from_answers, strict=True):
        alone = max(rows.questions * stderr**2 - part, 0.0)
        times.append(_times_needed(decision, rows.questions, alone, part, truth))
    return np.where(rows.mean == 0, np.where(np.isnan(from_answers), np.nan, np.inf), times)


def _times_needed(decision: Decision, questions: int, alone: float, part: float, truth: Truth) -> float:
    """By how much a part of the variance has to shrink beside what stands alone; NaN where not known."""

    def lacking(share: float) -> float:
        """What the chance lacks to POWER where that share of it is left."""
        return POWER - decision.decided(questions, alone + part * share, truth)

    if np.isnan(part) or np.isnan(alone):
        return np.nan
    if lacking(_LEAST_SHARE) > 0:
        return np.inf
    if lacking(_MOST_SHARE) < 0:
        return 1 / _MOST_SHARE
    return float(1 / optimize.brentq(lacking, _LEAST_SHARE, _MOST_SHARE, xtol=1e-12))
