"""The paper's linear-attention transformer, one layer, written out as in Section 3 to be read beside it.

    H_0 = [ x_1 … x_n  0  ]      TF(H) = H + V H · HᵀWH / n
          [ y_1 … y_n  0  ]
          [  0  …  0  w_0 ]      w̃ = w − (η/n) Xᵀ(Xw − y)     (Proposition 1)
          [  0  …  0   1  ]

Rows 0 … d−1 hold x, row d holds y, rows d+1 … 2d hold w, and row 2d+1 is a flag.
"""

import numpy as np

from synthetic.model.tasks import Array


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
    """W_GD, (2d+2, 2d+2): x against w with +1 and y against the flag with −1, which gives xᵀw − y."""
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
