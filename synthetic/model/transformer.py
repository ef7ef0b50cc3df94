"""The paper's one-layer linear-attention transformer and its inference loop, word for word (Section 3).

    H_0 = [ x_1 … x_n  0  ]      TF(H) = H + V H · HᵀWH / n
          [ y_1 … y_n  0  ]
          [  0  …  0  w_0 ]      w̃ = w − (η/n) Xᵀ(Xw − y)     (Proposition 1)
          [  0  …  0   1  ]

This is the reference that the fast samplers are held against, so it is written to be read beside the
paper, one path at a time, and not to be quick. Index ranges: rows 0…d−1 x, d y, d+1…2d w, 2d+1 the flag.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
SamplingStep = Callable[[Array], Array]
"""Sampling_Alg on the coefficient: w̃ (d,) to the next w (d,); the rest of the token is fixed."""


def prompt_matrix(x: Array, y: Array) -> Array:
    """H_0, (2d+2, n+1), of the examples x (n, d), y (n,) and the first guess w_0 = 0."""
    n, d = x.shape
    h = np.zeros((2 * d + 2, n + 1))
    h[:d, :n] = x.T
    h[d, :n] = y
    h[2 * d + 1, n] = 1
    return h


def value_matrix(d: int, eta: float) -> Array:
    """V_GD, (2d+2, 2d+2): −η I from the x rows to the w rows (Appendix, proof of Proposition 1)."""
    v = np.zeros((2 * d + 2, 2 * d + 2))
    v[d + 1 : 2 * d + 1, :d] = -eta * np.eye(d)
    return v


def key_query_matrix(d: int) -> Array:
    """W_GD, (2d+2, 2d+2): x against w with +1, y against the flag with −1, so that xᵀw − y comes out."""
    w = np.zeros((2 * d + 2, 2 * d + 2))
    w[:d, d + 1 : 2 * d + 1] = np.eye(d)
    w[d, 2 * d + 1] = -1
    return w


def attention_layer(h: Array, value: Array, key_query: Array, n: int) -> Array:
    """TF_θ(H) = H + V H · HᵀWH / n, of the same shape as H (Equation 3.2)."""
    return h + value @ h @ (h.T @ key_query @ h) / n


def coefficient(token: Array) -> Array:
    """The w part, (d,), of one token embedding (2d+2,)."""
    d = (len(token) - 2) // 2
    return token[d + 1 : 2 * d + 1]


def coefficient_token(w: Array) -> Array:
    """The token (0, 0, w, 1) that carries a coefficient."""
    return np.concatenate([np.zeros(len(w) + 1), w, [1.0]])


def generate(x: Array, y: Array, step: float, sampling: SamplingStep) -> Iterator[Array]:
    """Definition 1's loop, without end: w_1, w_2, … of one reasoning path.

    `step` is the factor of Xᵀ(Xw − y); the layer divides by n, so V carries η = step · n.
    """
    n, d = x.shape
    value, key_query = value_matrix(d, step * n), key_query_matrix(d)
    h = prompt_matrix(x, y)
    while True:
        last = attention_layer(h, value, key_query, n)[:, -1]
        token = coefficient_token(sampling(coefficient(last)))
        h = np.column_stack([h, token])
        yield coefficient(token)
