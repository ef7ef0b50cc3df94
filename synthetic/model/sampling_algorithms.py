"""The paper's Algorithm 2: from the transformer's output w̃ to the next w. Algorithm 1 is in `noise/`.

    sample_support(w̃ = [0.9, -0.2, 0.3], uniforms=[0.8])  ->  [0, 0, 1]: P = 0.75, 0, 0.25

One vector at a time, as the paper writes it. The random numbers are an argument, so that
`synthetic.binary.sampler` can be checked to walk the same paths.
"""

import numpy as np

from synthetic.model.tasks import Array


def sample_support(scores: Array, uniforms: Array) -> Array:
    """Algorithm 2: k different coordinates, drawn one after the other from ClipNorm(w̃); a 0/1 vector (d,).

    `uniforms` (k,) are random numbers from [0, 1). ClipNorm (Section 3.3) sets negative entries to 0 and
    scales the rest to sum 1. Without a positive entry the paper's formula is 0/0; here the draw is then
    uniform over the coordinates not drawn yet.
    """
    weights = np.maximum(scores, 0.0)
    support = np.zeros(len(scores))
    for uniform in uniforms:
        if not weights.any():
            weights = 1 - support
        cumulative = np.cumsum(weights)
        index = int(np.searchsorted(cumulative, uniform * cumulative[-1], side="right"))
        support[index], weights[index] = 1, 0
    return support
