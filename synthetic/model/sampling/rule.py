"""What a sampling rule of the binary case is: the weights by which Algorithm 2 draws coordinates.

    SamplingRule("clip-norm", weights=lambda scores, dial: np.maximum(scores, 0))

Algorithm 2 draws k different coordinates one after the other, each in proportion to its weight. A rule of
your own is one file beside this one and one line in the table of `__init__.py` (studies/twin/laws.md).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SamplingRule:
    """weights(scores, dial): weights of at least 0 from w̃, both (…, d); `dial` is the setting's number.

    takes(dial) says whether that number makes sense, `dial_is` what it is, for the error where it does not.
    neutral: the number that stands for none given, with which the rule is the paper's.
    """

    name: str
    weights: Callable[[Array, float], Array]
    takes: Callable[[float], bool] = lambda _dial: False
    dial_is: str = "none: it has no dial"
    neutral: float = 1.0


def clipped(scores: Array, _dial: float = 1.0) -> Array:
    """Negative entries at 0: ClipNorm (Section 3.3) before it scales to sum 1."""
    return np.maximum(scores, 0.0)


CLIP_NORM = SamplingRule("clip-norm", clipped)
