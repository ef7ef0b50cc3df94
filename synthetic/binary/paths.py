"""Reasoning paths of many tasks at once, by Algorithm 2 or by greedy decoding.

sample_supports(tasks, setting, paths=256, steps=(1, 8, 50))[task, step, path]  ->  [9, 13]
greedy_supports(tasks, setting, steps=(1, 8, 50))[task, step]  ->  [12, 13]

Greedy decoding takes the k most probable coordinates at every step. Ties go to the lowest index; entries
clipped to 0 are tied (Section 3.3, baseline).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import Array, Tasks

Supports = NDArray[np.int64]


def sample_supports(tasks: Tasks, setting: BinarySetting, paths: int, steps: tuple[int, ...]) -> Supports:
    """`paths` independent paths per task: the coordinates of w_t, ascending, (tasks, steps, paths, k)."""

    def gradient_step(task: int) -> Callable[[Array], Array]:
        gram, push = setting.step * tasks.gram[task], setting.step * tasks.correlation[task]
        return lambda w: setting.weights(w - w @ gram + push)

    return walked_supports(tasks, setting.k, paths, steps, gradient_step)


def walked_supports(
    tasks: Tasks, k: int, paths: int, steps: tuple[int, ...], model: Callable[[int], Callable[[Array], Array]]
) -> Supports:
    """The same for any model: `model(task)` is a function from w (paths, d) to the next w̃, or to the
    weights that a sampling rule makes of it."""
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


def greedy_supports(tasks: Tasks, setting: BinarySetting, steps: tuple[int, ...]) -> Supports:
    """The support of greedy decoding after each t of `steps`, (tasks, steps, k), indices ascending."""
    out = np.empty((len(tasks), len(steps), setting.k), dtype=np.int64)
    w = np.zeros_like(tasks.w_star)
    for t in range(1, max(steps) + 1):
        residual = np.einsum("bnd,bd->bn", tasks.x, w) - tasks.y
        clipped = np.maximum(w - setting.step * np.einsum("bn,bnd->bd", residual, tasks.x), 0.0)
        chosen = np.sort(np.argsort(-clipped, axis=1, kind="stable")[:, : setting.k], axis=1)
        w = np.zeros_like(w)
        np.put_along_axis(w, chosen, 1, axis=1)
        if t in steps:
            out[:, steps.index(t)] = chosen
    return out


def greedy_correct(tasks: Tasks, setting: BinarySetting, steps: tuple[int, ...]) -> Array:
    """1 if greedy decoding is at w* after t steps, else 0, (tasks, steps)."""
    greedy = np.take_along_axis(tasks.w_star[:, None, :], greedy_supports(tasks, setting, steps), axis=2)
    return np.asarray(greedy.all(axis=2), dtype=np.float64)
