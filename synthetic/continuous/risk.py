"""Risk in the continuous case: by formulas, from sampled paths, or from the literal transformer.

    continuous_risk([(tasks, setting)], steps, votes, methods)[0]["ensemble"][task, step, vote]  ->  31.13

Risk is ‖w − w*‖²_H, twice the paper's excess risk.
"""

from collections.abc import Sequence
from typing import TypeGuard

import numpy as np

from synthetic.continuous.descent import SampledPaths, sample_paths
from synthetic.continuous.least_error import best_of_n_risk
from synthetic.continuous.moments import gradient_descent_risk, path_moments
from synthetic.model.reasoning_loop import literal_paths
from synthetic.model.settings import ContinuousSetting, Setting, Solver
from synthetic.model.tasks import Array, Tasks, covariance_eigenvalues


def needs_sampling(
    setting: Setting, methods: Sequence[str], solver: Solver = "exact"
) -> TypeGuard[ContinuousSetting]:
    """Whether `solver` samples paths: the exact one does if a method has no formula under the noise law.

    Never for a binary setting, which has formulas.
    """
    if not isinstance(setting, ContinuousSetting):
        return False
    law = setting.law
    ensemble = "ensemble" in methods and law.moments is None
    best = "best_of_n" in methods and (law.moments is None or not law.gaussian)
    return solver != "exact" or ensemble or best


def continuous_risk(
    lines: Sequence[tuple[Tasks, ContinuousSetting]],
    steps: tuple[int, ...],
    votes: tuple[int, ...],
    methods: Sequence[str],
    solver: Solver = "exact",
    paths: int = 256,
) -> list[dict[str, Array]]:
    """Risk of each task for each line and method, (tasks, steps, votes); gradient descent has one "vote".

    `methods` are among ensemble, best_of_n (by the oracle) and gradient_descent. If a line `needs_sampling`,
    `paths` are sampled and votes of more paths left out. Raises BadInput on divergence.
    """
    wanted = [line for line in lines if needs_sampling(line[1], methods, solver)]
    if solver == "transformer":
        drawn = iter([transformer_paths(*line, paths, steps) for line in wanted])
    else:
        drawn = iter(sample_paths(wanted, paths, steps))
    by_line = []
    for tasks, setting in lines:
        risks: dict[str, Array] = {}
        sampled = next(drawn) if needs_sampling(setting, methods, solver) else None
        reached = tuple(n for n in votes if sampled is None or n <= paths)
        if "ensemble" in methods:
            by_formula = solver == "exact" and setting.law.moments is not None
            source = path_moments(tasks, setting, steps) if by_formula or sampled is None else sampled
            risks["ensemble"] = source.ensemble_risk(reached)
        if "best_of_n" in methods and sampled:
            risks["best_of_n"] = sampled.best_of_n_risk(reached)
        elif "best_of_n" in methods:
            risks["best_of_n"] = best_of_n_risk(path_moments(tasks, setting, steps), reached)
        if "gradient_descent" in methods:
            risks["gradient_descent"] = gradient_descent_risk(tasks, setting, steps)[..., None]
        by_line.append(risks)
    return by_line


def transformer_paths(
    tasks: Tasks, setting: ContinuousSetting, paths: int, steps: tuple[int, ...]
) -> SampledPaths:
    """The paths of `sample_paths`, by the literal loop of Definition 1 with Algorithm 1; slow."""

    def draw(rng: np.random.Generator) -> Array:
        scale = float(np.sqrt(setting.noise_variance))
        return scale * rng.standard_normal((max(steps), paths, setting.d))

    def sampling(w: Array, xi: Array) -> Array:
        return setting.law.move(w, xi, setting.linear_sign)

    w = literal_paths(tasks, setting.step, steps, draw, sampling)
    weights, target = covariance_eigenvalues(setting), tasks.w_star[:, None]
    return SampledPaths((w - target[:, None]) ** 2 @ weights, (w.mean(axis=2) - target) ** 2 @ weights)
