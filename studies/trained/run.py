"""The transformers that this study trains, and what they learned: three tables and a picture.

$ python -m studies.trained.run --jobs 2 --out runs/trained
"""

from pathlib import Path
from time import perf_counter

import click

from results import run
from results.cli.options import out_option
from results.command_help import Command
from synthetic.cli import JOBS_OPTION, SEED_OPTION


@click.command(cls=Command, epilog="Example: python -m studies.trained.run --jobs 2 --out trained")
@SEED_OPTION
@JOBS_OPTION
@out_option("Folder to write to.", folder=True)
def train(out: Path, seed: int, jobs: int) -> None:
    """Train transformers by the paper's loop.

    Compares them with the one that the paper builds by hand. Writes weights.npz, trained.csv (a curves
    table), learned.csv (the gradient steps learned), trained.png, .svg and .pdf to the folder OUT. Takes
    minutes; needs PyTorch.
    """
    from studies.trained.course import take_course

    start = perf_counter()
    for title, table in take_course(out, seed, jobs).items():
        click.echo(f"{title}\n{table}\n")
    click.echo(f"{perf_counter() - start:.0f} s -> {out}")


if __name__ == "__main__":
    run(train, "python -m studies.trained.run")
