"""Processes that tests start, and what the tests need to know about them."""

import contextlib
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.server.launch import Launch


def interruptible() -> None:
    """For `preexec_fn`: lets a test stop the child with Ctrl-C (SIGINT) wherever the tests run.

    A child inherits ignored signals, and `nohup make test &` ignores SIGINT; Python then leaves it ignored.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)


# A server with a child process; both write their process ids and ignore SIGTERM.
STUBBORN = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open(sys.argv[1], "w") as file:
    file.write(f"{os.getpid()} {child.pid}")
time.sleep(600)
"""
OBEDIENT = STUBBORN.replace("SIG_IGN", "SIG_DFL")


def python(script: str, *arguments: object) -> Launch:
    return Launch((sys.executable, "-c", script, *map(str, arguments)), {})


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def runs(process: int) -> bool:
    """Whether a process exists and is not a zombie."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def pids_in(file: Path) -> list[int]:
    wait_until(lambda: file.exists() and len(file.read_text().split()) == 2)
    return [int(pid) for pid in file.read_text().split()]


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc on this system")
