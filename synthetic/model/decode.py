"""From one distribution to the next token, and from N answers to one: Algorithms 1 and 2, Definition 2.

    sample_support(w̃ = [0.9, -0.2, 0.3], k=1, rng)  ->  [1, 0, 0] with probability 0.75, [0, 0, 1] with 0.25
    majority_vote(["3", "3", "7"])                  ->  {"3": 1.0}

One vector at a time and plainly: the reference for `synthetic.binary.sampler`, whose paths these reproduce
number for number when given the same generator.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def clip_norm(scores: Array) -> Array:
    """ClipNorm (Section 3.3): negative entries to 0, then a sum of 1; (d,) to (d,).

    Without a positive entry the paper's formula is 0/0; ours is uniform over all coordinates.
    """
    clipped = np.maximum(scores, 0.0)
    total = clipped.sum()
    return clipped / total if total > 0 else np.full(len(scores), 1 / len(scores))


def sample_support(scores: Array, k: int, rng: np.random.Generator) -> Array:
    """Algorithm 2: k different coordinates drawn one after the other from ClipNorm(w̃); a 0/1 vector (d,).

    Where fewer than k entries are positive, the rest is uniform over the coordinates not yet drawn.
    """
    weights = np.maximum(scores, 0.0)
    support = np.zeros(len(scores))
    for _ in range(k):
        if not weights.any():
            weights = 1 - support
        cumulative = np.cumsum(weights)
        index = int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))
        support[index], weights[index] = 1, 0
    return support


def greedy_support(scores: Array, k: int) -> Array:
    """Greedy decoding: the k most probable coordinates under ClipNorm(w̃), the lowest index first in a tie."""
    support = np.zeros(len(scores))
    support[np.argsort(-clip_norm(scores), kind="stable")[:k]] = 1
    return support


def constant_noise(w: Array, variance: float, rng: np.random.Generator) -> Array:
    """Algorithm 1 with φ_ξ(w̃) = ξ, ξ ~ N(0, variance · I)."""
    return np.asarray(w + np.sqrt(variance) * rng.standard_normal(len(w)))


def linear_noise(w: Array, variance: float, sign: int, rng: np.random.Generator) -> Array:
    """Algorithm 1 with φ_ξ(w̃) = sign · ξξᵀw̃, ξ ~ N(0, variance · I)."""
    xi = np.sqrt(variance) * rng.standard_normal(len(w))
    return np.asarray(w + sign * xi * (xi @ w))


def ensemble_mean(paths: Array) -> Array:
    """w_avg (d,): the mean of the N predictions (N, d)."""
    return np.asarray(paths.mean(axis=0))


def best_of_n(paths: Array, w_star: Array) -> Array:
    """w_BoN (d,): the prediction of highest oracle reward −‖w − w*‖² among (N, d)."""
    return np.asarray(paths[np.argmin(((paths - w_star) ** 2).sum(axis=1))])


def majority_vote(answers: Sequence[str], ties: Literal["share", "first"] = "share") -> dict[str, float]:
    """w_mv: the most frequent answers and each one's share of the win, which sums to 1.

    "share" splits a tie equally; "first" gives it to the answer seen first. Paths are exchangeable, so
    tied answers are equally likely to be first and both rules have the same expectation.
    """
    counts = Counter(answers)
    most = max(counts.values())
    winners = [answer for answer, count in counts.items() if count == most]
    if ties == "first":
        winners = winners[:1]
    return {answer: 1 / len(winners) for answer in winners}


def support_text(indices: Sequence[int] | NDArray[np.integer]) -> str:
    """A support as the answer written in tables: its coordinates in rising order, "3" or "3+7"."""
    return "+".join(str(int(index)) for index in sorted(indices))
