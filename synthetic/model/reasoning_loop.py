"""The paper's one-layer transformer, and Definition 1: sample from its last column, append, repeat.

    H_0 = [ x_1 … x_n  0  ]      TF(H) = H + V H · HᵀWH / n
          [ y_1 … y_n  0  ]
          [  0  …  0  w_0 ]      w̃ = w − (η/n) Xᵀ(Xw − y)     (Proposition 1)
          [  0  …  0   1  ]

Written as in Section 3, for comparison: rows 0 … d−1 hold x, row d holds y, rows d+1 … 2d hold w, and row
2d+1 is a flag.

    next(reasoning_path(x, y, step, lambda w: w))   ->  w_1 after one plain gradient step, (d,)
    sample_support(w̃ = [0.9, -0.2, 0.3], uniforms=[0.8])  ->  [0, 0, 1]: P = 0.75, 0, 0.25

This is the slow reference that every fast solver is checked against. Its random numbers are an argument, so
that `synthetic.binary.paths` can be checked to draw the same paths. Algorithm 1 is in `noise.py`.
"""

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from synthetic.model.tasks import Array, Tasks


def prompt_matrix(x: Array, y: Array) -> Array:
    """H_0, (2d+2, n+1), from the examples x (n, d), y (n,) and the first guess w_0 = 0."""
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
    """W_GD, (2d+2, 2d+2): pairs x with w by +1 and y with the flag by −1, which gives xᵀw − y."""
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
    """The token (0, 0, w, 1) that holds a coefficient."""
    return np.concatenate([np.zeros(len(w) + 1), w, [1.0]])


def reasoning_path(x: Array, y: Array, step: float, sampling: Callable[[Array], Array]) -> Iterator[Array]:
    """Yield w_1, w_2, … of one endless reasoning path; x (n, d), y (n,), each w (d,).

    `step` is the factor of Xᵀ(Xw − y); the layer divides by n, so V contains η = step · n. `sampling` is
    Sampling_Alg on the coefficient: from w̃ (d,) to the next w (d,).
    """
    n, d = x.shape
    value, key_query = value_matrix(d, step * n), key_query_matrix(d)
    h = prompt_matrix(x, y)
    while True:
        computed = attention_layer(h, value, key_query, n)[:, -1]
        token = coefficient_token(sampling(coefficient(computed)))
        h = np.column_stack([h, token])
        yield coefficient(token)


def literal_paths(
    tasks: Tasks,
    step: float,
    steps: tuple[int, ...],
    draw: Callable[[np.random.Generator], Array],
    sampling: Callable[[Array, Array], Array],
) -> Array:
    """w_t of every path of every task at each t of `steps`, (tasks, steps, paths, d).

    `draw` returns a task's random numbers, (max(steps), paths, …); `sampling` takes w̃ and the numbers of one
    path and step.
    """
    weights = []
    for task in range(len(tasks)):
        for numbers in draw(tasks.path_generator(task)).swapaxes(0, 1):
            own = iter(numbers)

            def next_w(w: Array, own: Iterator[Array] = own) -> Array:
                return sampling(w, next(own))

            path = list(islice(reasoning_path(tasks.x[task], tasks.y[task], step, next_w), max(steps)))
            weights.append([path[t - 1] for t in steps])
    whole = np.array(weights).reshape(len(tasks), -1, len(steps), tasks.x.shape[2])
    return whole.swapaxes(1, 2)


def sample_support(scores: Array, uniforms: Array) -> Array:
    """Algorithm 2: k different coordinates, drawn one at a time from ClipNorm(w̃); a 0/1 vector (d,).

    `uniforms` (k,) are random numbers from [0, 1). ClipNorm (Section 3.3) sets negative entries to 0 and
    scales the rest to sum to 1. Without a positive entry the paper's formula is 0/0; we then draw uniformly
    from the coordinates not yet drawn.
    """
    weights = np.maximum(scores, 0.0)
    support = np.zeros(len(scores))
    for uniform in uniforms:
        if not weights.any():
            weights = 1 - support
        cumulative = np.cumsum(weights)
        index = int(np.searchsorted(cumulative, uniform * cumulative[-1], side="right"))
        support[index], weights[index] = 1, 0
    return support
