"""Many reasoning paths at once: Algorithm 2 over blocks of paths, compiled.

    sample_supports(tasks, setting, paths=256, steps=(1, 8, 50)).supports[task, step, path]  ->  [9, 13]

Path p of a task uses the same k·t random numbers of the task's own stream, in the same order, as the
p-th run of the transformer loop with `decode.sample_support`: neither the block size nor the number of
workers nor how many paths are drawn after it can change it, and tests compare the two path by path.
"""

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from synthetic.model.settings import BinarySetting, check_count
from synthetic.model.tasks import Array, Tasks

Supports = NDArray[np.int32]
BLOCK_NUMBERS = 2_000_000
"""How many random numbers one block of paths may hold at a time (16 MB)."""


@dataclass(frozen=True)
class SampledSupports:
    """`supports` (tasks, steps, paths, k): the coordinates of w_t in rising order, at each asked-for t.

    `fallback` (tasks,) is the share of steps at which fewer than k entries of w̃ were positive.
    """

    supports: Supports
    fallback: Array


def sample_supports(
    tasks: Tasks, setting: BinarySetting, paths: int, steps: tuple[int, ...], block: int = BLOCK_NUMBERS
) -> SampledSupports:
    """Draw `paths` independent paths of every task and keep w_t at each t of `steps` (rising)."""
    check_count("paths", paths)
    longest = max(steps)
    out = np.empty((len(tasks), paths, len(steps), setting.k), dtype=np.int32)
    fallbacks = np.zeros(len(tasks))
    at_once = max(1, block // (longest * setting.k))
    for task in range(len(tasks)):
        rng = tasks.path_generator(task)
        columns = np.ascontiguousarray(tasks.x[task].T)
        for start in range(0, paths, at_once):
            uniforms = rng.random((min(at_once, paths - start), longest, setting.k))
            into = out[task, start : start + len(uniforms)]
            fallbacks[task] += _walk(columns, tasks.y[task], setting.step, uniforms, np.array(steps), into)
    out.sort(axis=3)
    return SampledSupports(np.swapaxes(out, 1, 2), fallbacks / (paths * longest))


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _walk(
    columns: Array, y: Array, step: float, uniforms: Array, steps: NDArray[np.int64], out: Supports
) -> int:
    """Walk all paths of one task into `out` (paths, steps, k); return how many steps fell back."""
    d, n = columns.shape
    k = uniforms.shape[2]
    fallbacks = 0
    weights = np.empty(d)
    residual = np.empty(n)
    support = np.empty(k, dtype=np.int32)
    for path in range(len(uniforms)):
        kept = 0
        for t in range(uniforms.shape[1]):
            residual[:] = y
            if t > 0:
                for j in range(k):
                    residual -= columns[support[j]]
            positive = 0
            for i in range(d):
                gradient = 0.0
                for row in range(n):
                    gradient += columns[i, row] * residual[row]
                weights[i] = step * gradient
            if t > 0:
                for j in range(k):
                    weights[support[j]] += 1
            for i in range(d):
                weights[i] = max(weights[i], 0.0)
                positive += weights[i] > 0
            fallbacks += positive < k
            _draw(weights, uniforms[path, t], support)
            if kept < len(steps) and t + 1 == steps[kept]:
                out[path, kept] = support
                kept += 1
    return fallbacks


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _draw(weights: Array, uniforms: Array, support: Supports) -> None:
    """Algorithm 2's draw of `support` (k,) from `weights` (d,) ≥ 0, which it uses up."""
    for j in range(len(support)):
        total = 0.0
        for weight in weights:
            total += weight
        if total == 0:
            weights[:] = 1
            for earlier in range(j):
                weights[support[earlier]] = 0
            total = float(len(weights) - j)
        threshold = uniforms[j] * total
        cumulative = weights[0]  # added up in the same order as `total`, so it ends above the threshold
        index = 0
        while cumulative <= threshold:
            index += 1
            cumulative += weights[index]
        support[j] = index
        weights[index] = 0
