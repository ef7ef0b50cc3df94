"""The noise laws of Algorithm 1: how each changes w̃, its mean and its covariance.

    NoiseLaw("constant", move=lambda w, xi, sign: w + xi, moments=…, gaussian=True, turns=True)

To add a law, write a function and a line in the table at the end (studies/twin/laws.md).
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
    moments(s, sign): the rule for mean and covariance; None if they must be sampled.
    gaussian: whether w_t is Gaussian, so that best-of-N has a formula.
    turns: whether the law is the same in every orthonormal basis, which saves two products per step.
    """

    name: str
    move: Callable[[Array, Array, int], Array]
    moments: Callable[[float, int], MomentRule] | None = None
    gaussian: bool = False
    turns: bool = False


def constant_noise(w: Array, xi: Array, _sign: int = 1) -> Array:
    """Algorithm 1 with φ_ξ(w̃) = ξ; `w` and `xi` are (…, d)."""
    return w + xi


def _constant_moments(s: float, _sign: int) -> MomentRule:
    return MomentRule(mean=1.0, added=s)


CONSTANT = NoiseLaw("constant", constant_noise, _constant_moments, gaussian=True, turns=True)


def linear_noise(w: Array, xi: Array, sign: int) -> Array:
    """Algorithm 1 with φ_ξ(w̃) = sign · ξξᵀw̃; `w` and `xi` are (…, d)."""
    along = np.einsum("...i,...i->...", xi, w)[..., None]
    return np.asarray(w + sign * along * xi)


def _linear_moments(s: float, sign: int) -> MomentRule:
    """By E[(I−ξξᵀ)A(I−ξξᵀ)] = (1−2s+2s²)A + s² tr(A) I for symmetric A.

    The paper's lemma has tr(A)I + diag(A) there, which is wrong off the diagonal (shown in the tests).
    """
    return MomentRule(mean=1 + sign * s, spread=1 + 2 * sign * s + 2 * s**2, outer=s**2, trace=s**2)


LINEAR = NoiseLaw("linear", linear_noise, _linear_moments, turns=True)


NOISE_LAWS: dict[str, NoiseLaw] = {law.name: law for law in (CONSTANT, LINEAR)}
"""The values that a setting's `noise` may have."""
