"""Run one experiment with one solver and return its curves table.

    source,dataset,model,method,setting,T,tokens_per_answer,N,permutation,accuracy,stderr,questions
    synthetic,fig2f,linear-attention,majority,50,50,50,64,exact,0.951,0.0138,200

A curve is the mean over all tasks of all repeats; `stderr` is its standard error over those tasks. Tasks are
solved in blocks on `jobs` processes. Each task has its own seed, so neither changes the result.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pandas as pd

from results import BadInput, build_curves
from results.commandline import progress
from results.votes.clusters import standard_error
from synthetic.binary.accuracy import exact_accuracy, samples_table, transformer_supports
from synthetic.binary.paths import sample_supports
from synthetic.continuous.risk import continuous_risk, needs_sampling
from synthetic.model.settings import ContinuousSetting, Solver, check_count
from synthetic.model.tasks import Array, draw_tasks, task_keys
from synthetic.panels.experiments import REPEATS, Experiment, Variant

Key = tuple[int, int]
Values = dict[str, Array]
"""Accuracy or risk by method, (tasks, steps, votes)."""
Solved = tuple[pd.DataFrame, pd.DataFrame | None]
"""The curves table, and its samples table if answers were sampled."""
Block = TypeVar("Block")
TASKS_AT_ONCE = 25
PATHS: dict[Solver, int] = {"exact": 256, "monte-carlo": 256, "transformer": 16}
"""Default number of paths per task if a solver samples."""
MAX_ANSWERS = 50_000_000
"""Most sampled answers of one line, over all tasks and t, that fit in memory."""


@dataclass(frozen=True)
class PanelRequest:
    """The solver, the tasks, and the numbers of paths and processes."""

    solver: Solver
    keys: list[Key]
    seed: int
    paths: int
    jobs: int


def run_experiment(
    name: str,
    experiment: Experiment,
    solver: Solver = "exact",
    repeats: int = REPEATS,
    seed: int = 0,
    tasks: int | None = None,
    paths: int | None = None,
    jobs: int = 1,
) -> Solved:
    """Solve every line of an experiment; warns if it must sample. Raises BadInput for invalid counts."""
    keys = task_keys(repeats, experiment.tasks if tasks is None else tasks)
    request = PanelRequest(solver, keys, seed, PATHS[solver] if paths is None else paths, jobs)
    check_count("paths", request.paths, high=100_000)
    check_count("jobs", jobs, high=1024)
    if solver != "exact" or samples_anyway(experiment):
        check_count(f"of {request.paths} sampled paths N", experiment.votes[0], high=request.paths)
        if more := [n for n in experiment.votes if n > request.paths]:
            why = f"where paths are sampled, {request.paths} of each task"
            warnings.warn(f"{name}: N = {', '.join(map(str, more))} left out {why}", stacklevel=2)
    answers = len(keys) * len(experiment.steps) * request.paths
    if solver != "exact" and answers > MAX_ANSWERS:
        raise BadInput(f"{name}: {answers:,} sampled answers do not fit in memory: reduce --paths or --tasks")
    if isinstance(experiment.variants[0].setting, ContinuousSetting):
        return _run_continuous(name, experiment, request), None
    solved = [_run_binary(name, experiment, line, request) for line in experiment.variants]
    curves, samples = zip(*solved, strict=True)
    drawn = None if solver == "exact" else pd.concat(samples, ignore_index=True)
    return pd.concat(curves, ignore_index=True), drawn


def samples_anyway(experiment: Experiment) -> bool:
    """Whether even the exact solver samples paths, for lack of a formula."""
    return any(needs_sampling(line.setting, experiment.methods) for line in experiment.variants)


def _run_continuous(name: str, experiment: Experiment, request: PanelRequest) -> pd.DataFrame:
    """Solve all lines at once, so that sampled lines share their normal variates (`sample_paths`)."""
    settings = [line.setting for line in experiment.variants if isinstance(line.setting, ContinuousSetting)]
    steps, votes, methods = experiment.steps, experiment.votes, experiment.methods
    no_formula = dict.fromkeys(setting.noise for setting in settings if needs_sampling(setting, methods))
    if request.solver == "exact" and no_formula:
        what = "best-of-N" if "best_of_n" in methods else "an ensemble"
        why = f"{what} has no formula under {' and '.join(no_formula)} noise"
        warnings.warn(f"{name}: {why}: {request.paths} sampled paths a task", stacklevel=3)

    def solve(keys: list[Key]) -> list[Values]:
        lines = [(draw_tasks(setting, keys, request.seed), setting) for setting in settings]
        return continuous_risk(lines, steps, votes, methods, request.solver, request.paths)

    lines = zip(*_over_blocks(solve, request, name), strict=True)
    tables = [
        curves_table(values, steps, votes, {"dataset": name, "model": line.model}, "risk")
        for line, values in zip(experiment.variants, lines, strict=True)
    ]
    return pd.concat(tables, ignore_index=True)


def _run_binary(name: str, experiment: Experiment, line: Variant, request: PanelRequest) -> Solved:
    label, setting = f"{name} {line.label}".strip(), line.setting
    assert not isinstance(setting, ContinuousSetting)
    named = {"dataset": name, "model": line.model}
    steps, votes = experiment.steps, experiment.votes

    def solve(keys: list[Key]) -> tuple[Values, Array]:
        tasks = draw_tasks(setting, keys, request.seed)
        return exact_accuracy(tasks, setting, steps, votes, experiment.methods)

    def sample(keys: list[Key]) -> pd.DataFrame:
        source = transformer_supports if request.solver == "transformer" else sample_supports
        tasks = draw_tasks(setting, keys, request.seed)
        return samples_table(tasks, setting, steps, source(tasks, setting, request.paths, steps))

    if request.solver == "exact":
        values, shares = zip(*_over_blocks(solve, request, label), strict=True)
        if share := float(np.concatenate(shares).mean()):  # the share of steps with ClipNorm 0/0
            few = f"{label}: too few positive entries in {share:.2%} of steps, the rest drawn uniformly"
            warnings.warn(few, stacklevel=3)
        return curves_table(values, steps, votes, named, "accuracy"), None
    samples = pd.concat(_over_blocks(sample, request, label), ignore_index=True).assign(**named)
    reached = [n for n in votes if n <= request.paths]
    return build_curves(samples, ns=reached, permutations=10, seed=request.seed), samples


def _over_blocks(solve: Callable[[list[Key]], Block], request: PanelRequest, label: str) -> list[Block]:
    """Call `solve` on every block of tasks, in order."""
    from joblib import Parallel, delayed  # type: ignore[import-untyped]

    keys, jobs = request.keys, request.jobs
    at_once = 1 if request.solver == "transformer" else min(TASKS_AT_ONCE, -(-len(keys) // jobs))
    blocks = [keys[start : start + at_once] for start in range(0, len(keys), at_once)]
    solved = Parallel(n_jobs=jobs, return_as="generator")(delayed(solve)(block) for block in blocks)
    return list(progress("block", solved, total=len(blocks), desc=label))


def curves_table(
    blocks: Sequence[Values], steps: Sequence[int], votes: Sequence[int], named: dict[str, str], column: str
) -> pd.DataFrame:
    """The curves table of all blocks of tasks; values at fewer N than `votes` are for the first ones."""
    parts = []
    for method in blocks[0]:
        value = np.concatenate([block[method] for block in blocks])
        tasks, _, n = value.shape
        t = np.repeat(steps, n)
        parts.append(
            pd.DataFrame(
                {
                    "source": "synthetic",
                    **named,
                    # the name in tables for decoding without noise
                    "method": "greedy" if method == "gradient_descent" else method,
                    "setting": t.astype(str),
                    "T": t.astype(np.float64),
                    "tokens_per_answer": t.astype(np.float64),
                    "N": np.tile(votes[:n], len(steps)),
                    "permutation": "exact",
                    column: value.mean(axis=0).ravel(),
                    "stderr": standard_error(value.reshape(tasks, -1)),
                    "questions": tasks,
                }
            )
        )
    return pd.concat(parts, ignore_index=True)
