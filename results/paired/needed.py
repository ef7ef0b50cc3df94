"""The number of questions, or of answers to each, needed to tell two runs apart.

    difference  stderr  questions      ->  questions_needed  detectable
    0.05        0.03    120                3,966             0.085

A new run of this size gives a verdict in about 80 of 100 cases, at the level for all rows
together. The measured difference is not the true one: people ask for more questions after a
difference that was too small to decide, or a lucky one, so that a run sized for a true
difference as large as the measured one decides in only 40 to 68 of 100 cases
(`python -m studies.promises.run`). The chance of a verdict is therefore averaged over the
posterior of the true difference (an assurance: O'Hagan, Stevens & Campbell, Pharmaceutical
Statistics 2005). Its prior is normal around 0 with a standard deviation τ from a half-Cauchy
law of scale SCALE (Gelman 2006, Bayesian Analysis 1), which shrinks what luck may explain and
leaves clear differences. `detectable`, the true difference that this many questions find in 80
of 100 cases, needs no prior.
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
"""The share of comparisons in which a difference should be found."""

SCALE = 0.04
"""The median of the half-Cauchy law of τ, before values below LEAST_SCALE are cut off."""

LEAST_SCALE = 0.01
"""The smallest τ, one point: runs that people compare are not more alike."""

MOST_QUESTIONS = 10**7
"""If more are needed, the number is inf."""

_RANKS = np.linspace(2 / np.pi * np.arctan(LEAST_SCALE / SCALE), 1, 40, endpoint=False)
_SCALES = SCALE * np.tan(np.pi / 2 * _RANKS)  # equally likely values of τ
_LEAST_SHARE, _MOST_SHARE = 1e-9, 1e3  # range of factors on the variance due to finite answers

_HALVINGS = 8


def answer_variance(pools: AnswerPools, method: str, ns: Ints) -> Floats:
    """The mean over questions of the variance of a question's accuracy due to its finite answers.

    Half of the variance at half the answers, (len(ns),), which is measured between random
    halves of a question's pool. It is exact for N = 1 and a little too large for N > 1, since
    the variance of a mean over subsets falls at least as fast as 1/answers (Hoeffding, Annals
    of Mathematical Statistics 1948, theorem 5.2). NaN if half a pool has fewer than N answers.
    """
    half, first = (np.repeat(each, pools.sizes) for each in (pools.sizes // 2, pools.starts[:-1]))
    place = np.arange(len(first)) - first  # within an order
    known = ns <= pools.sizes.min() // 2
    variance = np.full(ns.size, np.nan)
    if known.any():
        rank = np.empty((_HALVINGS, len(first)), np.int64)
        np.put_along_axis(rank, first + random_orders(pools, _HALVINGS, seed=0), place[None], axis=1)
        parts = [(one < half, (one >= half) & (one < 2 * half)) for one in rank]
        halves = np.array(
            [[accuracy_by(pools.kept(one), method, ns[known]) for one in part] for part in parts]
        )  # (halvings, 2, Q, N)
        between = (halves[:, 0] - halves[:, 1]) ** 2  # twice the variance of a half
        variance[known] = between.mean(axis=(0, 1)) / 2 / 2
    return variance


@dataclass(frozen=True)
class Truth:
    """The distribution of a true difference: a mixture of normals, (T,) weights, means and sds."""

    weights: Floats
    means: Floats
    sds: Floats

    @property
    def expected(self) -> float:
        """The mean."""
        return float(self.weights @ self.means)


def given(difference: float, stderr: float) -> Truth:
    """The posterior of the true difference, one normal per τ; exactly the measured one if `stderr` is 0."""
    total = _SCALES**2 + stderr**2
    log = -np.log(total) / 2 - difference**2 / (2 * total)
    weights = np.exp(log - log.max())
    kept = _SCALES**2 / total
    return Truth(weights / weights.sum(), kept * difference, np.sqrt(kept) * stderr)


@dataclass(frozen=True)
class Decision:
    """How a verdict is reached from the mean over questions, perhaps in clusters.

    level: of its row alone; size: the effective cluster size; largest: the largest cluster's;
    whole: each question's difference is −1, 0 or 1.
    """

    level: float = LEVEL
    size: float = 1.0
    largest: int = 1
    whole: bool = False

    def margin(self, questions: float, variance: float) -> float:
        """The half-width of the mean's interval, given a question's variance; inf if too few."""
        stderr = max(np.sqrt(variance / questions), float(least_stderr(questions, self.largest)))
        return float(half_width(stderr, questions / self.size, self.level))

    def detectable(self, questions: float, variance: float) -> float:
        """The true difference that this many questions find with probability POWER."""
        scatter = np.sqrt(variance / questions)
        return self.margin(questions, variance) + NormalDist().inv_cdf(POWER) * float(scatter)

    def decided(self, questions: float, variance: float, truth: Truth) -> float:
        """The probability of a verdict.

        If differences are whole and few questions differ, the mean is not normal: a verdict
        needs `fewest_gained` of them, which a Poisson count reaches at least as often.
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
        """The fewest questions gained, none lost, that decide: 4 of 100 at 95 %.

        If k of Q are gained, the mean is k/Q, its standard error sqrt(k (Q − k) / (Q − 1)) / Q.
        """
        squared = stdtrit(questions / self.size - 1, (1 + self.level) / 2) ** 2
        return int(np.floor(questions * squared / (questions - 1 + squared))) + 1

    def questions(self, variance: float, truth: Truth) -> float:
        """The fewest questions that decide with probability POWER; inf if beyond MOST_QUESTIONS."""
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
    """How each row of differences is decided."""
    return Decision(rows.row_level, rows.questions / rows.draws, rows.largest)


def questions_needed(rows: Differences) -> Floats:
    """The questions of a new run, with as many answers each, that decide in 80 of 100 cases, (K,).

    Inf if the measured difference is 0, NaN if there is only one draw.
    """
    decision, needed = decision_of(rows), []
    for mean, stderr, truth in zip(rows.mean, rows.stderr, truths(rows), strict=True):
        needed.append(decision.questions(rows.questions * stderr**2, truth) if mean else np.inf)
    return np.where(np.isnan(rows.stderr), np.nan, needed)


def truths(rows: Differences) -> list[Truth]:
    """The posterior of each row's true difference."""
    trusted = np.maximum(rows.stderr, least_stderr(rows.questions, rows.largest))
    return [given(mean, stderr) for mean, stderr in zip(rows.mean, trusted, strict=True)]


def detectable(rows: Differences) -> Floats:
    """The true difference that as many questions find in 80 of 100 cases, (K,); NaN for one draw."""
    decision = decision_of(rows)
    every = [decision.detectable(rows.questions, rows.questions * stderr**2) for stderr in rows.stderr]
    return np.where(np.isnan(rows.stderr), np.nan, every)


def more_answers_needed(rows: Differences, from_answers: Floats) -> Floats:
    """The factor on the answers per question that decides in 80 of 100 cases, (K,).

    from_answers: the part of the variance of a question's difference that falls as 1/answers,
    (K,). Inf if the questions themselves differ too much or are too few, or the mean is 0; NaN
    if `from_answers` is.
    """
    decision, times = decision_of(rows), []
    for stderr, truth, part in zip(rows.stderr, truths(rows), from_answers, strict=True):
        alone = max(rows.questions * stderr**2 - part, 0.0)
        times.append(_times_needed(decision, rows.questions, alone, part, truth))
    return np.where(rows.mean == 0, np.where(np.isnan(from_answers), np.nan, np.inf), times)


def _times_needed(decision: Decision, questions: int, alone: float, part: float, truth: Truth) -> float:
    """The factor by which `part` of the variance must shrink, while `alone` stays; NaN if unknown."""

    def lacking(share: float) -> float:
        """How far a verdict falls short of POWER if this share of `part` is left."""
        return POWER - decision.decided(questions, alone + part * share, truth)

    if np.isnan(part) or np.isnan(alone):
        return np.nan
    if lacking(_LEAST_SHARE) > 0:
        return np.inf
    if lacking(_MOST_SHARE) < 0:
        return 1 / _MOST_SHARE
    return float(1 / optimize.brentq(lacking, _LEAST_SHARE, _MOST_SHARE, xtol=1e-12))
