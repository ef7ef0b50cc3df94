"""tts export: a run's answers and scores, as others can publish and read them."""

from pathlib import Path

import click

from results.command_help import Command


@click.command(cls=Command, epilog="Example: tts export runs/tiny --out tiny-answers")
@click.argument("samples", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="A new folder.")
@click.option("--organization", default="unknown", show_default=True, help="Who sampled the answers.")
def export(samples: Path, out: Path, organization: str) -> None:
    """Write a run as a data set for the hub and Every Eval Ever.

    SAMPLES is a run's folder or a samples table. OUT gets the data set's card (README.md), samples.parquet,
    and in data/ the scores of votes and best-of-N with a record of each answer.
    """
    from harness.exports.publish import publish

    click.echo(f"{publish(samples, out, organization)} answers -> {out}: README.md, samples.parquet, data")
