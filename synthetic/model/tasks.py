"""Random in-context regression tasks: covariates X, labels y = Xw* + ε, and the coefficient w* to find.

    draw_tasks(BinarySetting(n=4, d=48, k=1, eta=0.25, sigma_eps=0.5), task_keys(5, per_repeat=40), seed=0)
    key (0, 17), x (4, 48), y (4,), w_star = [0, …, 1, …, 0]

Task i of repeat r has its own seed, (seed, r, i). It is the same task however many others are drawn, in any
process, and in every setting with the same n and d, so that comparisons are paired.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from synthetic.model.noise import Array as Array
from synthetic.model.settings import BinarySetting, ContinuousSetting, Setting, check_count


@dataclass(frozen=True)
class Tasks:
    """A stack of tasks: `x` (tasks, n, d), `y` (tasks, n), `w_star` (tasks, d); `keys` (repeat, index)."""

    seed: int
    keys: tuple[tuple[int, int], ...]
    x: Array
    y: Array
    w_star: Array

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def gram(self) -> Array:
        """XᵀX of every task, (tasks, d, d)."""
        return np.swapaxes(self.x, 1, 2) @ self.x

    @property
    def correlation(self) -> Array:
        """Xᵀy of every task, (tasks, d)."""
        return np.asarray(np.einsum("bnd,bn->bd", self.x, self.y))

    @cached_property
    def eigen(self) -> tuple[Array, Array]:
        """Eigenvalues (tasks, d) of every XᵀX, and an eigenbasis in columns, (tasks, d, d).

        If eigenvalues coincide, the basis differs between processors.
        """
        eigenvalues, basis = np.linalg.eigh(self.gram)
        return np.maximum(eigenvalues, 0.0), basis

    def path_generator(self, task: int) -> np.random.Generator:
        """The stream of random numbers for one task's reasoning paths."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(*self.keys[task], 1)))


def task_keys(repeats: int, per_repeat: int) -> list[tuple[int, int]]:
    """The (repeat, index) of every task of an experiment. Raises BadInput for a count out of range."""
    check_count("repeats", repeats)
    check_count("tasks", per_repeat)
    check_count("repeats × tasks", repeats * per_repeat, high=1_000_000)
    return [(repeat, index) for repeat in range(repeats) for index in range(per_repeat)]


def draw_tasks(setting: Setting, keys: list[tuple[int, int]], seed: int) -> Tasks:
    """The tasks named by `keys`.

    x has independent Gaussian rows (covariance identity, or eigenvalues i^−(r+1)); the coefficient is a
    uniform k-subset (binary) or N(0, ω² I) (continuous).
    """
    scale = np.sqrt(covariance_eigenvalues(setting))
    drawn = [_draw(setting, scale, np.random.SeedSequence(seed, spawn_key=(*key, 0))) for key in keys]
    x, y, w_star = (np.stack(part) for part in zip(*drawn, strict=True))
    return Tasks(seed, tuple(keys), x, y, w_star)


def covariance_eigenvalues(setting: Setting) -> Array:
    """The eigenvalues (d,) of the covariates' covariance H, which is diagonal."""
    decay = setting.decay if isinstance(setting, ContinuousSetting) else None
    index = np.arange(1, setting.d + 1, dtype=np.float64)
    return np.ones(setting.d) if decay is None else index ** -(decay + 1)


def _draw(setting: Setting, scale: Array, seed: np.random.SeedSequence) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((setting.n, setting.d)) * scale
    noise = rng.standard_normal(setting.n)
    if isinstance(setting, BinarySetting):
        w_star = np.zeros(setting.d)
        w_star[rng.choice(setting.d, setting.k, replace=False)] = 1
    else:
        w_star = setting.omega * rng.standard_normal(setting.d)
    return x, x @ w_star + setting.sigma_eps * noise, w_star
