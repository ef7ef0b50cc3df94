"""Greedy decoding of many tasks at once: the k most probable coordinates at every step.

    greedy_supports(tasks, setting, steps=(1, 8, 50))[task, step]  ->  [12, 13]

Ties go to the lowest index, and entries clipped to 0 tie with one another (Section 3.3, baseline).
"""

import numpy as np

from synthetic.binary.sampler import Supports
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import Array, Tasks


def greedy_supports(tasks: Tasks, setting: BinarySetting, steps: tuple[int, ...]) -> Supports:
    """The support that greedy decoding has after each t of `steps`, (tasks, steps, k), indices rising."""
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
    """1 where greedy decoding has found w* after t steps, else 0, (tasks, steps)."""
    found = np.take_along_axis(tasks.w_star[:, None, :], greedy_supports(tasks, setting, steps), axis=2)
    return np.asarray(found.all(axis=2), dtype=np.float64)
