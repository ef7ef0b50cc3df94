"""`python -m results …` in this process."""

import sys

import pytest

from results import run
from results.cli import cli


def results(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    """The exit code of the command with these arguments."""
    monkeypatch.setattr(sys, "argv", ["results", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        run(cli, "python -m results")
    assert isinstance(stop.value.code, int)
    return stop.value.code
