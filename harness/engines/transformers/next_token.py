"""Draws the next token of each row from its logits and one random number."""

import torch

from harness.engines.base import Sampling


def next_tokens(logits: torch.Tensor, uniform: torch.Tensor, sampling: Sampling) -> torch.Tensor:
    """Tokens (rows,) from logits (rows, vocabulary) and uniform numbers in [0, 1) (rows,).

    The likeliest at temperature 0; otherwise drawn after temperature, `top_k` and `top_p`.
    """
    if sampling.temperature == 0:
        return logits.argmax(-1)
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


def _invert(weights: torch.Tensor, uniform: torch.Tensor) -> torch.Tensor:
    """The first index at which the running sum of `weights` exceeds the share `uniform` of their total."""
    running = weights.cumsum(-1, dtype=torch.float64)
    target = uniform.double()[:, None] * running[:, -1:]
    found: torch.Tensor = torch.searchsorted(running, target, right=True)[:, 0]
    return found
