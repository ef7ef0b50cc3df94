"""The commands of `python -m harness`."""

import click

from harness.cli.drawing import force, sample
from harness.cli.gpu_check import gpu_check
from harness.cli.import_samples import import_samples
from harness.cli.judge import judge
from harness.cli.questions import questions
from harness.cli.serve import gateway, serve
from harness.cli.stored import export, inspect, regrade


@click.group(epilog="Example: tts sample tiny --out runs/tiny")
def cli() -> None:
    """Sample a language model: load questions, serve a model, sample and grade its answers."""


for command in (
    questions,
    sample,
    force,
    judge,
    inspect,
    regrade,
    serve,
    gateway,
    gpu_check,
    import_samples,
    export,
):
    cli.add_command(command)

__all__ = ["cli"]
