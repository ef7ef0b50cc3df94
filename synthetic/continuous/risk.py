"""Risk in the continuous case, by three roads: formulas, sampled paths, or the literal transformer.

    continuous_risk([(tasks, setting)], steps, votes, methods)[0]["ensemble"][task, step, vote]  ->  31.13

Risk is ‖w − w*‖²_H, twice the paper's excess risk.
"""

from collections.abc import Sequence

import numpy as np

from synthetic.continuous.best_of_n import best_of_n_risk
from synthetic.continuous.moments import gradient_descent_risk, path_moments, spectrum
from synthetic.continuous.sampler import SampledPaths, sample_paths
from synthetic.model.reasoning_loop import literal_paths
from synthetic.model.sampling_algorithms import constant_noise, linear_noise
from synthetic.model.settings import ContinuousSetting, Solver
from synthetic.model.tasks import Array, Tasks, covariance_eigenvalues


def needs_sampling(setting: ContinuousSetting, methods: Sequence[str]) -> bool:
    """Whether there is no formula: best-of-N under linear noise, whose w_t is not Gaussian."""
    return setting.noise == "linear" and "best_of_n" in methods


def continuous_risk(
    lines: Sequence[tuple[Tasks, ContinuousSetting]],
    steps: tuple[int, ...],
    votes: tuple[int, ...],
    methods: Sequence[str],
    solver: Solver = "exact",
    paths: int = 256,
) -> list[dict[str, Array]]:
    """Risk of each task of each line by method, (tasks, steps, votes); gradient descent has one "vote".

    `methods` are among ensemble, best_of_n and gradient_descent. Where the solver samples or
    `needs_sampling`, `paths` are drawn and votes of more paths are left out. Raises BadInput on divergence.
    """
    needed = [solver != "exact" or needs_sampling(setting, methods) for _, setting in lines]
    wanted = [line for line, need in zip(lines, needed, strict=True) if need]
    draw = transformer_paths if solver == "transformer" else sample_paths
    drawn = iter(draw(wanted, paths, steps) if wanted else ())
    return [
        _line_risk(*line, steps, votes, methods, solver, next(drawn) if need else None)
        for line, need in zip(lines, needed, strict=True)
    ]


def _line_risk(
    tasks: Tasks,
    setting: ContinuousSetting,
    steps: tuple[int, ...],
    votes: tuple[int, ...],
    methods: Sequence[str],
    solver: Solver,
    sampled: SampledPaths | None,
) -> dict[str, Array]:
    found: dict[str, Array] = {}
    view = spectrum(tasks, setting)
    if sampled is not None:
        votes = tuple(n for n in votes if n <= sampled.errors.shape[2])
    if "ensemble" in methods:
        source = sampled if sampled and solver != "exact" else path_moments(view, setting, steps)
        found["ensemble"] = source.ensemble_risk(votes)
    if "best_of_n" in methods and sampled:
        found["best_of_n"] = sampled.best_of_n_risk(votes)
    elif "best_of_n" in methods:
        found["best_of_n"] = best_of_n_risk(path_moments(view, setting, steps), votes)
    if "gradient_descent" in methods:
        found["gradient_descent"] = gradient_descent_risk(view, setting, steps)[..., None]
    return found


def transformer_paths(
    lines: Sequence[tuple[Tasks, ContinuousSetting]], paths: int, steps: tuple[int, ...]
) -> list[SampledPaths]:
    """The paths that `sample_paths` draws, by the literal loop of Definition 1 with Algorithm 1; slow."""
    return [_literal_paths(tasks, setting, paths, steps) for tasks, setting in lines]


def _literal_paths(
    tasks: Tasks, setting: ContinuousSetting, paths: int, steps: tuple[int, ...]
) -> SampledPaths:
    def draw(rng: np.random.Generator) -> Array:
        scale = float(np.sqrt(setting.noise_variance))
        return scale * rng.standard_normal((max(steps), paths, setting.d))

    def sampling(w: Array, xi: Array) -> Array:
        linear = setting.noise == "linear"
        return linear_noise(w, xi, setting.linear_sign) if linear else constant_noise(w, xi)

    w = literal_paths(tasks, setting.step, steps, draw, sampling)
    weights, target = covariance_eigenvalues(setting), tasks.w_star[:, None]
    return SampledPaths((w - target[:, None]) ** 2 @ weights, (w.mean(axis=2) - target) ** 2 @ weights)
