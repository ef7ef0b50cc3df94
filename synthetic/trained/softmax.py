"""A small softmax-attention transformer in the same loop: the second model that is trained.

Two layers of four heads, width 28, with layer norms, a hidden layer each, and a causal mask over its own
thoughts. It reads the paper's tokens (x, y, 0, 0) and (0, 0, w, 1) and adds what it says to the last w.
"""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import gelu, layer_norm, scaled_dot_product_attention

from synthetic.model.tasks import Array
from synthetic.trained.loop import Guess

WIDTH, LAYERS, HEADS, HIDDEN = 28, 2, 4, 56


class SoftmaxTransformer:
    """The model's weights, and how it reads."""

    def __init__(self, d: int, generator: torch.Generator | None = None) -> None:
        def matrix(rows: int, columns: int, scale: float = 1.0) -> Tensor:
            drawn = torch.randn(rows, columns, generator=generator)
            return (scale / math.sqrt(rows) * drawn).requires_grad_()

        self.weights = {"in": matrix(2 * d + 2, WIDTH), "out": matrix(WIDTH, d, scale=0.1)}
        for layer in range(LAYERS):
            self.weights |= {
                f"{layer} attention": matrix(WIDTH, 3 * WIDTH),
                f"{layer} merge": matrix(WIDTH, WIDTH, scale=0.5),
                f"{layer} hidden": matrix(WIDTH, HIDDEN),
                f"{layer} bias": torch.zeros(HIDDEN).requires_grad_(),
                f"{layer} back": matrix(HIDDEN, WIDTH, scale=0.5),
            }

    def read(self, x: Tensor, y: Tensor) -> Callable[[Tensor, int], Tensor]:
        """The model on examples x (b, n, d), y (b, n): (thoughts (b, t, d+1), asked) to w̃ (b, asked, d).

        Keys and values are kept, so each call may only add thoughts to those of the call before.
        """
        d = x.shape[2]
        examples = torch.cat([x, y[:, :, None], torch.zeros(*x.shape[:2], d + 1)], dim=2)
        kept: list[tuple[Tensor, Tensor]] = []
        self._advance(examples, kept)
        known = 0

        def guesses(thoughts: Tensor, asked: int) -> Tensor:
            nonlocal known
            fresh = thoughts[:, known:]
            known = thoughts.shape[1]
            tokens = torch.cat([torch.zeros(*fresh.shape[:2], d + 1), fresh], dim=2)
            said = self._advance(tokens, kept)[:, -asked:] @ self.weights["out"]
            return thoughts[:, -asked:, :d] + said

        return guesses

    def _advance(self, tokens: Tensor, kept: list[tuple[Tensor, Tensor]]) -> Tensor:
        """The last layer's output for new tokens (b, t, 2d+2). `kept`: the keys and values of each layer."""
        first = not kept
        b, t, _ = tokens.shape
        h = tokens @ self.weights["in"]
        for layer in range(LAYERS):
            mixed = layer_norm(h, (WIDTH,)) @ self.weights[f"{layer} attention"]
            query, key, value = mixed.view(b, t, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
            if first:
                kept.append((key, value))
            else:
                key, value = (torch.cat(pair, dim=2) for pair in zip(kept[layer], (key, value), strict=True))
                kept[layer] = (key, value)
            seen = key.shape[2]
            mask = torch.ones(t, seen, dtype=torch.bool)
            mask = mask if first else mask.tril(seen - t)
            mixed = scaled_dot_product_attention(query, key, value, attn_mask=mask)
            h = h + mixed.permute(0, 2, 1, 3).reshape(b, t, WIDTH) @ self.weights[f"{layer} merge"]
            hidden = layer_norm(h, (WIDTH,)) @ self.weights[f"{layer} hidden"] + self.weights[f"{layer} bias"]
            h = h + gelu(hidden) @ self.weights[f"{layer} back"]
        return layer_norm(h, (WIDTH,))


def softmax_guess(matrices: dict[str, Array], x: Array, y: Array) -> Guess:
    """The `Guess` of trained weights on examples x (batch, n, d), y (batch, n)."""
    model = SoftmaxTransformer(x.shape[2])
    model.weights = {name: torch.tensor(one, dtype=torch.float32) for name, one in matrices.items()}
    guesses = model.read(torch.tensor(x).float(), torch.tensor(y).float())

    def guess(thoughts: Array) -> Array:
        with torch.no_grad():
            found = guesses(torch.tensor(thoughts).float(), 1)
        return np.asarray(found[:, 0].double().numpy())

    return guess
