"""The names that `from synthetic import …` offers: one line from a panel's name to its curves."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from synthetic.model.settings import BinarySetting, ContinuousSetting, Solver
from synthetic.panels.experiments import Experiment, Variant, find_experiments, read_at, with_changes
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
    """The curves table of `tts twin run`, for a panel of the paper or an experiment of your own.

    Parameters:
        panel: a name that `tts twin list` prints, `"all"`, or an `Experiment`.
        solver: "exact" (by formula where there is one), "monte-carlo" (sampled paths, many at once) or
            "transformer" (the paper's loop literally, slow).
        repeats: number of repeats of the experiment.
        seed: seed of all randomness.
        tasks: tasks per repeat, by default the experiment's own number.
        paths: sampled paths per task, by default 256 (transformer: 16).
        jobs: processes to use.
        steps: the values of t, by default the panel's own.
        ns: the values of N, by default the panel's own.
        changes: fields of the settings, as with --set: `d=20`, or `d="5,10"` for a line at each.

    Returns one row per line of the panel, method, t and N. Columns: source, dataset, model, method,
    setting; T and tokens_per_answer, the steps; N; permutation; accuracy, from 0 to 1, or risk for continuous
    coefficients; stderr; questions, the number of tasks.

    Raises BadInput for an unknown name or field, or a value that a field cannot have.

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
