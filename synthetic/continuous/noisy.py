"""Many noisy gradient paths at once: Algorithm 1 over blocks of paths, compiled, reduced as they are drawn.

    sample_paths(tasks, view, setting, paths=256, steps=(950,)).errors[task, step, path]  ->  37.72

Paths are walked in the eigenbasis of XᵀX, where a gradient step is a product; ξ is isotropic, so its law is
the same there. Path p of a task uses the same normals, in the same order, as the p-th run of the transformer
loop on the rotated task, and the tests compare the two path by path. What is kept per path is its squared
error; per task also the mean path: enough for every N.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from results import BadInput
from synthetic.continuous.moments import DIVERGED, Spectrum
from synthetic.model.settings import ContinuousSetting, check_count
from synthetic.model.tasks import Array, Tasks

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
    return sample_lines([(tasks, view, setting)], paths, steps, block)[0]


def sample_lines(
    lines: Sequence[tuple[Tasks, Spectrum, ContinuousSetting]],
    paths: int,
    steps: tuple[int, ...],
    block: int = BLOCK_NUMBERS,
) -> list[SampledPaths]:
    """`sample_paths` for several settings of the same tasks, each block of normals drawn once for all.

    Drawing takes several times as long as walking, and a task's normals depend on its key and on d alone.
    """
    check_count("paths", paths)
    if len({(tasks.seed, tasks.keys, setting.d) for tasks, _, setting in lines}) > 1:
        return [found for line in lines for found in sample_lines([line], paths, steps, block)]
    tasks, _, setting = lines[0]
    longest, d = max(steps), setting.d
    errors = np.empty((len(lines), len(tasks), paths, len(steps)))
    totals = np.zeros((len(lines), len(tasks), len(steps), d))
    at_once = max(1, block // (longest * d))
    for task in range(len(tasks)):
        rng = tasks.path_generator(task)
        for start in range(0, paths, at_once):
            normals = rng.standard_normal((min(at_once, paths - start), longest, d))
            for line, (_, view, setting) in enumerate(lines):
                into = errors[line, task, start : start + len(normals)]
                _walk_task(view, setting, task, normals, steps, into, totals[line, task])
    return [
        _reduced(view, found, total / paths)
        for (_, view, _), found, total in zip(lines, errors, totals, strict=True)
    ]


def _reduced(view: Spectrum, errors: Array, mean: Array) -> SampledPaths:
    offset = mean - view.target[:, None]
    mean_error = np.einsum("bti,bij,btj->bt", offset, view.metric, offset)
    return SampledPaths(np.swapaxes(errors, 1, 2), mean_error)


def _walk_task(
    view: Spectrum,
    setting: ContinuousSetting,
    task: int,
    normals: Array,
    steps: tuple[int, ...],
    errors: Array,
    total: Array,
) -> None:
    when = _walk(
        1 - setting.step * view.eigenvalues[task],
        setting.step * view.pull[task],
        view.target[task],
        view.metric[task],
        setting.linear_sign if setting.noise == "linear" else 0,
        np.sqrt(setting.noise_variance),
        normals,
        np.array(steps),
        errors,
        total,
    )
    if when:
        raise BadInput(
            f"a path diverges at step {when}: {setting.noise} noise of variance "
            f"{setting.noise_variance:g}, step {setting.step:g}"
        )


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _walk(
    shrink: Array,
    push: Array,
    target: Array,
    metric: Array,
    sign: int,
    deviation: float,
    normals: Array,
    steps: NDArray[np.int64],
    errors: Array,
    total: Array,
) -> int:
    """Walk one task's paths into `errors` (paths, steps) and `total` (steps, d); 0, or when one diverged.

    `sign` is that of linear noise, 0 meaning constant noise; `deviation` times a standard normal is ξ.
    """
    d = len(shrink)
    w = np.empty(d)
    xi = np.empty(d)
    limit = DIVERGED * max(1.0, np.sum(target * target))
    for path in range(len(normals)):
        w[:] = 0
        kept = 0
        for t in range(normals.shape[1]):
            along = 0.0
            size = 0.0
            for i in range(d):
                xi[i] = deviation * normals[path, t, i]
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
