"""Commands of the theory twin.

$ python -m synthetic run fig2f --out results/runs/twin
fig2f: 315 rows of 200 tasks, exact, 0.9 s -> results/runs/twin/fig2f.csv
"""

from pathlib import Path
from time import perf_counter
from typing import cast

import click

from synthetic.settings import Solver


@click.group()
def cli() -> None:
    """The paper's transformer on in-context regression: exact curves, sampled paths, and checked claims."""


@cli.command("list", epilog="Example: python -m synthetic list")
def list_() -> None:
    """Name every experiment with its settings."""
    from synthetic.experiments import EXPERIMENTS

    for name, experiment in EXPERIMENTS.items():
        click.echo(f"{name:16} {experiment.title}")
        for variant in experiment.variants:
            click.echo(f"{'':16}   {variant.setting}")


@cli.command(epilog="Example: python -m synthetic run fig1-binary --out results/runs/twin")
@click.argument("name")
@click.option(
    "--solver",
    type=click.Choice(["exact", "monte-carlo", "transformer"]),
    default="exact",
    show_default=True,
    help="exact: no sampling where a formula exists; monte-carlo: many paths at once; transformer: the "
    "paper's loop word for word, slow.",
)
@click.option("--repeats", default=5, show_default=True, help="Repeats of the experiment.")
@click.option("--tasks", default=None, type=int, help="Tasks in a repeat.  [default: the experiment's own]")
@click.option(
    "--paths", default=None, type=int, help="Sampled paths of a task.  [default: 256; transformer: 16]"
)
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Seed of all randomness."
)
@click.option("--jobs", default=1, show_default=True, help="Processes to use.")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder to write to."
)
def run(
    name: str,
    solver: str,
    repeats: int,
    tasks: int | None,
    paths: int | None,
    seed: int,
    jobs: int,
    out: Path,
) -> None:
    """Run experiment NAME (or `all`) and write OUT/NAME.csv, a curves table.

    A sampling solver also writes OUT/NAME.samples.parquet, the samples table its curves were counted from.
    """
    from results import write_curves, write_samples
    from synthetic.experiments import find_experiments
    from synthetic.running import run_experiment

    for key, experiment in find_experiments(name).items():
        start = perf_counter()
        outcome = run_experiment(
            key, experiment, cast(Solver, solver), repeats, seed, tasks, paths, jobs, progress=True
        )
        for note in outcome.notes:
            click.echo(f"note: {note}", err=True)
        target = out / f"{key}.csv"
        write_curves(outcome.curves, target)
        if outcome.samples is not None:
            write_samples(outcome.samples, out / f"{key}.samples.parquet")
        count = int(outcome.curves["questions"].max())
        seconds = perf_counter() - start
        click.echo(
            f"{key}: {len(outcome.curves)} rows of {count} tasks, {solver}, {seconds:.1f} s -> {target}"
        )
