"""`python -m harness` in separate processes without the imports, which saves a second per start.

    command, errors = ["sample", "tiny", "--out", "run"], Path("errors.txt")
    ended_at(lambda: Path("run").exists(), command, errors)      # killed once its folder is there
    finished(command, errors)

They are forks of one process that has imported everything, including this module, and done nothing else.
"""

import multiprocessing
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from harness.cli import cli
from harness.engines.ctranslate2.in_process import CTranslate2Engine  # noqa: F401
from results import run

FORKED = pytest.mark.xdist_group("forked_runs")
"""One worker of pytest runs all tests that fork, so that the imports happen once."""
DEADLINE = 120.0


def forked(arguments: list[str], errors: Path, largest_file: int | None = None) -> BaseProcess:
    """Start the command, with its output going to the file `errors`.

    With `largest_file` it can write no file larger than that many bytes, as if the disk were full.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    process = context.Process(target=_run, args=(arguments, errors, largest_file))
    process.start()
    return process


def ended_at(
    reached: Callable[[], bool], arguments: list[str], errors: Path, sent: signal.Signals = signal.SIGKILL
) -> int | None:
    """The exit status of the command, which is sent a signal once `reached` holds."""
    process = forked(arguments, errors)
    while not reached():
        assert process.is_alive(), errors.read_text()
        time.sleep(0.002)
    assert process.pid
    os.kill(process.pid, sent)
    process.join(DEADLINE)
    return process.exitcode


def finished(arguments: list[str], errors: Path) -> None:
    """Run the command to its end, which must be a success."""
    process = forked(arguments, errors)
    process.join(DEADLINE)
    assert process.exitcode == 0, errors.read_text()


def _run(arguments: list[str], errors: Path, largest_file: int | None) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # Python's default unless SIGINT is ignored
    file = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 1)
    os.dup2(file, 2)
    if largest_file is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
    sys.argv = ["harness", *arguments]
    run(cli, "python -m harness")
