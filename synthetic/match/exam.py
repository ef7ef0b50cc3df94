"""An exam that a language model and a candidate twin both sit: the same number of answers, marked alike.

    Exam(pool=16, points=(("majority", 1), ("majority", 4)))
    marks(counts, exam.points)[question]  ->  [0.5, 0.61, 0.25]    at each point, and one answer's squared
    sit(exam, BinarySetting(…), seed=0)   ->  a Twin for every t of STEPS

A twin's questions are random tasks. Their answers are drawn from the exact law of w_t, as many a task as the
model gave a question, so that the twin's marks scatter over questions and pools as the model's do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from results.votes.exact import VoteCounts, best_of_n, majority_accuracy
from synthetic.binary.chain import law_of_paths
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import Array, draw_tasks, task_keys

TASKS = 500
"""Tasks of each candidate; that they are not infinitely many is part of the likelihood."""
STEPS = (1, 2, 4, 8, 16, 64)
Point = tuple[str, int]
"""A method (majority or best_of_n) and an N."""


@dataclass(frozen=True)
class Exam:
    """How many answers a question gets, and where the curves are read."""

    pool: int
    points: tuple[Point, ...]


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


def sit(exam: Exam, setting: BinarySetting, seed: int, tasks: int = TASKS) -> list[Twin]:
    """The twins of one setting, one for each t of STEPS."""
    law = law_of_paths(draw_tasks(setting, task_keys(1, tasks), seed), setting, STEPS)
    twins = []
    for at, t in enumerate(STEPS):
        counts = draw_answers(law.probabilities[:, at], law.gold, exam.pool, seed)
        found = marks(counts, exam.points)
        twins.append(Twin(setting, t, found.mean(axis=0), np.asarray(np.cov(found.T)), shares(counts)))
    return twins


def draw_answers(laws: Array, gold: NDArray[np.int64], pool: int, seed: int) -> VoteCounts:
    """`pool` answers to every task, drawn from `laws` (tasks, answers); `gold` (tasks,): the right ones."""
    drawn = np.random.default_rng(seed).multinomial(pool, laws / laws.sum(axis=1, keepdims=True))
    correct = np.take_along_axis(drawn, gold[:, None], axis=1)[:, 0]
    np.put_along_axis(drawn, gold[:, None], 0, axis=1)
    task, _ = np.nonzero(drawn)
    starts = np.searchsorted(task, np.arange(len(laws) + 1))
    return VoteCounts(correct, drawn[drawn > 0], starts, np.zeros_like(correct))


def marks(counts: VoteCounts, points: Sequence[Point]) -> Array:
    """Each question's accuracy at every point, and the square of one answer's: (questions, points + 1)."""
    pool, right = counts.pools[:, None], counts.correct[:, None]
    found = np.empty((len(right), len(points) + 1))
    for method in ("majority", "best_of_n"):
        at = [i for i, point in enumerate(points) if point[0] == method]
        ns = np.array([points[i][1] for i in at], np.int64)
        if at:
            found[:, at] = (
                majority_accuracy(counts, ns) if method == "majority" else best_of_n(pool, right, ns)
            )
    found[:, -1] = (right / pool)[:, 0] ** 2
    return found


def shares(counts: VoteCounts) -> Array:
    """(questions, 2): p, the share of right answers, and Δ, its lead over the largest wrong answer's."""
    question = np.repeat(np.arange(len(counts.correct)), np.diff(counts.starts))
    largest = np.zeros(len(counts.correct))
    np.maximum.at(largest, question, counts.wrong)
    return np.stack([counts.correct, counts.correct - largest], axis=1) / counts.pools[:, None]
