"""The theory twin: the paper's transformer on in-context linear regression, sampled and solved exactly."""

import results  # noqa: F401  # first: it sees to Ctrl-C during the other imports
from synthetic.model.settings import BinarySetting, ContinuousSetting
from synthetic.model.tasks import Tasks, draw_tasks, task_keys
from synthetic.panels.experiments import EXPERIMENTS, Experiment, Variant, find_experiments

__all__ = [
    "EXPERIMENTS",
    "BinarySetting",
    "ContinuousSetting",
    "Experiment",
    "Tasks",
    "Variant",
    "draw_tasks",
    "find_experiments",
    "task_keys",
]
