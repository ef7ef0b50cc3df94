"""The commands of `python -m predict`."""

from predict.cli.commands import main as main
