"""Linear noise, φ_ξ(w̃) = sign · ξξᵀw̃."""

import numpy as np

from synthetic.model.noise.law import Array, MomentRule, NoiseLaw


def linear_noise(w: Array, xi: Array, sign: int) -> Array:
    """Algorithm 1 with φ_ξ(w̃) = sign · ξξᵀw̃; `w` and `xi` are (…, d)."""
    along = np.einsum("...i,...i->...", xi, w)[..., None]
    return np.asarray(w + sign * along * xi)


def _moments(s: float, sign: int) -> MomentRule:
    """By E[(I−ξξᵀ)A(I−ξξᵀ)] = (1−2s+2s²)A + s² tr(A) I for symmetric A.

    The paper's lemma has tr(A)I + diag(A) there, which is wrong off the diagonal (shown in the tests).
    """
    return MomentRule(mean=1 + sign * s, spread=1 + 2 * sign * s + 2 * s**2, outer=s**2, trace=s**2)


LINEAR = NoiseLaw("linear", linear_noise, _moments, turns=True)
