"""The commands of `python -m harness`, run in this process to save the imports."""

from click.testing import CliRunner, Result

from harness.cli import cli
from tests import commands


def command(*arguments: object) -> Result:
    """The output and exit status of a command."""
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def imported(*arguments: object) -> Result:
    """The result of `harness import`, as from `command`."""
    return command("import", *arguments)


def exit_status(*arguments: object) -> int:
    """The exit status of `tts …`."""
    return commands.exit_status(cli, "harness", *arguments)
