"""Accuracy over the first N answers of a question, its answers put in a random order several times.

    permutation  question  N=1  N=2  N=4
    0            7         0    0.5  1

This is how the paper draws its curves (10 permutations); their mean tends to the exact `results.votes`.
The order of a question depends on the seed and on the question's own name alone, not on the rows around it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from results.methods import EVERY_METHOD
from results.votes.exact import AnswerPools, Floats, Ints


def random_orders(
    pools: AnswerPools, permutations: int, seed: int, group: Sequence[str] = ()
) -> NDArray[np.int32]:
    """Positions (permutations, answers): within each question's slice, an order of its answers.

    group: the names (dataset, model, setting …) that, with the question's own, pick its random stream.
    More permutations extend the list and leave the first ones as they were.
    """
    orders = np.empty((permutations, len(pools.votes)), np.int32)
    for question, start, end in zip(pools.question_ids, pools.starts[:-1], pools.starts[1:], strict=True):
        name = "\0".join([*group, question]).encode()
        stream = int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "big")
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, stream])))
        keys = generator.random((permutations, end - start))
        orders[:, start:end] = keys.argsort(axis=1, kind="stable")
    return orders


def prefix_accuracy(
    pools: AnswerPools, orders: NDArray[np.int32], ns: Sequence[int] | Ints
) -> dict[str, Floats]:
    """Accuracy of the first N answers by each of EVERY_METHOD: arrays (permutations, Q, len(ns)) by method.

    `ns` ascending, each from 1 to the smallest pool (else ValueError). Ties share the credit.
    """
    from results.votes.exact_kernel import prefix_votes  # numba takes half a second to import

    sizes = np.asarray(ns, np.int64)
    smallest = int(pools.sizes.min())
    if np.any(np.diff(sizes) <= 0) or np.any((sizes < 1) | (sizes > smallest)):
        raise ValueError(f"N must rise and stay from 1 to the smallest pool ({smallest})")
    shape = (len(orders), len(pools.question_ids), sizes.size)
    accuracy = {method: np.zeros(shape) for method in EVERY_METHOD}
    votes, starts = pools.votes.astype(np.int64), pools.starts.astype(np.int64)
    prefix_votes(votes, starts, orders, sizes, *accuracy.values())
    return accuracy
