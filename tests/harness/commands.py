"""The commands of `python -m harness`, run in this process, which saves their imports."""

from click.testing import CliRunner, Result

from harness.cli import cli
from tests import commands


def command(*arguments: object) -> Result:
    """What a command prints, and its exit status."""
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def imported(*arguments: object) -> Result:
    """`command` of `harness import`."""
    return command("import", *arguments)


def exit_status(*arguments: object) -> int:
    """The exit status of `tts …`."""
    return commands.exit_status(cli, "harness", *arguments)
