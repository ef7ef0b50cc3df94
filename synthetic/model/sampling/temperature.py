"""Temperature: probabilities of ClipNorm to the power 1/τ. τ = 1 is Algorithm 2, τ → 0 greedy decoding."""

import numpy as np

from synthetic.model.sampling.rule import Array, SamplingRule, clipped


def _weights(scores: Array, dial: float) -> Array:
    positive = clipped(scores)
    most = positive.max(axis=-1, keepdims=True)
    relative = np.divide(positive, most, out=np.zeros_like(positive), where=most > 0)  # no power overflows
    return np.asarray(relative ** (1 / dial))


TEMPERATURE = SamplingRule(
    "temperature", _weights, lambda dial: 0.01 <= dial <= 100, "the temperature, from 0.01 to 100"
)
