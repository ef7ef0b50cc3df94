"""The commands of `python -m results`.

$ tts curves runs/gsm8k --out curves.csv
runs/gsm8k: 422080 answers -> curves.csv: 792 rows
"""

import click

from results.cli.compare import compare_command
from results.cli.curves import curves_command
from results.cli.report import report_command
from results.cli.stop import stop_command

__all__ = ["cli"]


@click.group()
def cli() -> None:
    """Turn samples into curves, compare runs, replay stopping rules, and turn tables into a report."""


cli.add_command(curves_command)
cli.add_command(compare_command)
cli.add_command(report_command)
cli.add_command(stop_command)
