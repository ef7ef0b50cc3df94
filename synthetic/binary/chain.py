"""The exact law of w_t in the binary case: a Markov chain on the C(d, k) supports.

    law_of_paths(tasks, setting, steps=(1, 8, 50)).correct[task]  ->  [0.119, 0.329, 0.362]

Given the examples, w̃ depends only on the support of w_{t−1}, and Algorithm 2 turns w̃ into the next
support, so P(w_t = ·) is the t-fold product of one transition matrix. No sampling, no fit.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from results import BadInput
from results.votes.multinomial import vote_accuracy
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import Array, Tasks

MAX_SUPPORTS = 5_000
MAX_NUMBERS = MAX_SUPPORTS**2
"""Most numbers in the transition matrices of the tasks solved together (200 MB)."""

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class PathLaw:
    """`probabilities` (tasks, steps, supports) of w_t, with supports in the order of `all_supports`.

    `gold` (tasks,) is the index of w*; `fallback` (tasks,) the expected share of steps at which fewer
    than k entries of w̃ are positive, so that ClipNorm is undefined for the rest.
    """

    probabilities: Array
    gold: Indices
    fallback: Array

    @property
    def correct(self) -> Array:
        """P(w_t = w*), (tasks, steps): the accuracy of a single path."""
        return np.asarray(np.take_along_axis(self.probabilities, self.gold[:, None, None], axis=2)[:, :, 0])

    @property
    def gap(self) -> Array:
        """Δ_t (tasks, steps): P(w_t = w*) − the largest P(w_t = w') of a wrong w' (Equation 5.1)."""
        others = self.probabilities.copy()
        np.put_along_axis(others, self.gold[:, None, None], -np.inf, axis=2)
        return np.asarray(self.correct - others.max(axis=2))

    def vote(self, votes: Sequence[int]) -> Array:
        """The accuracy of the majority vote, (tasks, steps, votes)."""
        return vote_accuracy(self.probabilities, self.gold[:, None], votes)


@lru_cache(maxsize=8)
def all_supports(d: int, k: int) -> Indices:
    """Every k-subset of 0…d−1 in lexicographic order, (C(d,k), k); shared and read-only."""
    subsets = np.array(list(itertools.combinations(range(d), k)), dtype=np.int64).reshape(math.comb(d, k), k)
    subsets.flags.writeable = False
    return subsets


def law_of_paths(tasks: Tasks, setting: BinarySetting, steps: tuple[int, ...]) -> PathLaw:
    """The exact P(w_t = ·) of every task at each t of `steps`. Raises BadInput above MAX_SUPPORTS."""
    if setting.supports > MAX_SUPPORTS:
        raise BadInput(
            f"C({setting.d}, {setting.k}) = {setting.supports:,} supports are more than the exact "
            f"chain takes ({MAX_SUPPORTS:,}): use --solver monte-carlo"
        )
    subsets = all_supports(setting.d, setting.k)
    gold = np.take_along_axis(tasks.w_star[:, None, :], subsets[None], axis=2).all(axis=2).argmax(axis=1)
    at_once = max(1, MAX_NUMBERS // setting.supports**2)
    parts = [
        _propagate(tasks.x[start : start + at_once], tasks.y[start : start + at_once], setting, steps)
        for start in range(0, len(tasks), at_once)
    ]
    probabilities, fallback = (np.concatenate(part) for part in zip(*parts, strict=True))
    return PathLaw(probabilities, gold, fallback)


def _propagate(x: Array, y: Array, setting: BinarySetting, steps: tuple[int, ...]) -> tuple[Array, Array]:
    """P(w_t = ·), (tasks, steps, supports), and the share of steps short of positive entries, (tasks,)."""
    first = setting.step * np.einsum("bn,bnd->bd", y, x)  # w̃ from w_0 = 0
    first = setting.weights(first)
    law, shortfall = draw_law(first, setting.k), _too_few(first, setting.k).astype(np.float64)
    scores = _scores(x, y, setting)
    transition = _transition(scores, setting)
    short = _too_few(scores, setting.k)
    out = np.empty((len(x), len(steps), setting.supports))
    for t in range(1, max(steps) + 1):
        if t > 1:
            shortfall += (law * short).sum(axis=1)
            law = (law[:, None] @ transition)[:, 0]
        if t in steps:
            out[:, steps.index(t)] = law
    return out, shortfall / max(steps)


def transitions(tasks: Tasks, setting: BinarySetting) -> Array:
    """P(w_{t+1} = column | w_t = row) for every task, (tasks, supports, supports)."""
    return _transition(_scores(tasks.x, tasks.y, setting), setting)


def _scores(x: Array, y: Array, setting: BinarySetting) -> Array:
    """Algorithm 2's weights of w̃ after every support, (tasks, supports, d)."""
    w = np.zeros((setting.supports, setting.d))
    np.put_along_axis(w, all_supports(setting.d, setting.k), 1, axis=1)
    return setting.weights(w - setting.step * (w @ np.swapaxes(x, 1, 2) - y[:, None, :]) @ x)


def _transition(scores: Array, setting: BinarySetting) -> Array:
    law = draw_law(scores.reshape(-1, setting.d), setting.k)
    return law.reshape(len(scores), setting.supports, setting.supports)


def _too_few(scores: Array, k: int) -> NDArray[np.bool_]:
    return np.asarray((scores > 0).sum(axis=-1) < k)


def draw_law(scores: Array, k: int) -> Array:
    """Algorithm 2's law over supports given w̃: `scores` (rows, d) to (rows, C(d,k)), each row summing to 1.

    Level m holds P(the first m coordinates drawn are the set A) as the sum over a ∈ A of
    P(A∖a) · p_a / (mass outside A∖a), so all orders are summed without listing them. If no mass is
    left outside, the next coordinate is uniform over those not drawn.
    """
    weights = np.maximum(scores, 0.0)
    law = np.ones((len(weights), 1))
    for size in range(1, k + 1):
        members, parents, outside = _level(weights.shape[1], size)
        rest = weights @ outside
        with np.errstate(divide="ignore", invalid="ignore"):
            per_mass = np.where(rest > 0, law / rest, 0.0)
        leftover = np.where(rest > 0, 0.0, law) / (weights.shape[1] - size + 1)
        law = sum(
            per_mass[:, parents[:, j]] * weights[:, members[:, j]] + leftover[:, parents[:, j]]
            for j in range(size)
        )
    return law


@lru_cache(maxsize=16)
def _level(d: int, size: int) -> tuple[Indices, Indices, Array]:
    """All subsets of `size`: members, indices of the subsets without each member, 0/1 masks outside these."""
    members = all_supports(d, size)
    smaller = all_supports(d, size - 1)
    index = {tuple(subset): i for i, subset in enumerate(smaller.tolist())}
    rows = members.tolist()
    parents = np.array([[index[tuple(row[:j] + row[j + 1 :])] for j in range(size)] for row in rows])
    outside = np.ones((d, len(smaller)))
    np.put_along_axis(outside.T, smaller, 0, axis=1)
    return members, parents, outside
