"""Run one experiment with one solver and return its curves table.

    source,dataset,model,method,setting,T,tokens_per_answer,N,permutation,accuracy,stderr,questions
    synthetic,fig2f,linear-attention,majority,50,50,50,64,exact,0.951,0.0138,200

A curve is the mean over all tasks of all repeats; `stderr` is its standard error over those tasks. Tasks are
solved in blocks on `jobs` processes. Each task has a seed of its own, so neither changes a number.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np
import pandas as pd
from tqdm import tqdm

from results import BadInput, build_curves
from synthetic.binary.accuracy import exact_accuracy, samples_table, transformer_supports
from synthetic.binary.chain import MAX_SUPPORTS
from synthetic.binary.sampler import sample_supports
from synthetic.continuous.risk import continuous_risk, needs_sampling
from synthetic.model.settings import BinarySetting, ContinuousSetting, Solver, check_count
from synthetic.model.tasks import Array, draw_tasks, task_keys
from synthetic.panels.experiments import Experiment, Variant

Key = tuple[int, int]
Block = TypeVar("Block")
TASKS_AT_ONCE = 10
PATHS: dict[Solver, int] = {"exact": 256, "monte-carlo": 256, "transformer": 16}
"""Paths drawn for each task where a solver samples, unless the user names a number."""
MAX_ANSWERS = 50_000_000
"""The most sampled answers of one line, over all tasks and t, that fit in memory."""


@dataclass(frozen=True)
class Request:
    """The solver, the tasks, and how many paths and processes."""

    solver: Solver
    keys: list[Key]
    seed: int
    paths: int
    jobs: int = 1
    progress: bool = False


@dataclass(frozen=True)
class Outcome:
    """The `curves` of one experiment, the `samples` behind them if any were kept, and `notes` to show."""

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
    """Solve every line of an experiment. Raises BadInput on a count out of range."""
    if tasks is not None:
        experiment = replace(experiment, tasks=tasks)
    draws = PATHS[solver] if paths is None else paths
    check_count("paths", draws)
    check_count("jobs", jobs, high=1024)
    request = Request(solver, task_keys(repeats, experiment.tasks), seed, draws, jobs, progress)
    if any(isinstance(line.setting, ContinuousSetting) for line in experiment.variants):
        return _run_continuous(name, experiment, request)
    outcomes = [_run_binary(name, experiment, line, request) for line in experiment.variants]
    samples = [outcome.samples for outcome in outcomes if outcome.samples is not None]
    return Outcome(
        pd.concat([outcome.curves for outcome in outcomes], ignore_index=True),
        pd.concat(samples, ignore_index=True) if samples else None,
        tuple(note for outcome in outcomes for note in outcome.notes),
    )


def _run_continuous(name: str, experiment: Experiment, request: Request) -> Outcome:
    """All lines at once, so that those that sample share their normals (`sample_paths`)."""
    settings = [line.setting for line in experiment.variants if isinstance(line.setting, ContinuousSetting)]
    notes: tuple[str, ...] = ()
    formula_missing = any(needs_sampling(setting, experiment.methods) for setting in settings)
    if request.solver != "exact" or formula_missing:
        _check_answers(name, experiment, request)
    if request.solver == "exact" and formula_missing:
        why = "best-of-N has no formula under linear noise"
        notes = (f"{name}: {why}: {request.paths} sampled paths a task",)
    blocks = _over_blocks(partial(_risk, experiment, settings, request), request, name)
    tables = [
        curves_table(_joined(list(values)), experiment, {"dataset": name, "model": line.model}, "risk")
        for line, values in zip(experiment.variants, zip(*blocks, strict=True), strict=True)
    ]
    return Outcome(pd.concat(tables, ignore_index=True), None, notes)


def _run_binary(name: str, experiment: Experiment, line: Variant, request: Request) -> Outcome:
    label, setting = f"{name} {line.label}".strip(), line.setting
    assert isinstance(setting, BinarySetting)
    named = {"dataset": name, "model": line.model}
    notes: tuple[str, ...] = ()
    if request.solver == "exact" and setting.supports > MAX_SUPPORTS:
        why = f"{setting.supports:,} supports are too many for the exact chain"
        notes = (f"{label}: {why}: {request.paths} sampled paths a task instead",)
        request = replace(request, solver="monte-carlo")
    if request.solver == "exact":
        solved = _over_blocks(partial(_accuracy, experiment, setting, request), request, label)
        curves = curves_table(_joined([values for values, _ in solved]), experiment, named, "accuracy")
        return Outcome(curves, None, _fallback_note(label, [share for _, share in solved]))
    _check_answers(label, experiment, request)
    drawn = _over_blocks(partial(_draw, experiment, setting, request), request, label)
    table = pd.concat([table for table, _ in drawn], ignore_index=True).assign(**named)
    votes = tuple(n for n in experiment.votes if n <= request.paths)
    curves = build_curves(table, ns=votes, permutations=10, seed=request.seed)
    return Outcome(curves, table, (*notes, *_fallback_note(label, [share for _, share in drawn])))


def _check_answers(label: str, experiment: Experiment, request: Request) -> None:
    answers = len(request.keys) * len(experiment.steps) * request.paths
    if answers > MAX_ANSWERS:
        raise BadInput(
            f"{label}: {answers:,} sampled answers do not fit in memory: reduce --paths or --tasks"
        )


def _fallback_note(label: str, shares: list[Array]) -> tuple[str, ...]:
    """A note on how often ClipNorm was 0/0 (see `sample_support`), if ever."""
    share = float(np.concatenate(shares).mean())
    if share == 0:
        return ()
    return (f"{label}: too few positive entries in {share:.2%} of steps, the rest drawn uniformly",)


def _risk(
    experiment: Experiment, settings: list[ContinuousSetting], request: Request, keys: list[Key]
) -> list[dict[str, Array]]:
    lines = [(draw_tasks(setting, keys, request.seed), setting) for setting in settings]
    asked = (experiment.steps, experiment.votes, experiment.methods)
    return continuous_risk(lines, *asked, request.solver, request.paths)


def _accuracy(
    experiment: Experiment, setting: BinarySetting, request: Request, keys: list[Key]
) -> tuple[dict[str, Array], Array]:
    tasks = draw_tasks(setting, keys, request.seed)
    return exact_accuracy(tasks, setting, experiment.steps, experiment.votes, experiment.methods)


def _draw(
    experiment: Experiment, setting: BinarySetting, request: Request, keys: list[Key]
) -> tuple[pd.DataFrame, Array]:
    source = transformer_supports if request.solver == "transformer" else sample_supports
    tasks = draw_tasks(setting, keys, request.seed)
    sampled = source(tasks, setting, request.paths, experiment.steps)
    return samples_table(tasks, setting, experiment.steps, sampled.supports), sampled.fallback


def _over_blocks(solve: Callable[[list[Key]], Block], request: Request, label: str) -> list[Block]:
    """Call `solve` on every block of tasks, in order; at least two blocks a process, to share the work."""
    keys, jobs = request.keys, request.jobs
    at_once = min(TASKS_AT_ONCE, -(-len(keys) // (2 * jobs)))
    blocks = [keys[start : start + at_once] for start in range(0, len(keys), at_once)]
    found: Iterable[Block] = map(solve, blocks)
    if jobs > 1:
        from joblib import Parallel, delayed  # type: ignore[import-untyped]

        found = Parallel(n_jobs=jobs, return_as="generator")(delayed(solve)(block) for block in blocks)
    bar = tqdm(
        found,
        total=len(blocks),
        desc=label,
        unit="block",
        delay=2,
        disable=None if request.progress else True,
    )
    return list(bar)


def _joined(blocks: list[dict[str, Array]]) -> dict[str, Array]:
    return {method: np.concatenate([block[method] for block in blocks]) for method in blocks[0]}


def curves_table(
    values: dict[str, Array], experiment: Experiment, named: dict[str, str], column: str
) -> pd.DataFrame:
    """The curves table of each task's values, (tasks, steps, votes) by method."""
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
                    # the tables know one decode without noise
                    "method": "greedy" if method == "gradient_descent" else method,
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
