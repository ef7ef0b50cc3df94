"""The paper's Definition 1: the transformer computes, its last column is sampled, the token is appended.

    next(reasoning_path(x, y, step, lambda w: w))   ->  w_1 after one plain gradient step, (d,)
    sample_support(w̃ = [0.9, -0.2, 0.3], uniforms=[0.8])  ->  [0, 0, 1]: P = 0.75, 0, 0.25

This is the slow reference that every fast solver is checked against. Its random numbers are an argument, so
that `synthetic.binary.sampler` can be checked to walk the same paths. Algorithm 1 is in `noise.py`.
"""

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from synthetic.model import transformer
from synthetic.model.tasks import Array, Tasks


def reasoning_path(x: Array, y: Array, step: float, sampling: Callable[[Array], Array]) -> Iterator[Array]:
    """Yield w_1, w_2, … of one reasoning path, without end; x (n, d), y (n,), each w (d,).

    `step` is the factor of Xᵀ(Xw − y); the layer divides by n, so V carries η = step · n. `sampling` is
    Sampling_Alg on the coefficient: w̃ (d,) to the next w (d,).
    """
    n, d = x.shape
    value, key_query = transformer.value_matrix(d, step * n), transformer.key_query_matrix(d)
    h = transformer.prompt_matrix(x, y)
    while True:
        computed = transformer.attention_layer(h, value, key_query, n)[:, -1]
        token = transformer.coefficient_token(sampling(transformer.coefficient(computed)))
        h = np.column_stack([h, token])
        yield transformer.coefficient(token)


def literal_paths(
    tasks: Tasks,
    step: float,
    steps: tuple[int, ...],
    draw: Callable[[np.random.Generator], Array],
    sampling: Callable[[Array, Array], Array],
) -> Array:
    """w_t of every path of every task at each t of `steps`, (tasks, steps, paths, d).

    `draw` gives a task's random numbers, (max(steps), paths, …), of which `sampling` gets one path's at one
    step beside w̃.
    """
    found = []
    for task in range(len(tasks)):
        for numbers in draw(tasks.path_generator(task)).swapaxes(0, 1):
            own = iter(numbers)

            def next_w(w: Array, own: Iterator[Array] = own) -> Array:
                return sampling(w, next(own))

            path = list(islice(reasoning_path(tasks.x[task], tasks.y[task], step, next_w), max(steps)))
            found.append([path[t - 1] for t in steps])
    whole = np.array(found).reshape(len(tasks), -1, len(steps), tasks.x.shape[2])
    return whole.swapaxes(1, 2)


def sample_support(scores: Array, uniforms: Array) -> Array:
    """Algorithm 2: k different coordinates, drawn one after the other from ClipNorm(w̃); a 0/1 vector (d,).

    `uniforms` (k,) are random numbers from [0, 1). ClipNorm (Section 3.3) sets negative entries to 0 and
    scales the rest to sum 1. Without a positive entry the paper's formula is 0/0; here the draw is then
    uniform over the coordinates not drawn yet.
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
