"""Draws the next token of each row from its logits and one random number."""

from collections.abc import Callable

import torch
from torch.nn.functional import pad

from harness.engines.base import Sampling

NextTokens = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""From logits (rows, vocabulary) and uniform numbers in [0, 1) (rows,) to tokens (rows,)."""
BLOCK = 128
"""Tokens whose weights are summed before the one among them is looked for: a vocabulary has 150,000."""


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
    blocks = pad(weights, (0, -weights.shape[-1] % BLOCK)).unflatten(-1, (-1, BLOCK))
    running = blocks.sum(-1, dtype=torch.float64).cumsum(-1)
    target = uniform.double()[:, None] * running[:, -1:]
    block = _first_above(running, target)
    inside = blocks[torch.arange(len(block)), block].double().cumsum(-1)
    before = pad(running, (1, 0)).gather(-1, block[:, None])
    # Sums in another order may differ in their last digit: stay below the block's own.
    rest = torch.minimum(target - before, inside[:, -1:] * (1 - 2**-50))
    return block * BLOCK + _first_above(inside, rest)


def _first_above(running: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    found: torch.Tensor = torch.searchsorted(running, target, right=True)[:, 0]
    return found.clamp(max=running.shape[-1] - 1)
