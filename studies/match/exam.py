"""An exam that a language model and a candidate twin both take: the same number of answers, graded alike.

    exam = Exam(pool=16, points=(("majority", 1), ("majority", 4)))
    marks(drawn, exam)[question]             ->  [0.5, 0.61, 0.25]: each point, and one answer's squared
    sit(exam, BinarySetting(…), STEPS, 0)    ->  a Twin for every t of STEPS

A twin's questions are random tasks. Their answers are drawn from the exact law of w_t, as many a task as the
model gave a question, so that the twin's marks vary over questions and pools as the model's do.
"""

from dataclasses import dataclass
from itertools import product
from math import gcd

import numpy as np

from results.votes.exact import Ints, VoteCounts, best_of_n, majority_accuracy
from synthetic.binary.chain import law_of_paths
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import Array, draw_tasks, task_keys

TASKS = 500
"""The number of tasks of each candidate; the likelihood accounts for its being finite."""
STEPS = (1, 2, 4, 8, 16, 64)
EVERY_SUBSET = 16
"""Votes of up to this many are means over all subsets of the pool, larger ones over disjoint parts of it."""
Point = tuple[str, int]
"""A method (majority or best_of_n) and an N."""


@dataclass(frozen=True)
class Exam:
    """The number of answers per question, and the points at which curves are read, with N up to `pool`."""

    pool: int
    points: tuple[Point, ...]

    @property
    def part(self) -> int:
        """Answers are drawn in parts of this size; every vote above EVERY_SUBSET consists of whole parts."""
        return gcd(self.pool, *(n for _, n in self.points if n > EVERY_SUBSET))


@dataclass(frozen=True)
class Twin:
    """A candidate's marks: their mean (F,) and covariance (F, F) over tasks; F = points + 1, see `marks`.

    `shares` (tasks, 2) are the right answers' share of the pool and its lead over the largest wrong one's.
    """

    setting: BinarySetting
    t: int
    mean: Array
    covariance: Array
    shares: Array


def candidates() -> list[BinarySetting]:
    """The grid, at the step 1/n of the paper's proofs."""
    noise = (0.0, 0.25, 0.5, 1.0, 2.0)
    sizes = [
        *product((1, 2, 3, 4, 6, 8, 12, 20), (2, 3, 5, 10, 20, 40), (1,)),
        *product((1, 2, 4, 8, 16), (4, 5, 8, 10), (2,)),
        *product((1, 2, 4, 8), (6,), (3,)),
    ]
    return [
        BinarySetting(n=n, d=d, k=k, eta=1.0, sigma_eps=sigma_eps, step_rule="eta/n")
        for (n, d, k), sigma_eps in product(sizes, noise)
    ]


def sit(exam: Exam, setting: BinarySetting, steps: tuple[int, ...], seed: int) -> list[Twin]:
    """The twins of one setting, one for each t of `steps`."""
    law = law_of_paths(draw_tasks(setting, task_keys(1, TASKS), seed), setting, steps)
    twins = []
    for at, t in enumerate(steps):
        drawn = draw_answers(law.probabilities[:, at], law.gold, exam, seed)
        found = marks(drawn, exam)
        share = shares(_counts(drawn.sum(axis=1)))
        twins.append(Twin(setting, t, found.mean(axis=0), np.asarray(np.cov(found.T)), share))
    return twins


def draw_answers(laws: Array, gold: Ints, exam: Exam, seed: int) -> Ints:
    """The counts of answers drawn from `laws` (tasks, answers) in each part, (tasks, parts, answers).

    `gold` (tasks,) are the right answers' places; the right answer comes first in what is returned.
    """
    places = np.arange(laws.shape[1])
    order = np.argsort(places != gold[:, None], axis=1, kind="stable")
    first = np.take_along_axis(laws, order, axis=1)
    first /= first.sum(axis=1, keepdims=True)
    size = len(laws), exam.pool // exam.part
    return np.random.default_rng(seed).multinomial(exam.part, first[:, None], size=size)


def marks(drawn: Ints, exam: Exam) -> Array:
    """Each question's accuracy at every point, and the square of one answer's: (questions, points + 1)."""
    counts = _counts(drawn.sum(axis=1))
    small = sorted({n for method, n in exam.points if method == "majority" and n <= EVERY_SUBSET})
    found = dict(zip(small, majority_accuracy(counts, small).T, strict=True))
    columns = []
    for method, n in exam.points:
        if method == "best_of_n":
            columns.append(best_of_n(counts.pools, counts.correct, n))
        else:
            columns.append(found[n] if n in found else _vote_of_parts(drawn, n // exam.part))
    return np.stack([*columns, (counts.correct / counts.pools) ** 2], axis=1)


def _vote_of_parts(drawn: Ints, size: int) -> Array:
    """The mean vote over disjoint groups of `size` parts, ties shared, (questions,)."""
    groups = drawn.shape[1] // size
    votes = drawn[:, : groups * size].reshape(len(drawn), groups, size, -1).sum(axis=2)
    most = votes.max(axis=2)
    won = (votes[..., 0] == most) / (votes == most[..., None]).sum(axis=2)
    return np.asarray(won.mean(axis=1))


def _counts(votes: Ints) -> VoteCounts:
    """The counts of `votes` (questions, answers), the right answer first."""
    question, _ = np.nonzero(votes[:, 1:])
    starts = np.searchsorted(question, np.arange(len(votes) + 1))
    return VoteCounts(votes[:, 0], votes[:, 1:][votes[:, 1:] > 0], starts, np.zeros(len(votes), np.int64))


def shares(counts: VoteCounts) -> Array:
    """(questions, 2): p, the share of right answers, and Δ, its lead over the largest wrong answer's."""
    question = np.repeat(np.arange(len(counts.correct)), np.diff(counts.starts))
    largest = np.zeros(len(counts.correct))
    np.maximum.at(largest, question, counts.wrong)
    return np.stack([counts.correct, counts.correct - largest], axis=1) / counts.pools[:, None]
