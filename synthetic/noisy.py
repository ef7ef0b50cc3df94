"""Many noisy gradient paths at once: Algorithm 1 over blocks of paths, compiled, reduced as they are drawn.

    sample_paths(tasks, view, setting, paths=256, steps=(950,)).errors[task, step, path]  ->  37.72

Paths are walked in the eigenbasis of XᵀX, where a gradient step is a product; ξ is isotropic, so its law is
the same there. Path p of a task uses the same normals, in the same order, as the p-th run of the transformer
loop on the rotated task, and the tests compare the two path by path. What is kept per path is its squared
error; per task also the mean path: enough for every N.
"""

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from results import BadInput
from synthetic.moments import DIVERGED, Spectrum
from synthetic.settings import ContinuousSetting, check_count
from synthetic.tasks import Array, Tasks

BLOCK_NUMBERS = 4_000_000
"""How many normals one block of paths may hold at a time (32 MB)."""


@dataclass(frozen=True)
class SampledPaths:
    """`errors` (tasks, steps, paths): ‖w_t − w*‖²_H; `mean_error` (tasks, steps): that of the mean path."""

    errors: Array
    mean_error: Array

    def ensemble_risk(self, votes: tuple[int, ...]) -> Array:
        """An unbiased estimate of E‖w_avg − w*‖²_H for every N, (tasks, steps, votes).

        The mean of P paths has risk bias + variance/P and a single path bias + variance. Raises BadInput
        on a single path.
        """
        paths = self.errors.shape[2]
        if paths < 2:
            raise BadInput("paths=1: the ensemble's variance is estimated from at least 2 paths")
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
    weights = np.zeros(pool)
    weights[0] = n / pool
    for i in range(1, pool - n + 1):
        weights[i] = weights[i - 1] * (pool - i - n + 1) / (pool - i)
    return weights


def sample_paths(
    tasks: Tasks,
    view: Spectrum,
    setting: ContinuousSetting,
    paths: int,
    steps: tuple[int, ...],
    block: int = BLOCK_NUMBERS,
) -> SampledPaths:
    """Draw `paths` independent paths of every task. Raises BadInput, saying when, if one diverges."""
    check_count("paths", paths)
    longest = max(steps)
    errors = np.empty((len(tasks), paths, len(steps)))
    totals = np.zeros((len(tasks), len(steps), setting.d))
    at_once = max(1, block // (longest * setting.d))
    sign = setting.linear_sign if setting.noise == "linear" else 0
    for task in range(len(tasks)):
        rng = tasks.path_generator(task)
        shrink = 1 - setting.step * view.eigenvalues[task]
        push, target = setting.step * view.pull[task], view.target[task]
        for start in range(0, paths, at_once):
            normals = rng.standard_normal((min(at_once, paths - start), longest, setting.d))
            normals *= np.sqrt(setting.noise_variance)
            into = errors[task, start : start + len(normals)]
            when = _walk(
                shrink, push, target, view.metric[task], sign, normals, np.array(steps), into, totals[task]
            )
            if when:
                raise BadInput(
                    f"a path diverges at step {when}: {setting.noise} noise of variance "
                    f"{setting.noise_variance:g}, step {setting.step:g}"
                )
    offset = totals / paths - view.target[:, None]
    mean_error = np.einsum("bti,bij,btj->bt", offset, view.metric, offset)
    return SampledPaths(np.swapaxes(errors, 1, 2), mean_error)


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _walk(
    shrink: Array,
    push: Array,
    target: Array,
    metric: Array,
    sign: int,
    normals: Array,
    steps: NDArray[np.int64],
    errors: Array,
    total: Array,
) -> int:
    """Walk one task's paths into `errors` (paths, steps) and `total` (steps, d); 0, or when one diverged.

    `sign` is that of linear noise, 0 meaning constant noise.
    """
    d = len(shrink)
    w = np.empty(d)
    limit = DIVERGED * max(1.0, np.sum(target * target))
    for path in range(len(normals)):
        w[:] = 0
        kept = 0
        for t in range(normals.shape[1]):
            xi = normals[path, t]
            along = 0.0
            size = 0.0
            for i in range(d):
                w[i] = shrink[i] * w[i] + push[i]
                along += xi[i] * w[i]
                size += w[i] * w[i]
            if not size < limit:
                return t + 1
            factor = sign * along if sign != 0 else 1.0
            for i in range(d):
                w[i] += factor * xi[i]
            if kept < len(steps) and t + 1 == steps[kept]:
                errors[path, kept] = 0.0
                for i in range(d):
                    total[kept, i] += w[i]
                    for j in range(d):
                        errors[path, kept] += (w[i] - target[i]) * metric[i, j] * (w[j] - target[j])
                kept += 1
    return 0
