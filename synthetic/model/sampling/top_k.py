"""Top-k: only the largest entries of w̃ keep their weight; `dial` says how many. Of ties, the first stay."""

import numpy as np

from synthetic.model.sampling.rule import Array, SamplingRule, clipped


def _weights(scores: Array, dial: float) -> Array:
    positive = clipped(scores)
    rank = np.argsort(np.argsort(-positive, axis=-1, kind="stable"), axis=-1, kind="stable")
    return np.where(rank < dial, positive, 0.0)


TOP_K = SamplingRule(
    "top-k",
    _weights,
    lambda dial: dial >= 1 and dial == int(dial),
    "how many entries are kept, a whole number from 1 up",
    neutral=np.inf,
)
