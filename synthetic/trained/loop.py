"""A model in the paper's loop (Definition 1): risk along the noise-free path, and sampled answers.

mean_path_risk(layer_guess(layer, gram, n), w_star, steps=(1, 8, 32))[task, step]           ->  0.02
sample_answers(guess_for, tasks, setting, paths=256, steps=(1, 8))[task, step, path, j]     ->  3
"""

from collections.abc import Callable

import numpy as np

from synthetic.binary.sampler import Supports, draw_supports
from synthetic.model.settings import BinarySetting, check_count
from synthetic.model.tasks import Array, Tasks
from synthetic.trained.layer import Layer, next_coefficients

Guess = Callable[[Array], Array]
"""The w̃ (batch, d) that follows the tokens (w, 1) generated so far, (batch, t, d+1), on given examples."""
DIVERGED = 1e6
"""A path whose squared error exceeds this is stopped there; its later errors are infinite."""


def examples_gram(tasks: Tasks) -> Array:
    """Σ (x, y)(x, y)ᵀ over the examples of every task, (tasks, d+1, d+1)."""
    data = np.concatenate([tasks.x, tasks.y[:, :, None]], axis=2)
    return np.asarray(data.swapaxes(1, 2) @ data)


def layer_guess(layer: Layer, gram: Array, n: int) -> Guess:
    """The layer's `Guess` on the examples of `gram` (…, d+1, d+1)."""

    def guess(thoughts: Array) -> Array:
        mask = np.ones((1, thoughts.shape[-2]))
        w = next_coefficients(layer.value, layer.key_query, gram, thoughts, mask, n)
        return np.asarray(w[..., 0, :])

    return guess


def first_thought(batch: int, d: int) -> Array:
    """The token (w_0, 1) with w_0 = 0, (batch, 1, d+1)."""
    return np.concatenate([np.zeros((batch, 1, d)), np.ones((batch, 1, 1))], axis=2)


def mean_path_risk(guess: Guess, w_star: Array, steps: tuple[int, ...]) -> Array:
    """‖w_t − w*‖² of the noise-free path, (tasks, steps)."""
    count, d = w_star.shape
    thoughts = first_thought(count, d)
    out = np.full((count, len(steps)), np.inf)
    alive = np.ones(count, dtype=bool)
    for t in range(1, max(steps) + 1):
        w = np.where(alive[:, None], guess(thoughts), 0.0)
        error = ((w - w_star) ** 2).sum(axis=1)
        alive &= error < DIVERGED
        thoughts = np.concatenate(
            [thoughts, np.concatenate([w, np.ones((count, 1))], axis=1)[:, None]], axis=1
        )
        if t in steps:
            out[alive, steps.index(t)] = error[alive]
    return out


def sample_answers(
    guess_for: Callable[[int], Guess],
    tasks: Tasks,
    setting: BinarySetting,
    paths: int,
    steps: tuple[int, ...],
) -> Supports:
    """Coordinates of w_t in rising order, (tasks, steps, paths, k), by Definition 1 with Algorithm 2.

    `guess_for(task)` is the model on that task's examples. Each task has its own random numbers.
    """
    check_count("paths", paths)
    out = np.empty((len(tasks), len(steps), paths, setting.k), dtype=np.int64)
    for task in range(len(tasks)):
        rng, guess = tasks.path_generator(task), guess_for(task)
        thoughts = np.ones((paths, max(steps) + 1, setting.d + 1))
        thoughts[:, 0, :-1] = 0
        for t in range(1, max(steps) + 1):
            w = draw_supports(guess(thoughts[:, :t]), rng.random((paths, setting.k)))
            thoughts[:, t, :-1] = w
            if t in steps:
                out[task, steps.index(t)] = np.nonzero(w)[1].reshape(paths, setting.k)
    return out
