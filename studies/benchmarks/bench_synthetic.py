"""The speed of the theory twin, as ratios that are comparable between machines.

$ python -m studies.benchmarks.bench_synthetic
sampler / literal transformer, binary (fig1-binary, t=50)          50 × as many paths a second

$ python -m studies.benchmarks.bench_synthetic --growth growth.png   # only growth in d, n, N, t
"""

from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import click
import numpy as np
import pandas as pd

from synthetic.binary.accuracy import exact_accuracy, transformer_supports
from synthetic.binary.paths import sample_supports
from synthetic.continuous.descent import sample_paths
from synthetic.continuous.moments import path_moments
from synthetic.continuous.risk import transformer_paths
from synthetic.model.settings import BinarySetting, ContinuousSetting
from synthetic.model.tasks import draw_tasks, task_keys
from synthetic.panels.experiments import EXPERIMENTS
from synthetic.panels.running import run_experiment

BASE = {"d": 32, "n": 8, "N": 64, "t": 64}
"""The base sizes of the growth: one is varied, the others stay."""
SIZES = {
    "d": (16, 32, 64, 128, 256, 512),
    "n": (8, 16, 32, 64, 128, 256, 512),
    "N": (16, 32, 64, 128, 256, 512, 1024),
    "t": (16, 32, 64, 128, 256, 512, 1024),
}


def seconds(job: Callable[[], object], times: int = 3) -> float:
    """The minimum processor time of several runs, after one for compiling and warming up."""
    job()
    taken = []
    for _ in range(times):
        start = process_time()
        job()
        taken.append(process_time() - start)
    return min(taken)


def binary_sampler() -> tuple[str, float]:
    setting = EXPERIMENTS["fig1-binary"].variants[0].setting
    assert isinstance(setting, BinarySetting)
    tasks = draw_tasks(setting, task_keys(1, 2), seed=0)
    fast = seconds(lambda: sample_supports(tasks, setting, 4000, (50,))) / 4000
    slow = seconds(lambda: transformer_supports(tasks, setting, 10, (50,))) / 10
    return "sampler / literal transformer, binary (fig1-binary, t=50)", slow / fast


def continuous_sampler() -> tuple[str, float]:
    setting = EXPERIMENTS["fig1-continuous"].variants[1].setting
    assert isinstance(setting, ContinuousSetting)
    tasks = draw_tasks(setting, task_keys(1, 1), seed=0)
    fast = seconds(lambda: sample_paths([(tasks, setting)], 200, (950,))) / 200
    slow = seconds(lambda: transformer_paths(tasks, setting, 1, (950,)), times=1)
    return "sampler / literal transformer, continuous (linear noise, t=950)", slow / fast


def exact_vote() -> tuple[str, float]:
    """Time for a vote of 64 paths at t=50: to a Monte Carlo standard error of 0.001, against exactly.

    A vote right with probability a takes a(1−a)/0.001² votes of 64 fresh paths each; their time is
    extrapolated from the sampler's measured rate.
    """
    setting = EXPERIMENTS["fig1-binary"].variants[0].setting
    assert isinstance(setting, BinarySetting)
    tasks = draw_tasks(setting, task_keys(1, 20), seed=0)
    exact = seconds(lambda: exact_accuracy(tasks, setting, (50,), (64,), ("majority",)))
    accuracy = exact_accuracy(tasks, setting, (50,), (64,), ("majority",))[0]["majority"].ravel()
    paths = (accuracy * (1 - accuracy) / 0.001**2 * 64).mean()
    sampled = seconds(lambda: sample_supports(tasks, setting, 2000, (50,))) / 2000 * paths
    return "exact / sampled vote at a standard error of 0.001 (N=64, t=50)", sampled / exact


def exact_ensemble() -> tuple[str, float]:
    """Time for the risk of one path at t=950: to a relative standard error of 0.001, against exactly."""
    setting = EXPERIMENTS["fig1-continuous"].variants[1].setting
    assert isinstance(setting, ContinuousSetting)
    tasks = draw_tasks(setting, task_keys(1, 2), seed=0)
    exact = seconds(lambda: path_moments(tasks, setting, (950,)))
    errors = sample_paths([(tasks, setting)], 200, (950,))[0].errors
    paths = float(np.mean(errors.var(axis=2) / errors.mean(axis=2) ** 2)) / 0.001**2
    sampled = seconds(lambda: sample_paths([(tasks, setting)], 100, (950,))) / 100 * paths
    return "exact / sampled ensemble risk at a relative standard error of 0.001 (t=950)", sampled / exact


def solvers(d: int, n: int, votes: int, t: int) -> dict[str, Callable[[], object]]:
    """One call of each solver for four tasks of these sizes; drawing the tasks is not counted."""
    binary = BinarySetting(n=n, d=d, eta=1 / n, sigma_eps=0.5)
    linear = ContinuousSetting(n=n, d=d, eta=0.1 / (n + d), sigma_eps=1, sigma=1, noise="linear")
    keys = task_keys(1, 4)
    tasks, regressions = draw_tasks(binary, keys, seed=0), draw_tasks(linear, keys, seed=0)
    return {
        "vote, exact": lambda: exact_accuracy(tasks, binary, (t,), (votes,), ("majority",)),
        "vote, N sampled paths": lambda: sample_supports(tasks, binary, votes, (t,)),
        "ensemble, exact": lambda: path_moments(regressions, linear, (t,)),
        "ensemble, N sampled paths": lambda: sample_paths([(regressions, linear)], votes, (t,)),
    }


def growth() -> list[dict[str, Any]]:
    """Seconds of every solver at every size: rows of size, value, solver, seconds."""
    rows = []
    for size, values in SIZES.items():
        for value in values:
            at = {**BASE, size: value}
            for solver, job in solvers(at["d"], at["n"], at["N"], at["t"]).items():
                rows.append({"size": size, "value": value, "solver": solver, "seconds": seconds(job)})
    return rows


def exponent(rows: list[dict[str, Any]], solver: str, size: str) -> float:
    """p in seconds ∝ size^p, between the third largest and the largest value."""
    found = [row for row in rows if row["solver"] == solver and row["size"] == size]
    low, high = found[-3], found[-1]
    return float(np.log(high["seconds"] / low["seconds"]) / np.log(high["value"] / low["value"]))


def draw(rows: list[dict[str, Any]], out: Path) -> None:
    """Draw one panel per size, with logarithmic axes, to a .png or .svg."""
    import altair as alt

    panels = [
        alt.Chart(pd.DataFrame([row for row in rows if row["size"] == size]))
        .mark_line(point=alt.OverlayMarkDef(size=18))
        .encode(
            alt.X("value:Q", scale=alt.Scale(type="log", base=2, nice=False), title=size),
            alt.Y("seconds:Q", scale=alt.Scale(type="log"), title="processor seconds for four tasks"),
            alt.Color("solver:N", scale=alt.Scale(scheme="tableau10"), title=None),
        )
        .properties(width=210, height=190)
        for size in SIZES
    ]
    alt.hconcat(*panels).resolve_scale(y="shared").save(str(out))


@click.command()
@click.option(
    "--growth",
    "picture",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Only measure the growth of the cost in d, n, N and t, and draw it to this .png or .svg.",
)
def main(picture: Path | None) -> None:
    """Print each ratio, the growth of the cost, and the time of all ten experiments on two processes."""
    if picture is None:
        print_ratios()
    rows = growth()
    click.echo(f"{'cost grows as size^p, p of:':40}" + "".join(f"{size:>8}" for size in SIZES))
    for solver in dict.fromkeys(row["solver"] for row in rows):
        exponents = (exponent(rows, solver, size) for size in SIZES)
        click.echo(f"{solver:40}" + "".join(f"{p:8.1f}" for p in exponents))
    if picture is None:
        time_experiments()
    else:
        draw(rows, picture)


def print_ratios() -> None:
    for measure in (binary_sampler, continuous_sampler):
        name, ratio = measure()
        click.echo(f"{name:80} {ratio:8.0f} × as many paths a second")
    for measure in (exact_vote, exact_ensemble):
        name, ratio = measure()
        click.echo(f"{name:80} {ratio:8.0f} × as fast")


def time_experiments() -> None:
    start = perf_counter()
    for name, experiment in EXPERIMENTS.items():
        begun = perf_counter()
        run_experiment(name, experiment, jobs=2)
        click.echo(f"{name:80} {perf_counter() - begun:8.1f} s")
    click.echo(f"{'all ten experiments, five repeats, two processes':80} {perf_counter() - start:8.1f} s")


if __name__ == "__main__":
    main()
