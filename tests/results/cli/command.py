"""`tts …` in this process."""

from results.cli import cli
from tests.commands import exit_status


def results(*arguments: object) -> int:
    """The exit status of the command with these arguments."""
    return exit_status(cli, "results", *arguments)
