"""A model in the paper's loop (Definition 1): risk along the noise-free path, and sampled answers.

mean_path_risk(layer.read, tasks, steps=(1, 8, 32))[task, step]                                 ->  0.02
sample_answers(layer.read, tasks, setting, paths=256, steps=(1, 8))[task, step, path, j]        ->  3
"""

import numpy as np

from synthetic.binary.sampler import Supports, draw_supports
from synthetic.model.settings import BinarySetting, check_count
from synthetic.model.tasks import Array, Tasks
from synthetic.trained.layer import Model

DIVERGED = 1e6
"""A path whose squared error exceeds this is stopped there; its later errors are infinite."""


def mean_path_risk(model: Model, tasks: Tasks, steps: tuple[int, ...]) -> Array:
    """‖w_t − w*‖² of the noise-free path, (tasks, steps)."""
    count, d = tasks.w_star.shape
    guess = model(tasks.x, tasks.y)
    thoughts = _no_thoughts(count, max(steps), d)
    out = np.full((count, len(steps)), np.inf)
    alive = np.ones(count, dtype=bool)
    for t in range(1, max(steps) + 1):
        w = np.where(alive[:, None], guess(thoughts[:, :t]), 0.0)
        error = ((w - tasks.w_star) ** 2).sum(axis=1)
        alive &= error < DIVERGED
        thoughts[:, t, :-1] = w
        if t in steps:
            out[alive, steps.index(t)] = error[alive]
    return out


def sample_answers(
    model: Model, tasks: Tasks, setting: BinarySetting, paths: int, steps: tuple[int, ...]
) -> Supports:
    """Coordinates of w_t in rising order, (tasks, steps, paths, k), by Definition 1 with Algorithm 2.

    Each task has its own random numbers.
    """
    check_count("paths", paths)
    out = np.empty((len(tasks), len(steps), paths, setting.k), dtype=np.int64)
    for task in range(len(tasks)):
        rng = tasks.path_generator(task)
        guess = model(*(np.repeat(part[task][None], paths, axis=0) for part in (tasks.x, tasks.y)))
        thoughts = _no_thoughts(paths, max(steps), setting.d)
        for t in range(1, max(steps) + 1):
            w = draw_supports(guess(thoughts[:, :t]), rng.random((paths, setting.k)))
            thoughts[:, t, :-1] = w
            if t in steps:
                out[task, steps.index(t)] = np.nonzero(w)[1].reshape(paths, setting.k)
    return out


def _no_thoughts(batch: int, length: int, d: int) -> Array:
    """Room for the tokens (w, 1) from w_0 = 0 on, (batch, length + 1, d+1)."""
    thoughts = np.zeros((batch, length + 1, d + 1))
    thoughts[..., -1] = 1
    return thoughts
