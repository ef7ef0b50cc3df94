"""`tts …` in this process."""

import pytest

from results.cli import cli
from tests.commands import exit_status


def results(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    """The exit status of the command with these arguments."""
    return exit_status(monkeypatch, cli, "results", *arguments)
