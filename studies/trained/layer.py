"""One linear-attention layer with free weights: the paper's TF(H) = H + V H · HᵀWH / n, and what it learned.

    layer = gradient_layer(d=5, eta=0.7)          the paper's V_GD and W_GD
    layer.step_sizes()  ->  (0.7, 0.7)            the gradient step it takes through x and through y

Only w is read from the layer's output, and the rest of the next token is fixed (Algorithms 1 and 2), so
only the w rows of V and the w and flag columns of W matter. Only these are stored:
`value` (d, 2d+2) and `key_query` (2d+2, d+1).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from synthetic.model.tasks import Array

Guess = Callable[[Array], Array]
"""The w̃ (batch, d) after the tokens (w, 1) generated so far, (batch, t, d+1), for given examples."""
Model = Callable[[Array, Array], Guess]
"""A model's guess on examples x (batch, n, d), y (batch, n)."""


@dataclass(frozen=True)
class Layer:
    """`value` (d, 2d+2): the w rows of V. `key_query` (2d+2, d+1): the w and flag columns of W."""

    value: Array
    key_query: Array

    @property
    def d(self) -> int:
        """The dimension of the tasks."""
        return len(self.value)

    def read(self, x: Array, y: Array) -> Guess:
        """The layer as a `Model`."""
        gram = examples_gram(np.concatenate([x, y[..., None]], axis=-1))

        def guess(thoughts: Array) -> Array:
            mask = np.ones((1, thoughts.shape[-2]))
            w = next_coefficients(self.value, self.key_query, gram, thoughts, mask, x.shape[-2])
            return np.asarray(w[..., 0, :])

        return guess

    def without_thoughts(self) -> "Layer":
        """The same layer, blind to the tokens it generated except the last (its residual connection)."""
        value = self.value.copy()
        value[:, self.d + 1 :] = 0
        return Layer(value, self.key_query)

    def normalised(self) -> "Layer":
        """The same function with its free scale fixed.

        V and W enter as a product, once through the examples' columns and once through the thoughts'
        columns, so each pair is known only up to a factor. Here the mean diagonal of W's x–w block is 1,
        and the thought blocks of V and W have equal norms.
        """
        d = self.d
        value, key_query = self.value.copy(), self.key_query.copy()
        scale = np.trace(key_query[:d, :d]) / d
        value[:, : d + 1] *= scale
        key_query[: d + 1] /= scale
        thought_value, thought_key = (np.linalg.norm(m) for m in (value[:, d + 1 :], key_query[d + 1 :]))
        balance = np.sqrt(thought_key / thought_value)
        value[:, d + 1 :] *= balance
        key_query[d + 1 :] /= balance
        return Layer(value, key_query)

    def step_sizes(self, k: int = 0) -> tuple[float, float]:
        """η through x and through y in w̃ = w − (η_x XᵀXw − η_y Xᵀy)/n: mean diagonals, free of the scale.

        In binary tasks the k ones of w sum to k, so W's y–w block acts like k times its y–flag entry.
        """
        d = self.d
        through = np.trace(self.value[:, :d]) / d
        label = self.key_query[d, d] + k * self.key_query[d, :d].mean()
        return float(-through * np.trace(self.key_query[:d, :d]) / d), float(through * label)

    def skew_share(self) -> float:
        """The norm of the skew-symmetric part of V's x block over that of its symmetric part; 0 in V_GD."""
        block = self.value[:, : self.d]
        return float(np.linalg.norm(block - block.T) / np.linalg.norm(block + block.T))


def gradient_layer(d: int, eta: float) -> Layer:
    """The paper's V_GD and W_GD (proof of Proposition 1), which take the step η/n."""
    value, key_query = np.zeros((d, 2 * d + 2)), np.zeros((2 * d + 2, d + 1))
    value[:, :d] = -eta * np.eye(d)
    key_query[:d, :d] = np.eye(d)
    key_query[d, d] = -1
    return Layer(value, key_query)


def examples_gram(examples: Any) -> Any:
    """Σ (x, y)(x, y)ᵀ, (…, d+1, d+1), over examples (x, y), (…, n, d+1); NumPy arrays or torch tensors."""
    return examples.swapaxes(-1, -2) @ examples


def next_coefficients(value: Any, key_query: Any, gram: Any, thoughts: Any, mask: Any, n: int) -> Any:
    """w̃ of the last tokens of a sequence, (…, asked, d); NumPy arrays or torch tensors.

    `gram` is `examples_gram` of the n examples, all that a layer without a softmax needs of them; `thoughts`
    (…, t, d+1) are the tokens (w, 1) generated so far, w_0 first; `mask` (asked, t) is 1 where a token may
    be seen.
    """
    d, asked = value.shape[0], mask.shape[0]
    last = thoughts[..., -asked:, :]
    query = last @ key_query.T
    from_examples = (query[..., : d + 1] @ gram) @ value[:, : d + 1].T
    scores = (query[..., d + 1 :] @ thoughts.swapaxes(-1, -2)) * mask
    from_thoughts = (scores @ thoughts) @ value[:, d + 1 :].T
    return last[..., :d] + (from_examples + from_thoughts) / n
