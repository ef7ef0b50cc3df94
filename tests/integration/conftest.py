"""Two real SGLang servers behind a gateway for all tests: on this machine's CPU, with the tiny model."""

import importlib.util
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.server.launch import end_with_parent, free_ports
from tests.processes import interruptible

START_SECONDS, STOP_SECONDS = 300, 60


@dataclass(frozen=True)
class Fleet:
    """The servers that `tts serve tiny --workers 2` runs, and the id of its process."""

    url: str
    servers: tuple[str, str]
    pid: int
    log: Path


@pytest.fixture(scope="session")
def sglang_fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """The fleet, stopped by Ctrl-C at the end. No test may kill its second server."""
    for package in ("sglang", "smg"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    import psutil

    log = tmp_path_factory.mktemp("fleet") / "log"
    command = [sys.executable, "-m", "harness", "serve", "tiny", "--workers", "2", "--device", "cpu"]
    command += ["--port", str(free_ports()[0]), "--", "--enable-metrics"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=output, start_new_session=True, preexec_fn=_prepare
        )
    family: list[psutil.Process] = []
    left: list[psutil.Process] = []
    try:
        deadline = time.monotonic() + START_SECONDS
        said = re.compile(r"^fleet: 2 servers at (.*), (.*) answer at (.*)$", re.MULTILINE)
        while not (ready := said.search(log.read_text())):
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"the servers were not ready: {log.read_text()[-4000:]}")
            time.sleep(0.5)
        yield Fleet(ready[3], (ready[1], ready[2]), process.pid, log)
    finally:
        if process.poll() is None:
            family = psutil.Process(process.pid).children(recursive=True)
            process.send_signal(signal.SIGINT)
        try:
            status = process.wait(STOP_SECONDS)
        finally:
            _, there = psutil.wait_procs(family, timeout=5)
            # A zombie has ended but has not been reaped by init yet.
            left = [member for member in there if member.is_running() and member.status() != "zombie"]
            for member in (*left, process):
                member.kill()
    assert status == 130, log.read_text()[-2000:]
    assert left == []


@pytest.fixture(scope="session")
def sglang_url(sglang_fleet: Fleet) -> str:
    """The address of a real SGLang server."""
    return sglang_fleet.servers[1]


def _prepare() -> None:
    interruptible()
    if sys.platform == "linux":
        end_with_parent()  # pytest may be killed
