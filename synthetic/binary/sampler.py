"""Reasoning paths drawn many at once: Algorithm 2 on blocks of paths.

sample_supports(tasks, setting, paths=256, steps=(1, 8, 50))[task, step, path]  ->  [9, 13]
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import Array, Tasks

Supports = NDArray[np.int64]


def sample_supports(tasks: Tasks, setting: BinarySetting, paths: int, steps: tuple[int, ...]) -> Supports:
    """`paths` independent paths of every task: the coordinates of w_t, rising, (tasks, steps, paths, k)."""

    def gradient_step(task: int) -> Callable[[Array], Array]:
        gram, push = setting.step * tasks.gram[task], setting.step * tasks.correlation[task]
        return lambda w: setting.weights(w - w @ gram + push)

    return walked_supports(tasks, setting.k, paths, steps, gradient_step)


def walked_supports(
    tasks: Tasks, k: int, paths: int, steps: tuple[int, ...], model: Callable[[int], Callable[[Array], Array]]
) -> Supports:
    """The same by any model: `model(task)` gives, for each w (paths, d) of a path in turn, the next w̃,
    or the weights that a rule makes of it."""
    out = np.empty((len(tasks), len(steps), paths, k), dtype=np.int64)
    for task in range(len(tasks)):
        rng, following = tasks.path_generator(task), model(task)
        w = np.zeros((paths, tasks.x.shape[2]))
        for t in range(1, max(steps) + 1):
            w = draw_supports(following(w), rng.random((paths, k)))
            if t in steps:
                out[task, steps.index(t)] = np.nonzero(w)[1].reshape(paths, k)
    return out


def draw_supports(scores: Array, uniforms: Array) -> Array:
    """Algorithm 2 on `scores` (paths, d) by random numbers `uniforms` (paths, k): 0/1 vectors (paths, d)."""
    weights, support = np.maximum(scores, 0.0), np.zeros_like(scores)
    for uniform in uniforms.T:
        weights = np.where(weights.any(axis=1, keepdims=True), weights, 1 - support)
        cumulative = np.cumsum(weights, axis=1)
        drawn = (cumulative <= (uniform * cumulative[:, -1])[:, None]).sum(axis=1, keepdims=True)
        np.put_along_axis(support, drawn, 1, axis=1)
        np.put_along_axis(weights, drawn, 0, axis=1)
    return support
