"""Noisy gradient paths drawn many at once: Algorithm 1 on blocks of paths.

    sample_paths([(tasks, setting)], paths=256, steps=(950,))[0].errors[task, step, path]  ->  37.72

ξ is drawn in the task's own coordinates, not in an eigenbasis, which is not unique and differs between
processors. Only each path's squared error and the mean path's are kept, which is enough for every N.
In NumPy, fig2d's 30 task-lines of 256 paths and 950 steps take 4.9 s; a compiled loop took 3.6 s.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from results import BadInput
from synthetic.continuous.moments import DIVERGED, diverged
from synthetic.model.settings import ContinuousSetting, check_count
from synthetic.model.tasks import Array, Tasks, covariance_eigenvalues


@dataclass(frozen=True)
class SampledPaths:
    """`errors` (tasks, steps, paths): ‖w_t − w*‖²_H; `mean_error` (tasks, steps): that of the mean path."""

    errors: Array
    mean_error: Array

    def ensemble_risk(self, votes: tuple[int, ...]) -> Array:
        """An unbiased estimate of E‖w_avg − w*‖²_H for every N, (tasks, steps, votes).

        The mean of P paths has risk bias + variance/P, one path has bias + variance. Raises BadInput on a
        single path.
        """
        paths = self.errors.shape[2]
        if paths < 2:
            raise BadInput("paths=1: the ensemble's variance needs at least 2 paths")
        single = self.errors.mean(axis=2)
        variance = (single - self.mean_error) * paths / (paths - 1)
        bias = single - variance
        return np.asarray(bias[..., None] + variance[..., None] / np.array(votes))

    def best_of_n_risk(self, votes: tuple[int, ...]) -> Array:
        """The least error of N paths, averaged over all N-subsets of those drawn, (tasks, steps, votes)."""
        paths = self.errors.shape[2]
        rising = np.sort(self.errors, axis=2)
        return np.stack([rising @ least_weights(paths, n) for n in votes], axis=2)


def least_weights(pool: int, n: int) -> Array:
    """P(the i-th smallest of a pool is the least of a random n-subset) = C(pool−1−i, n−1)/C(pool, n)."""
    if n > pool:
        raise BadInput(f"N={n}: only {pool} paths were drawn, expected N of at most that")
    i = np.arange(1, pool)
    return n / pool * np.cumprod(np.append(1.0, np.maximum(pool - i - n + 1, 0) / (pool - i)))


def sample_paths(
    lines: Sequence[tuple[Tasks, ContinuousSetting]], paths: int, steps: tuple[int, ...]
) -> list[SampledPaths]:
    """Draw `paths` paths of every task under several settings and read them at each t of `steps`.

    Settings of the same d share their normals, because drawing takes longer than walking. Raises BadInput,
    saying when, if a path diverges.
    """
    check_count("paths", paths)
    if len({setting.d for _, setting in lines}) > 1:
        return [sample_paths([line], paths, steps)[0] for line in lines]
    walked = [_walk(lines, task, paths, steps) for task in range(len(lines[0][0]))]
    errors, means = (np.stack(part, axis=1) for part in zip(*walked, strict=True))
    return [SampledPaths(*found) for found in zip(errors, means, strict=True)]


def _walk(
    lines: Sequence[tuple[Tasks, ContinuousSetting]], task: int, paths: int, steps: tuple[int, ...]
) -> tuple[Array, Array]:
    """Errors (lines, steps, paths) and the mean path's errors (lines, steps) of one task."""
    settings = [setting for _, setting in lines]
    rng, d = lines[0][0].path_generator(task), settings[0].d
    shrink = np.stack([np.eye(d) - setting.step * tasks.gram[task] for tasks, setting in lines])
    push = np.stack([setting.step * tasks.correlation[task] for tasks, setting in lines])[:, None]
    target = np.stack([tasks.w_star[task] for tasks, _ in lines])[:, None]
    weights = np.stack([covariance_eigenvalues(setting) for setting in settings])[..., None]
    variance = np.array([[setting.noise_variance] for setting in settings])
    sign = np.array([[setting.linear_sign if setting.noise == "linear" else 0] for setting in settings])
    limit = DIVERGED * np.maximum((target**2).sum(axis=(1, 2)), 1.0)

    w, moved = np.zeros((2, len(lines), paths, d))  # with new arrays at every step it takes a quarter longer
    normals = np.empty((paths, d))
    errors, means = [], []
    for t in range(1, max(steps) + 1):
        np.matmul(w, shrink, out=moved)
        moved += push
        rng.standard_normal(out=normals)
        along = np.einsum("pd,lpd->lp", normals, moved)
        scale = np.where(sign == 0, np.sqrt(variance), sign * variance * along)
        np.multiply(scale[..., None], normals, out=w)
        w += moved
        fine = np.maximum(w.max(axis=(1, 2)), -w.min(axis=(1, 2))) ** 2 < limit
        if not fine.all():
            bad = settings[int(fine.argmin())]
            raise diverged(t, bad, float(np.linalg.norm(lines[0][0].gram[task], 2)))
        if t in steps:
            errors.append(((w - target) ** 2 @ weights)[..., 0])
            means.append(((w.mean(axis=1, keepdims=True) - target) ** 2 @ weights)[:, 0, 0])
    return np.stack(errors, axis=1), np.stack(means, axis=1)
