"""Commands as a user starts them, but run in this process to save the imports."""

import sys
from unittest.mock import patch

import click
import pytest

from results import run


def exit_status(cli: click.Command, package: str, *arguments: object) -> int:
    """The exit status of `python -m PACKAGE …`, with errors reported in one line."""
    words = [f"python -m {package}", *map(str, arguments)]
    with patch.object(sys, "argv", words), pytest.raises(SystemExit) as ended:
        run(cli, f"python -m {package}")
    assert isinstance(ended.value.code, int)
    return ended.value.code
