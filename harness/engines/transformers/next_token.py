"""Draws the next token of each row from its logits and one random number."""

from collections.abc import Callable

import torch

from harness.engines.base import Sampling

NextTokens = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""From logits (rows, vocabulary) and uniform numbers in [0, 1) (rows,) to tokens (rows,)."""


def next_token_rule(sampling: Sampling) -> NextTokens:
    """The likeliest token at temperature 0; otherwise one drawn after temperature, `top_k` and `top_p`."""
    if sampling.temperature == 0:
        return lambda logits, _uniform: logits.argmax(-1)

    def draw(logits: torch.Tensor, uniform: torch.Tensor) -> torch.Tensor:
        probabilities = torch.softmax(logits.float() / sampling.temperature, dim=-1)
        if sampling.top_p == 1 and sampling.top_k == -1:
            return _invert(probabilities, uniform)
        ranked, tokens = probabilities.sort(dim=-1, descending=True)
        if sampling.top_k != -1:
            ranked[:, sampling.top_k :] = 0
        # Keep the smallest set that reaches top_p: drop a token if those before it reach it already.
        before = ranked.cumsum(-1) - ranked
        ranked[before >= sampling.top_p] = 0
        return tokens.gather(-1, _invert(ranked, uniform)[:, None])[:, 0]

    return draw


def _invert(weights: torch.Tensor, uniform: torch.Tensor) -> torch.Tensor:
    """The first index at which the running sum of `weights` exceeds the share `uniform` of their total."""
    running = weights.double().cumsum(-1)
    target = uniform.double()[:, None] * running[:, -1:]
    return torch.searchsorted(running, target, right=True)[:, 0].clamp(max=weights.shape[-1] - 1)
