"""The literal transformer beside the exact solution: one path's accuracy or risk on the same tasks.

    check(EXPERIMENTS["fig2h"], tasks=2, paths=16, seed=0)

    line    t  exact  transformer  difference  stderr
    step=1  8  0.409  0.412        0.003       0.009

The difference is taken task by task, so its standard error is that of the sampled paths alone. Under a noise
law that states no moments, `sample_paths` stands in for the exact solution.
"""

import warnings
from typing import TypeGuard

import numpy as np
import pandas as pd

from results import BadInput
from synthetic.binary.accuracy import transformer_supports
from synthetic.binary.chain import law_of_paths
from synthetic.continuous.moments import path_moments
from synthetic.continuous.risk import transformer_paths
from synthetic.continuous.sampler import sample_paths
from synthetic.model.settings import BinarySetting, ContinuousSetting, Setting, check_count
from synthetic.model.tasks import Array, Tasks, draw_tasks, task_keys
from synthetic.panels.experiments import Experiment

LONGEST = 50
"""The literal loop grows with the cube of t: longer paths of an experiment are left out."""
STAND_IN = 256
"""Sampled paths of a task, many at once, where there is no exact solution."""


def check(experiment: Experiment, tasks: int, paths: int, seed: int, repeats: int = 5) -> pd.DataFrame:
    """One row a line and t up to LONGEST; warns where there is no exact solution.

    Raises BadInput on counts that make no sense.
    """
    check_count("paths", paths)
    steps = tuple(t for t in experiment.steps if t <= LONGEST)
    if not steps:
        least = min(experiment.steps)
        raise BadInput(f"steps={least}: the literal loop is walked up to t={LONGEST}: ask for less")
    settings = [line.setting for line in experiment.variants]
    for law in sorted({setting.noise for setting in settings if states_no_moments(setting)}):
        instead = f"the mean of {STAND_IN} paths stands for the exact risk"
        warnings.warn(f"noise={law}: this law states no moments: {instead}", stacklevel=2)
    rows = []
    for line in experiment.variants:
        drawn = draw_tasks(line.setting, task_keys(repeats, tasks), seed)
        exact, sampled = _one_path(line.setting, drawn, steps, paths)
        apart = sampled - exact
        error = apart.std(axis=0, ddof=1) / np.sqrt(len(drawn))
        columns = (steps, exact.mean(axis=0), sampled.mean(axis=0), apart.mean(axis=0), error)
        rows += [(line.label, *row) for row in zip(*columns, strict=True)]
    return pd.DataFrame(rows, columns=["line", "t", "exact", "transformer", "difference", "stderr"])


def states_no_moments(setting: Setting) -> TypeGuard[ContinuousSetting]:
    """Whether the setting's noise law leaves its risk to sampling."""
    return isinstance(setting, ContinuousSetting) and setting.law.moments is None


def _one_path(setting: Setting, tasks: Tasks, steps: tuple[int, ...], paths: int) -> tuple[Array, Array]:
    """Accuracy or risk of one path, exactly and as the mean of literal ones, (tasks, steps) each."""
    if isinstance(setting, BinarySetting):
        supports = transformer_supports(tasks, setting, paths, steps)
        hit = np.take_along_axis(tasks.w_star[:, None, None, :], supports, axis=3).all(axis=3)
        return law_of_paths(tasks, setting, steps).correct, hit.mean(axis=2)
    literal = transformer_paths(tasks, setting, paths, steps).errors.mean(axis=2)
    if states_no_moments(setting):
        (drawn,) = sample_paths([(tasks, setting)], STAND_IN, steps)
        return drawn.errors.mean(axis=2), literal
    moments = path_moments(tasks, setting, steps)
    return moments.bias + moments.variance, literal
