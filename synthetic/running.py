"""Run one experiment by one solver and lay the outcome out as a curves table.

    source,dataset,model,method,setting,T,tokens_per_answer,N,permutation,accuracy,stderr,questions
    synthetic,fig2f,linear-attention,majority,50,50,50,64,exact,0.91,0.018,200

A curve is the mean over all tasks of all repeats, and `stderr` its standard error over those tasks.
Tasks are solved in small blocks, on `jobs` processes; each has its own seed, so neither changes a number.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from results import build_curves
from synthetic.binary import exact_accuracy, samples_table, transformer_supports
from synthetic.chain import MAX_SUPPORTS
from synthetic.continuous import continuous_risk, needs_sampling
from synthetic.experiments import Experiment, Variant
from synthetic.sampler import sample_supports
from synthetic.settings import BinarySetting, Setting, Solver, check_count
from synthetic.tasks import Array, draw_tasks, task_keys

Key = tuple[int, int]
TASKS_AT_ONCE = 10
PATHS: dict[Solver, int] = {"exact": 256, "monte-carlo": 256, "transformer": 16}
"""Paths drawn per task where a solver samples and the user names no number."""


@dataclass(frozen=True)
class Outcome:
    """The `curves` of one experiment, the `samples` they were counted from (if any), `notes` to show."""

    curves: pd.DataFrame
    samples: pd.DataFrame | None
    notes: tuple[str, ...]


def run_experiment(
    name: str,
    experiment: Experiment,
    solver: Solver = "exact",
    repeats: int = 5,
    seed: int = 0,
    tasks: int | None = None,
    paths: int | None = None,
    jobs: int = 1,
    progress: bool = False,
) -> Outcome:
    """Solve every line of an experiment. Raises BadInput on counts that make no sense."""
    if tasks is not None:
        experiment = replace(experiment, tasks=tasks)
    draws = PATHS[solver] if paths is None else paths
    check_count("paths", draws)
    check_count("jobs", jobs, high=1024)
    keys = task_keys(repeats, experiment.tasks)
    outcomes = [
        _run_variant(name, experiment, variant, solver, keys, seed, draws, jobs, progress)
        for variant in experiment.variants
    ]
    samples = [outcome.samples for outcome in outcomes if outcome.samples is not None]
    return Outcome(
        pd.concat([outcome.curves for outcome in outcomes], ignore_index=True),
        pd.concat(samples, ignore_index=True) if samples else None,
        tuple(note for outcome in outcomes for note in outcome.notes),
    )


def _run_variant(
    name: str,
    experiment: Experiment,
    variant: Variant,
    solver: Solver,
    keys: list[Key],
    seed: int,
    paths: int,
    jobs: int,
    progress: bool,
) -> Outcome:
    setting = variant.setting
    solver, samples, note = _plan(f"{name} {variant.label}".strip(), experiment, setting, solver, paths)
    if samples:
        experiment = replace(experiment, votes=tuple(n for n in experiment.votes if n <= paths))
    named = {"dataset": name, "model": variant.model}
    over = partial(
        _over_blocks, keys=keys, jobs=jobs, label=f"{name} {variant.label}".strip(), progress=progress
    )
    if isinstance(setting, BinarySetting) and samples:
        blocks = over(partial(_samples_block, experiment, setting, seed, solver, paths))
        table = pd.concat(blocks, ignore_index=True).assign(**named)
        return Outcome(build_curves(table, ns=experiment.votes, permutations=10, seed=seed), table, note)
    values = _joined(over(partial(_values_block, experiment, setting, seed, solver, paths)))
    column = "accuracy" if isinstance(setting, BinarySetting) else "risk"
    return Outcome(curves_table(values, experiment, named, column), None, note)


def _plan(
    label: str, experiment: Experiment, setting: Setting, solver: Solver, paths: int
) -> tuple[Solver, bool, tuple[str, ...]]:
    """The solver to use, whether it draws paths, and what to say where that is not what was asked."""
    if solver != "exact":
        return solver, True, ()
    if isinstance(setting, BinarySetting):
        if setting.supports <= MAX_SUPPORTS:
            return solver, False, ()
        why = f"{setting.supports:,} supports are too many for the exact chain"
        return "monte-carlo", True, (f"{label}: {why}: {paths} sampled paths a task instead",)
    if needs_sampling(setting, experiment.methods):
        return (
            solver,
            True,
            (f"{label}: best-of-N has no formula here: {paths} sampled paths a task",),
        )
    return solver, False, ()


def _values_block(
    experiment: Experiment, setting: Setting, seed: int, solver: Solver, paths: int, keys: list[Key]
) -> dict[str, Array]:
    tasks = draw_tasks(setting, keys, seed)
    asked = (experiment.steps, experiment.votes, experiment.methods)
    if isinstance(setting, BinarySetting):
        return exact_accuracy(tasks, setting, *asked)
    return continuous_risk(tasks, setting, *asked, solver, paths)


def _samples_block(
    experiment: Experiment, setting: BinarySetting, seed: int, solver: Solver, paths: int, keys: list[Key]
) -> pd.DataFrame:
    source = transformer_supports if solver == "transformer" else sample_supports
    return samples_table(draw_tasks(setting, keys, seed), setting, experiment.steps, paths, source)


def _over_blocks(
    solve: Callable[[list[Key]], Any], keys: list[Key], jobs: int, label: str, progress: bool
) -> list[Any]:
    """`solve` on every block of tasks, in order, on `jobs` processes."""
    at_once = min(
        TASKS_AT_ONCE, -(-len(keys) // (2 * jobs))
    )  # at least two blocks a process, to share evenly
    blocks = [keys[start : start + at_once] for start in range(0, len(keys), at_once)]
    if jobs == 1:
        found: Iterable[Any] = map(solve, blocks)
    else:
        from joblib import Parallel, delayed  # type: ignore[import-untyped]

        found = Parallel(n_jobs=jobs, return_as="generator")(delayed(solve)(block) for block in blocks)
    bar = tqdm(found, total=len(blocks), desc=label, unit="block", delay=2, disable=not progress)
    return list(bar)


def _joined(blocks: list[dict[str, Array]]) -> dict[str, Array]:
    return {method: np.concatenate([block[method] for block in blocks]) for method in blocks[0]}


def curves_table(
    values: dict[str, Array], experiment: Experiment, named: dict[str, str], column: str = "accuracy"
) -> pd.DataFrame:
    """The curves table of per-task values (tasks, steps, votes) by method."""
    parts = []
    for method, value in values.items():
        tasks, steps, votes = value.shape
        spread = value.std(axis=0, ddof=1) / np.sqrt(tasks) if tasks > 1 else np.full((steps, votes), np.nan)
        t = np.repeat(experiment.steps, votes)
        parts.append(
            pd.DataFrame(
                {
                    "source": "synthetic",
                    **named,
                    "method": method,
                    "setting": t.astype(str),
                    "T": t.astype(np.float64),
                    "tokens_per_answer": t.astype(np.float64),
                    "N": np.tile(experiment.votes[:votes], steps),
                    "permutation": "exact",
                    column: value.mean(axis=0).ravel(),
                    "stderr": spread.ravel(),
                    "questions": tasks,
                }
            )
        )
    return pd.concat(parts, ignore_index=True)
