"""A simulated machine with as many GPUs as a test wants."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

import harness.server.gpus
import harness.server.launch
import harness.server.toolkit
from harness.server.launch import Launch


@pytest.fixture
def gpus(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Mock SGLang and a PyTorch that sees a given number of GPUs; neither need be installed."""
    monkeypatch.setattr(harness.server.launch.importlib.util, "find_spec", lambda _name: True)
    monkeypatch.setattr(harness.server.toolkit, "toolkit", lambda: Path("/cuda"))
    monkeypatch.setattr(harness.server.launch.shutil, "which", lambda name, path: f"{path}/{name}")

    def play(count: int) -> None:
        cuda = SimpleNamespace(is_available=lambda: count > 0, device_count=lambda: count)
        monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda, __version__="2.13.0"))

    return play


def flags(command: Launch) -> dict[str, str]:
    """Each flag with the word after it; of repeated flags the last, as SGLang parses them."""
    words = command.command
    return {word: after for word, after in zip(words, [*words[1:], ""], strict=True) if word.startswith("--")}


SERVE = """
import sys
import harness.server.launch as module
from tests.processes import python
from harness.cli import cli
from results import run
script, sys.argv = sys.argv[1], ["harness", "serve", *sys.argv[2:]]
module.launch = lambda model, *, port, **_: python(script, port, model)
run(cli, "python -m harness")
"""
"""`tts serve` with a script in place of SGLang, called with the port and the model."""
