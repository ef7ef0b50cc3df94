"""The commands of `python -m harness`, run in this process, which saves their imports."""

import sys

import pytest
from click.testing import CliRunner, Result

from harness.cli import cli
from results import run


def command(*arguments: object) -> Result:
    """What a command prints, and its exit status."""
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def imported(*arguments: object) -> Result:
    """`command` of `harness import`."""
    return command("import", *arguments)


def exit_status(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    """The exit status of a command as a user starts it, errors told as one line."""
    monkeypatch.setattr(sys, "argv", ["python -m harness", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        run(cli, "python -m harness")
    assert isinstance(ended.value.code, int)
    return ended.value.code
