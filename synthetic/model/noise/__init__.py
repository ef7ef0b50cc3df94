"""The noise laws of Algorithm 1, by the names that a setting's `noise` has. A new one is one line here."""

from synthetic.model.noise.constant import CONSTANT
from synthetic.model.noise.law import NoiseLaw
from synthetic.model.noise.linear import LINEAR

NOISE_LAWS: dict[str, NoiseLaw] = {law.name: law for law in (CONSTANT, LINEAR)}
