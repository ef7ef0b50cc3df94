"""What a noise law of Algorithm 1 is: how it moves w̃, and what it does to the mean and the covariance.

    NoiseLaw("constant", move=lambda w, xi, sign: w + xi, moments=…, gaussian=True, turns=True)

A law of your own is a file beside this one and a line in the table of `__init__.py` (studies/twin/laws.md).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class MomentRule(NamedTuple):
    """Mean and covariance of the next w, given the mean m and the covariance M of w̃.

    E[w] = mean · m,   Cov w = spread · M + outer · m mᵀ + trace · (tr M + ‖m‖²) I + added · I
    """

    mean: float
    spread: float = 1.0
    outer: float = 0.0
    trace: float = 0.0
    added: float = 0.0


@dataclass(frozen=True)
class NoiseLaw:
    """One noise function φ_ξ of Algorithm 1.

    move(w, xi, sign): the next w, (…, d), from w̃ and ξ ~ N(0, s I), both (…, d) and broadcast; `sign` is
    the setting's `linear_sign`, for laws that have one.
    moments(s, sign): the rule by which mean and covariance follow; None: they are sampled.
    gaussian: w_t is Gaussian, so that best-of-N has a formula.
    turns: the law looks the same in every orthonormal basis, which spares the sampler two products a step.
    """

    name: str
    move: Callable[[Array, Array, int], Array]
    moments: Callable[[float, int], MomentRule] | None = None
    gaussian: bool = False
    turns: bool = False
