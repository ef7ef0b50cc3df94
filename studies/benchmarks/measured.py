"""A server for a benchmark, and what a command costs."""

import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import click

from harness.experiment import model_location
from harness.server.launch import Server, free_ports, launch
from harness.server.worker import wait_until_ready

ROOT = Path(__file__).resolve().parents[2]


class Cost(NamedTuple):
    """Wall and processor seconds, and the peak memory in MB."""

    wall: float
    processor: float
    memory: float


def cost_of(*words: object) -> Cost:
    """The cost of `python -m WORDS`. Raises ClickException with the end of its output if it fails."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as log:
        command = [sys.executable, "-m", *map(str, words)]
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            log.seek(0)
            raise click.ClickException(log.read()[-2000:].decode(errors="replace"))
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


@contextmanager
def sglang_server(*extra: str) -> Iterator[tuple[str, int]]:
    """A server of the tiny model on this machine's CPU, with `extra` arguments: its URL and process id."""
    (port,) = free_ports()
    url = f"http://127.0.0.1:{port}"
    command = launch(model_location("tiny"), port=port, device="cpu", extra=extra)
    with tempfile.TemporaryFile() as log, Server(command, log) as server:
        wait_until_ready(url, "/health", server, "SGLang")
        yield url, server.pid


def flush_cache(url: str) -> None:
    """Empty a server's cache of prompts."""
    urllib.request.urlopen(urllib.request.Request(f"{url}/flush_cache", method="POST")).close()
