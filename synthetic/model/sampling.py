"""The sampling rules of the binary case: the weights by which Algorithm 2 draws coordinates.

    SamplingRule("clip-norm", weights=lambda scores, dial: np.maximum(scores, 0))

Algorithm 2 draws k different coordinates one at a time, each in proportion to its weight. To add a rule,
write a function and a line in the table at the end (studies/twin/laws.md).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from synthetic.model.noise import Array


@dataclass(frozen=True)
class SamplingRule:
    """weights(scores, dial): weights of at least 0 from w̃, both (…, d); `dial` is the rule's one parameter.

    takes(dial): whether that value is valid; `dial_is`: what it means, for the error if not.
    neutral: the default, with which the rule is the paper's.
    """

    name: str
    weights: Callable[[Array, float], Array]
    takes: Callable[[float], bool] = lambda _dial: False
    dial_is: str = "none: it has no dial"
    neutral: float = 1.0


def clipped(scores: Array, _dial: float = 1.0) -> Array:
    """Negative entries set to 0: ClipNorm (Section 3.3) before it scales to sum 1."""
    return np.maximum(scores, 0.0)


CLIP_NORM = SamplingRule("clip-norm", clipped)


def _to_a_power(scores: Array, dial: float) -> Array:
    """ClipNorm's probabilities to the power 1/τ. τ = 1 is Algorithm 2, τ → 0 greedy decoding."""
    positive = clipped(scores)
    most = positive.max(axis=-1, keepdims=True)
    relative = np.divide(positive, most, out=np.zeros_like(positive), where=most > 0)  # no power overflows
    return np.asarray(relative ** (1 / dial))


TEMPERATURE = SamplingRule(
    "temperature", _to_a_power, lambda dial: 0.01 <= dial <= 100, "the temperature, from 0.01 to 100"
)


def _largest(scores: Array, dial: float) -> Array:
    """Only the `dial` largest entries of w̃ keep their weight; ties keep the first."""
    positive = clipped(scores)
    rank = np.argsort(np.argsort(-positive, axis=-1, kind="stable"), axis=-1, kind="stable")
    return np.where(rank < dial, positive, 0.0)


TOP_K = SamplingRule(
    "top-k",
    _largest,
    lambda dial: dial >= 1 and dial == int(dial),
    "how many entries are kept, a whole number from 1 up",
    neutral=np.inf,
)


SAMPLING_RULES: dict[str, SamplingRule] = {rule.name: rule for rule in (CLIP_NORM, TEMPERATURE, TOP_K)}
"""The values that a setting's `sampler` may have."""
