"""Risk in the continuous case, by three roads: formulas, compiled sampling, or the literal transformer.

    continuous_risk([(tasks, setting)], steps, votes, methods)[0]["ensemble"][task, step, vote]  ->  31.13

Risk is ‖w − w*‖²_H, twice the paper's excess risk. "greedy" is the noise-free decode: gradient descent.
"""

from collections.abc import Sequence
from functools import partial
from itertools import islice

import numpy as np

from synthetic.continuous.best_of_n import best_of_n_risk
from synthetic.continuous.moments import Moments, Spectrum, gradient_descent_error, path_moments, spectrum
from synthetic.continuous.noisy import SampledPaths, sample_lines
from synthetic.model import transformer
from synthetic.model.decode import constant_noise, linear_noise
from synthetic.model.settings import ContinuousSetting, Solver
from synthetic.model.tasks import Array, Tasks, covariance_eigenvalues


def needs_sampling(setting: ContinuousSetting, methods: Sequence[str]) -> bool:
    """Whether no formula is known: best-of-N under linear noise, whose w_t is not Gaussian."""
    return setting.noise == "linear" and "best_of_n" in methods


def continuous_risk(
    lines: Sequence[tuple[Tasks, ContinuousSetting]],
    steps: tuple[int, ...],
    votes: tuple[int, ...],
    methods: Sequence[str],
    solver: Solver = "exact",
    paths: int = 256,
) -> list[dict[str, Array]]:
    """Risk of each task of each line, (tasks, steps, votes) by method (greedy: one "vote").

    `paths` are drawn where the solver samples or `needs_sampling`; such a line has only the votes that many
    paths can give. Raises BadInput on divergence.
    """
    views = [spectrum(tasks, setting) for tasks, setting in lines]
    sampled = _sampled(lines, views, steps, methods, solver, paths)
    return [
        _line_risk(view, setting, steps, votes, methods, solver, drawn)
        for (_, setting), view, drawn in zip(lines, views, sampled, strict=True)
    ]


def _line_risk(
    view: Spectrum,
    setting: ContinuousSetting,
    steps: tuple[int, ...],
    votes: tuple[int, ...],
    methods: Sequence[str],
    solver: Solver,
    sampled: SampledPaths | None,
) -> dict[str, Array]:
    found: dict[str, Array] = {}
    if sampled is not None:
        votes = tuple(n for n in votes if n <= sampled.errors.shape[2])
    if "ensemble" in methods or (sampled is None and "best_of_n" in methods):
        moments = path_moments(view, setting, steps)
    if "ensemble" in methods:
        source = moments if sampled is None or solver == "exact" else sampled
        found["ensemble"] = source.ensemble_risk(votes)
    if "best_of_n" in methods:
        found["best_of_n"] = (
            best_of_n_risk(moments, votes) if sampled is None else sampled.best_of_n_risk(votes)
        )
    if "greedy" in methods:
        error = gradient_descent_error(view, setting, steps)
        found["greedy"] = Moments(error, np.zeros((*error.shape, 0)), view.metric).bias[..., None]
    return found


def _sampled(
    lines: Sequence[tuple[Tasks, ContinuousSetting]],
    views: list[Spectrum],
    steps: tuple[int, ...],
    methods: Sequence[str],
    solver: Solver,
    paths: int,
) -> list[SampledPaths | None]:
    """The sampled paths of each line, None where none are needed."""
    if solver == "transformer":
        return [transformer_paths(tasks, setting, paths, steps) for tasks, setting in lines]
    drawn = [
        (tasks, view, setting) if solver == "monte-carlo" or needs_sampling(setting, methods) else None
        for (tasks, setting), view in zip(lines, views, strict=True)
    ]
    wanted = [line for line in drawn if line is not None]
    found = iter(sample_lines(wanted, paths, steps) if wanted else ())
    return [None if line is None else next(found) for line in drawn]


def transformer_paths(
    tasks: Tasks, setting: ContinuousSetting, paths: int, steps: tuple[int, ...]
) -> SampledPaths:
    """What `noisy.sample_paths` draws, by the literal loop of Definition 1 with Algorithm 1; slow."""
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
