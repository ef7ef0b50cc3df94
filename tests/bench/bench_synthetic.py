"""How fast the theory twin is, as ratios that mean the same on any machine.

$ python tests/bench/bench_synthetic.py
sampler / literal transformer, binary (fig1-binary, t=50)         312 × as many paths a second
"""

from collections.abc import Callable
from time import perf_counter

import click
import numpy as np

from synthetic.binary import exact_accuracy, transformer_supports
from synthetic.continuous import transformer_paths
from synthetic.experiments import EXPERIMENTS
from synthetic.moments import path_moments, spectrum
from synthetic.noisy import sample_paths
from synthetic.running import run_experiment
from synthetic.sampler import sample_supports
from synthetic.settings import BinarySetting, ContinuousSetting
from synthetic.tasks import draw_tasks, task_keys


def seconds(job: Callable[[], object], times: int = 3) -> float:
    """The least of several timings, after one run that compiles and warms up."""
    job()
    taken = []
    for _ in range(times):
        start = perf_counter()
        job()
        taken.append(perf_counter() - start)
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
    view = spectrum(tasks, setting)
    fast = seconds(lambda: sample_paths(tasks, view, setting, 200, (950,))) / 200
    slow = seconds(lambda: transformer_paths(tasks, setting, 1, (950,)), times=1)
    return "sampler / literal transformer, continuous (linear noise, t=950)", slow / fast


def exact_vote() -> tuple[str, float]:
    """Time to know a vote of 64 paths at t=50 to a Monte-Carlo standard error of 0.001, against exactly.

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
    """Time to know the risk of one path at t=950 to a relative standard error of 0.001, against exactly."""
    setting = EXPERIMENTS["fig1-continuous"].variants[1].setting
    assert isinstance(setting, ContinuousSetting)
    tasks = draw_tasks(setting, task_keys(1, 2), seed=0)
    view = spectrum(tasks, setting)
    exact = seconds(lambda: path_moments(view, setting, (950,)))
    errors = sample_paths(tasks, view, setting, 200, (950,)).errors
    paths = float(np.mean(errors.var(axis=2) / errors.mean(axis=2) ** 2)) / 0.001**2
    sampled = seconds(lambda: sample_paths(tasks, view, setting, 100, (950,))) / 100 * paths
    return "exact / sampled ensemble risk at a relative standard error of 0.001 (t=950)", sampled / exact


@click.command()
def main() -> None:
    """Print each ratio, and the time of all ten experiments with five repeats on two processes."""
    for measure in (binary_sampler, continuous_sampler):
        name, ratio = measure()
        click.echo(f"{name:80} {ratio:8.0f} × as many paths a second")
    for measure in (exact_vote, exact_ensemble):
        name, ratio = measure()
        click.echo(f"{name:80} {ratio:8.0f} × as fast")
    start = perf_counter()
    for name, experiment in EXPERIMENTS.items():
        begun = perf_counter()
        run_experiment(name, experiment, jobs=2)
        click.echo(f"{name:80} {perf_counter() - begun:8.1f} s")
    click.echo(f"{'all ten experiments, five repeats, two processes':80} {perf_counter() - start:8.1f} s")


if __name__ == "__main__":
    main()
