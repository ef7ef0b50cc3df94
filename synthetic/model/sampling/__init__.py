"""The sampling rules of Algorithm 2, by the names of a setting's `sampler`. A new one is one line here."""

from synthetic.model.sampling.rule import CLIP_NORM, SamplingRule
from synthetic.model.sampling.temperature import TEMPERATURE
from synthetic.model.sampling.top_k import TOP_K

SAMPLING_RULES: dict[str, SamplingRule] = {rule.name: rule for rule in (CLIP_NORM, TEMPERATURE, TOP_K)}
