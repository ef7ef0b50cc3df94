"""Sample many noisy gradient paths at once: Algorithm 1 on blocks of paths.

    sample_paths([(tasks, setting)], paths=256, steps=(950,))[0].errors[task, step, path]  ->  37.72

ξ is drawn in the task's own coordinates and rotated into the eigenbasis used for the paths, which is not
unique and differs between processors. Only the squared errors of each path and of the mean path are kept,
which is enough for every N.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from results import BadInput
from synthetic.continuous.moments import refuse_divergence
from synthetic.model.settings import ContinuousSetting
from synthetic.model.tasks import Array, Tasks, covariance_eigenvalues


@dataclass(frozen=True)
class SampledPaths:
    """`errors` (tasks, steps, paths): ‖w_t − w*‖²_H; `mean_error` (tasks, steps): the mean path's."""

    errors: Array
    mean_error: Array

    def ensemble_risk(self, votes: tuple[int, ...]) -> Array:
        """An unbiased estimate of E‖w_avg − w*‖²_H for every N, (tasks, steps, votes).

        The mean of P paths has risk bias + variance/P, one path has bias + variance. Raises BadInput if
        there is only one path.
        """
        paths = self.errors.shape[2]
        if paths < 2:
            raise BadInput("paths=1: the ensemble's variance needs at least 2 paths")
        single = self.errors.mean(axis=2)
        variance = (single - self.mean_error) * paths / (paths - 1)
        bias = single - variance
        return np.asarray(bias[..., None] + variance[..., None] / np.array(votes))

    def best_of_n_risk(self, votes: tuple[int, ...]) -> Array:
        """The least error of N paths, averaged over all N-subsets of the paths, (tasks, steps, votes)."""
        paths = self.errors.shape[2]
        rising = np.sort(self.errors, axis=2)
        return np.stack([rising @ least_weights(paths, n) for n in votes], axis=2)


def least_weights(pool: int, n: int) -> Array:
    """P(the i-th smallest of a pool is the least of a random n-subset) = C(pool−1−i, n−1)/C(pool, n)."""
    i = np.arange(1, pool)
    return n / pool * np.cumprod(np.append(1.0, np.maximum(pool - i - n + 1, 0) / (pool - i)))


def sample_paths(
    lines: Sequence[tuple[Tasks, ContinuousSetting]], paths: int, steps: tuple[int, ...]
) -> list[SampledPaths]:
    """Sample `paths` paths of every task under several settings, kept at each t of `steps`.

    Settings with the same examples share their normal variates, as drawing them takes most time. Raises
    BadInput, which says by when, if a path diverges.
    """
    if not lines:
        return []
    x = lines[0][0].x
    if not all(np.array_equal(tasks.x, x) for tasks, _ in lines):
        return [sample_paths([line], paths, steps)[0] for line in lines]
    with np.errstate(over="ignore", invalid="ignore"):  # a diverging path overflows
        walked = [_walk(lines, task, paths, steps) for task in range(len(x))]
    errors, means = (np.stack(part, axis=1) for part in zip(*walked, strict=True))
    for (tasks, setting), sums in zip(lines, errors, strict=True):
        refuse_divergence(sums.max(axis=2), tasks, setting, steps)
    return [SampledPaths(*sums) for sums in zip(errors, means, strict=True)]


def _walk(
    lines: Sequence[tuple[Tasks, ContinuousSetting]], task: int, paths: int, steps: tuple[int, ...]
) -> tuple[Array, Array]:
    """Errors (lines, steps, paths) and the mean path's errors (lines, steps) for one task.

    Paths are computed in an eigenbasis of XᵀX, where a gradient step is elementwise.
    """
    rng, (drawn, first) = lines[0][0].path_generator(task), lines[0]
    eigenvalues, basis = (part[task] for part in drawn.eigen)
    step = np.array([[[setting.step]] for _, setting in lines])
    shrink, push = 1 - step * eigenvalues, step * [tasks.correlation[[task]] @ basis for tasks, _ in lines]
    target = np.stack([tasks.w_star[[task]] for tasks, _ in lines])

    w, moved = np.zeros((2, len(lines), paths, first.d))  # new arrays at every step would be slower
    errors, means = [], []
    for t in range(1, max(steps) + 1):
        np.multiply(w, shrink, out=moved)
        moved += push
        drawn_xi = rng.standard_normal((paths, first.d))
        turned_xi = drawn_xi @ basis
        for line, (_, setting) in enumerate(lines):
            scale, sign = np.sqrt(setting.noise_variance), setting.linear_sign
            if setting.law.turns:
                w[line] = setting.law.move(moved[line], scale * turned_xi, sign)
            else:  # the law is written in the task's own coordinates
                w[line] = setting.law.move(moved[line] @ basis.T, scale * drawn_xi, sign) @ basis
        if t in steps:
            weights, off = covariance_eigenvalues(first), w @ basis.T - target
            errors.append(off**2 @ weights)
            means.append(off.mean(axis=1) ** 2 @ weights)
    return np.stack(errors, axis=1), np.stack(means, axis=1)
