"""Constant noise, φ_ξ(w̃) = ξ."""

from synthetic.model.noise.law import Array, MomentRule, NoiseLaw


def constant_noise(w: Array, xi: Array, _sign: int = 1) -> Array:
    """Algorithm 1 with φ_ξ(w̃) = ξ; `w` and `xi` are (…, d)."""
    return w + xi


def _moments(s: float, _sign: int) -> MomentRule:
    return MomentRule(mean=1.0, added=s)


CONSTANT = NoiseLaw("constant", constant_noise, _moments, gaussian=True, turns=True)
