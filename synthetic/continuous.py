"""Risk in the continuous case, by three roads: formulas, compiled sampling, or the literal transformer.

    continuous_risk(tasks, setting, steps, votes, methods)["ensemble"][task, step, vote]  ->  31.13

Risk is ‖w − w*‖²_H, twice the paper's excess risk. "greedy" is the noise-free decode: gradient descent.
"""

from collections.abc import Sequence
from functools import partial
from itertools import islice

import numpy as np

from synthetic import transformer
from synthetic.best_of_n import best_of_n_risk
from synthetic.decode import constant_noise, linear_noise
from synthetic.moments import Moments, Spectrum, gradient_descent_error, path_moments, spectrum
from synthetic.noisy import SampledPaths, sample_paths
from synthetic.settings import ContinuousSetting, Solver
from synthetic.tasks import Array, Tasks, covariance_eigenvalues


def needs_sampling(setting: ContinuousSetting, methods: Sequence[str]) -> bool:
    """Whether no formula is known: best-of-N under linear noise, whose w_t is not Gaussian."""
    return setting.noise == "linear" and "best_of_n" in methods


def continuous_risk(
    tasks: Tasks,
    setting: ContinuousSetting,
    steps: tuple[int, ...],
    votes: tuple[int, ...],
    methods: Sequence[str],
    solver: Solver = "exact",
    paths: int = 256,
) -> dict[str, Array]:
    """Risk of each task, (tasks, steps, votes) by method (greedy: one "vote").

    `paths` are drawn where the solver samples or `needs_sampling`. Raises BadInput on divergence.
    """
    view = spectrum(tasks, setting)
    found: dict[str, Array] = {}
    sampled = _sampled(tasks, view, setting, steps, methods, solver, paths)
    if "ensemble" in methods or (sampled is None and "best_of_n" in methods):
        moments = path_moments(view, setting, steps)
    if "ensemble" in methods:
        found["ensemble"] = (moments if sampled is None or solver == "exact" else sampled).ensemble_risk(
            votes
        )
    if "best_of_n" in methods:
        found["best_of_n"] = (
            best_of_n_risk(moments, votes) if sampled is None else sampled.best_of_n_risk(votes)
        )
    if "greedy" in methods:
        error = gradient_descent_error(view, setting, steps)
        found["greedy"] = Moments(error, np.zeros((*error.shape, 0)), view.metric).bias[..., None]
    return found


def _sampled(
    tasks: Tasks,
    view: Spectrum,
    setting: ContinuousSetting,
    steps: tuple[int, ...],
    methods: Sequence[str],
    solver: Solver,
    paths: int,
) -> SampledPaths | None:
    if solver == "transformer":
        return transformer_paths(tasks, setting, paths, steps)
    if solver == "monte-carlo" or needs_sampling(setting, methods):
        return sample_paths(tasks, view, setting, paths, steps)
    return None


def transformer_paths(
    tasks: Tasks, setting: ContinuousSetting, paths: int, steps: tuple[int, ...]
) -> SampledPaths:
    """What `sample_paths` draws, by the literal loop of Definition 1 with Algorithm 1; slow."""
    weights = covariance_eigenvalues(setting)
    errors = np.empty((len(tasks), len(steps), paths))
    total = np.zeros((len(tasks), len(steps), setting.d))
    variance, sign = setting.noise_variance, setting.linear_sign
    for task in range(len(tasks)):
        rng = tasks.path_generator(task)
        if setting.noise == "constant":
            sampling = partial(constant_noise, variance=variance, rng=rng)
        else:
            sampling = partial(linear_noise, variance=variance, sign=sign, rng=rng)
        for path in range(paths):
            loop = transformer.generate(tasks.x[task], tasks.y[task], setting.step, sampling)
            for t, w in enumerate(islice(loop, max(steps)), start=1):
                if t in steps:
                    at = steps.index(t)
                    errors[task, at, path] = weights @ (w - tasks.w_star[task]) ** 2
                    total[task, at] += w
    mean_error = ((total / paths - tasks.w_star[:, None]) ** 2) @ weights
    return SampledPaths(errors, mean_error)
