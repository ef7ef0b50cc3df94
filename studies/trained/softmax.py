"""A small softmax-attention transformer in the same loop: the second model that is trained.

Two layers of four heads, width 28, with layer norms, a hidden layer each, and a causal mask over its own
thoughts. It reads the paper's tokens (x, y, 0, 0) and (0, 0, w, 1) and adds its output to the last w.
"""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import gelu, layer_norm, scaled_dot_product_attention

from studies.trained.layer import Model
from synthetic.model.tasks import Array

WIDTH, LAYERS, HEADS, HIDDEN = 28, 2, 4, 56
Kept = dict[int, tuple[Tensor, Tensor]]
"""The keys and values of each layer, (b, heads, tokens, width / heads)."""


def softmax_weights(d: int, generator: torch.Generator) -> dict[str, Tensor]:
    """Random weights by name."""

    def matrix(rows: int, columns: int, scale: float = 1.0) -> Tensor:
        return scale / math.sqrt(rows) * torch.randn(rows, columns, generator=generator)

    weights = {"in": matrix(2 * d + 2, WIDTH), "out": matrix(WIDTH, d, scale=0.1)}
    for layer in range(LAYERS):
        weights |= {
            f"{layer} attention": matrix(WIDTH, 3 * WIDTH),
            f"{layer} merge": matrix(WIDTH, WIDTH, scale=0.5),
            f"{layer} hidden": matrix(WIDTH, HIDDEN),
            f"{layer} bias": torch.zeros(HIDDEN),
            f"{layer} back": matrix(HIDDEN, WIDTH, scale=0.5),
        }
    return weights


def softmax_reader(weights: dict[str, Tensor], x: Tensor, y: Tensor) -> Callable[[Tensor, int], Tensor]:
    """The model on examples x (b, n, d), y (b, n): (thoughts (b, t, d+1), asked) to w̃ (b, asked, d).

    Keys and values are cached, so each call may only add thoughts to those of the previous call.
    """
    d = x.shape[2]
    examples = torch.cat([x, y[:, :, None], torch.zeros(*x.shape[:2], d + 1)], dim=2)
    kept: Kept = {}
    _advance(weights, examples, kept)

    def guesses(thoughts: Tensor, asked: int) -> Tensor:
        known = kept[0][0].shape[2] - x.shape[1]
        fresh = thoughts[:, known:]
        tokens = torch.cat([torch.zeros(*fresh.shape[:2], d + 1), fresh], dim=2)
        said = _advance(weights, tokens, kept)[:, -asked:] @ weights["out"]
        return thoughts[:, -asked:, :d] + said

    return guesses


def _advance(weights: dict[str, Tensor], tokens: Tensor, kept: Kept) -> Tensor:
    """The last layer's output for new tokens (b, t, 2d+2), whose keys and values are added to `kept`."""
    first = not kept
    b, t, _ = tokens.shape
    h = tokens @ weights["in"]
    for layer in range(LAYERS):
        mixed = layer_norm(h, (WIDTH,)) @ weights[f"{layer} attention"]
        query, key, value = mixed.view(b, t, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        if not first:
            key, value = (torch.cat(pair, dim=2) for pair in zip(kept[layer], (key, value), strict=True))
        kept[layer] = key, value
        seen = key.shape[2]
        mask = torch.ones(t, seen, dtype=torch.bool).tril(seen if first else seen - t)
        mixed = scaled_dot_product_attention(query, key, value, attn_mask=mask)
        h = h + mixed.permute(0, 2, 1, 3).reshape(b, t, WIDTH) @ weights[f"{layer} merge"]
        hidden = layer_norm(h, (WIDTH,)) @ weights[f"{layer} hidden"] + weights[f"{layer} bias"]
        h = h + gelu(hidden) @ weights[f"{layer} back"]
    return layer_norm(h, (WIDTH,))


def softmax_model(matrices: dict[str, Array]) -> Model:
    """The `Model` of trained weights."""
    weights = {name: torch.tensor(one, dtype=torch.float32) for name, one in matrices.items()}

    def model(x: Array, y: Array) -> Callable[[Array], Array]:
        guesses = softmax_reader(weights, torch.tensor(x).float(), torch.tensor(y).float())

        def guess(thoughts: Array) -> Array:
            with torch.no_grad():
                return np.asarray(guesses(torch.tensor(thoughts).float(), 1)[:, 0].double().numpy())

        return guess

    return model
