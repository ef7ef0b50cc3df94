"""Accuracy of the first N answers to a question, whose answers are put in random order several times.

    permutation  question  N=1  N=2  N=4
    0            7         0    0.5  1

The paper draws its curves this way (10 permutations); their mean tends to the exact accuracy
of `results.votes`. A question's orders depend only on the seed and its answers, not on its
name or the order of its answers in the table. Questions with the same answers still have
different orders.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from results.methods import EVERY_METHOD
from results.votes.exact import AnswerPools, Floats, Ints
from results.votes.unnamed import contents, put_in_order


def random_orders(pools: AnswerPools, permutations: int, seed: int) -> NDArray[np.int32]:
    """Random orders (permutations, answers): in each question's slice, positions of its answers.

    More permutations add to the list and leave the first ones unchanged.
    """
    orders = np.empty((permutations, len(pools.votes)), np.int32)
    in_order, places = _ordered(pools)
    ((_, questions),) = put_in_order([in_order])  # clusters decide which of two equal questions is first
    answers, times = contents(in_order), Counter[bytes]()
    for question in questions:
        content, start, end = answers[question], *pools.starts[question : question + 2]
        times[content] += 1  # so that questions with the same answers get different orders
        stream = [seed, int.from_bytes(content, "big"), times[content]]
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(stream)))
        drawn = generator.random((permutations, end - start)).argsort(axis=1, kind="stable")
        orders[:, start:end] = places[start:end][drawn] - start
    return orders


def _ordered(pools: AnswerPools) -> tuple[AnswerPools, Ints]:
    """The pools with each question's answers sorted, and their positions before, (answers,)."""
    scores = np.zeros(len(pools.votes)) if pools.scores is None else pools.scores
    places = np.lexsort((scores, pools.tokens, pools.votes, pools.question))
    ordered = replace(pools, votes=pools.votes[places], tokens=pools.tokens[places], scores=scores[places])
    return ordered, places


def prefix_accuracy(
    pools: AnswerPools, orders: NDArray[np.int32], ns: Sequence[int] | Ints
) -> dict[str, Floats]:
    """Accuracy of the first N answers by each of EVERY_METHOD: arrays (permutations, Q, len(ns)) by method.

    `ns` must ascend and be from 1 to the smallest pool (else ValueError). Ties share the credit.
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
