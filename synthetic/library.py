"""What `from synthetic import …` gives: one line from the name of a panel to its curves."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from synthetic.model.settings import BinarySetting, ContinuousSetting, Solver
from synthetic.panels.experiments import Experiment, Variant, find_experiments
from synthetic.panels.overrides import read_at, with_changes
from synthetic.panels.running import run_experiment

__all__ = ["BinarySetting", "ContinuousSetting", "Experiment", "Variant", "run_panel"]


def run_panel(
    panel: str | Experiment,
    solver: Solver = "exact",
    repeats: int = 5,
    seed: int = 0,
    tasks: int | None = None,
    paths: int | None = None,
    jobs: int = 1,
    steps: Sequence[int] = (),
    ns: Sequence[int] = (),
    **changes: Any,
) -> pd.DataFrame:
    """The curves table of `python -m synthetic run`: of a panel by name, or of an experiment of yours.

    steps, ns: the t and N to read it at, by default the panel's own.
    changes: fields of its settings, as with --set (d="5,10" is a line for each). Raises BadInput.

    >>> curves = run_panel("fig2f", d=20, repeats=1, tasks=4)
    >>> curves.query("method == 'majority' and N == 64 and T >= 32")[["T", "accuracy", "stderr"]].round(3)
             T  accuracy  stderr
    105   32.0     0.889   0.110
    114   50.0     0.903   0.097
    123  100.0     0.944   0.056
    132  200.0     0.991   0.009
    """
    chosen = find_experiments(panel) if isinstance(panel, str) else {"experiment": panel}
    change = [f"{field}={value}" for field, value in changes.items()]
    tables = [
        run_experiment(
            name, with_changes(read_at(one, steps, ns), change), solver, repeats, seed, tasks, paths, jobs
        )[0]
        for name, one in chosen.items()
    ]
    return pd.concat(tables, ignore_index=True)
