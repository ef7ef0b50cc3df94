"""The next token of each row, from its logits and one uniform number."""

from collections.abc import Callable

import torch

from harness.engines.base import Sampling


def chooser(sampling: Sampling) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    """A function from logits (rows, vocabulary) and uniform numbers in [0, 1) (rows,) to tokens (rows,)."""
    if sampling.temperature == 0:
        return lambda logits, _uniform: logits.argmax(-1)

    def choose(logits: torch.Tensor, uniform: torch.Tensor) -> torch.Tensor:
        probabilities = torch.softmax(logits.float() / sampling.temperature, dim=-1)
        if sampling.top_p == 1 and sampling.top_k == -1:
            return _invert(probabilities, uniform)
        ranked, tokens = probabilities.sort(dim=-1, descending=True)
        if sampling.top_k != -1:
            ranked[:, sampling.top_k :] = 0
        # The smallest set that reaches top_p: a token is out if those before it reach it already.
        before = ranked.cumsum(-1) - ranked
        ranked[before >= sampling.top_p] = 0
        return tokens.gather(-1, _invert(ranked, uniform)[:, None])[:, 0]

    return choose


def _invert(weights: torch.Tensor, uniform: torch.Tensor) -> torch.Tensor:
    """The index where the running sum of `weights`, whatever their total, passes `uniform` of the total."""
    running = weights.double().cumsum(-1)
    target = uniform.double()[:, None] * running[:, -1:]
    return torch.searchsorted(running, target, right=True)[:, 0].clamp(max=weights.shape[-1] - 1)
