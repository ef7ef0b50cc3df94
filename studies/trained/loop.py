"""A model in the paper's loop (Definition 1): risk along the noise-free path, and sampled answers.

mean_path_risk(layer.read, tasks, steps=(1, 8, 32))[task, step]                                 ->  0.02
sample_answers(layer.read, tasks, setting, paths=256, steps=(1, 8))[task, step, path, j]        ->  3
"""

from collections.abc import Callable

import numpy as np

from studies.trained.layer import Model
from synthetic.binary.paths import Supports, walked_supports
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import Array, Tasks

DIVERGED = 1e6
"""A path is stopped when its squared error exceeds this; its later errors are infinite."""


def mean_path_risk(model: Model, tasks: Tasks, steps: tuple[int, ...]) -> Array:
    """‖w_t − w*‖² of the noise-free path, (tasks, steps)."""
    following, w = thinking(model, tasks.x, tasks.y), np.zeros_like(tasks.w_star)
    out = np.full((len(tasks), len(steps)), np.inf)
    alive = np.ones(len(tasks), dtype=bool)
    for t in range(1, max(steps) + 1):
        w = np.where(alive[:, None], following(w), 0.0)
        error = ((w - tasks.w_star) ** 2).sum(axis=1)
        alive &= error < DIVERGED
        if t in steps:
            out[alive, steps.index(t)] = error[alive]
    return out


def sample_answers(
    model: Model, tasks: Tasks, setting: BinarySetting, paths: int, steps: tuple[int, ...]
) -> Supports:
    """Coordinates of w_t in rising order, (tasks, steps, paths, k), by Definition 1 with Algorithm 2."""

    def walker(task: int) -> Callable[[Array], Array]:
        return thinking(model, *(np.repeat(part[[task]], paths, axis=0) for part in (tasks.x, tasks.y)))

    return walked_supports(tasks, setting.k, paths, steps, walker)


def thinking(model: Model, x: Array, y: Array) -> Callable[[Array], Array]:
    """The model on examples x (b, n, d), y (b, n): a function from each w (b, d) of a path to the next w̃."""
    guess, thoughts = model(x, y), np.empty((len(x), 0, x.shape[2] + 1))

    def following(w: Array) -> Array:
        nonlocal thoughts
        thought = np.append(w, np.ones((len(w), 1)), axis=1)
        thoughts = np.append(thoughts, thought[:, None], axis=1)
        return guess(thoughts)

    return following
