"""Two real SGLang servers behind smg: both work, one is killed (kill -9) midway, and nothing is lost."""

import importlib.util
import json
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.questions.load import load_questions
from harness.server.launch import free_port
from results import read_samples

pytestmark = pytest.mark.integration

START_SECONDS, RUN_SECONDS, STOP_SECONDS = 300, 180, 60
LIMIT, SAMPLES, BUDGETS = 12, 24, ("20", "60")
PLANNED = {
    (question.question_id, budget, sample)
    for question in load_questions("tiny")[:LIMIT]
    for budget in BUDGETS
    for sample in range(SAMPLES)
}


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[tuple[str, list[str], int]]:
    """The gateway's address, its servers', and the process that runs them all; stopped by SIGTERM."""
    for package in ("sglang", "smg"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    import psutil  # comes with SGLang

    port = free_port()
    command = [sys.executable, "-m", "harness", "serve", "tiny", "--workers", "2", "--device", "cpu"]
    command += ["--port", str(port), "--", "--enable-metrics"]
    log = tmp_path / "fleet.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True)
    family: list[psutil.Process] = []
    try:
        deadline = time.monotonic() + START_SECONDS
        while not (ready := re.search(r"^2 servers at (.*), (.*) answer at (.*)$", log.read_text(), re.M)):
            assert process.poll() is None, log.read_text()[-4000:]
            assert time.monotonic() < deadline
            time.sleep(0.5)
        yield ready[3], [ready[1], ready[2]], process.pid
        family = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGTERM)
        process.wait(STOP_SECONDS)
    finally:
        family = family or (
            psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
        )
        _, left = psutil.wait_procs(family, timeout=5)
        left = [member for member in left if member.is_running() and member.status() != psutil.STATUS_ZOMBIE]
        for member in left:
            member.kill()
        if process.poll() is None:
            process.kill()
    assert process.returncode == 128 + signal.SIGTERM, log.read_text()[-4000:]
    assert left == []


def tokens_of(url: str) -> float:
    """The tokens that a server has generated, by its own count."""
    with urllib.request.urlopen(f"{url}/metrics", timeout=30) as reply:
        text = reply.read().decode()
    return sum(float(value) for value in re.findall(r"^sglang:generation_tokens_total\S* (\S+)$", text, re.M))


def kill_server(url: str, parent: int) -> None:
    """kill -9 the process that serves `url`, a child of `parent`."""
    import psutil

    port = url.rsplit(":", 1)[1]
    (server,) = [
        child
        for child in psutil.Process(parent).children()
        if "harness.server.cpu.launch" in child.cmdline() and port in child.cmdline()
    ]
    server.kill()


def stored(folder: Path) -> int:
    path = folder / "samples.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_a_server_that_is_killed_in_the_middle_loses_nothing(
    fleet: tuple[str, list[str], int], tmp_path: Path
) -> None:
    url, workers, parent = fleet
    folder = tmp_path / "run"
    keys = {"limit": LIMIT, "samples": SAMPLES, "chunk": 8, "concurrency": 12, "budgets": ",".join(BUDGETS)}
    command = [sys.executable, "-m", "harness", "sample", "tiny", "--url", url, "--out", str(folder)]
    command += [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
    warm = [tokens_of(worker) for worker in workers]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + RUN_SECONDS
        while stored(folder) < len(PLANNED) // 3:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        shares = [tokens_of(worker) - before for worker, before in zip(workers, warm, strict=True)]
        kill_server(workers[0], parent)
        assert stored(folder) < len(PLANNED)
        _, errors = process.communicate(timeout=RUN_SECONDS)
    assert process.returncode == 0, errors
    assert min(shares) > 0.1 * sum(shares) > 0  # both worked

    gone = f"the server at {workers[0]} ended with status -9: 1 left"
    assert gone in (tmp_path / "fleet.log").read_text().splitlines()

    rows = read_samples(folder)
    found = list(zip(rows["question_id"], rows["setting"], rows["sample"], strict=True))
    assert len(found) == len(PLANNED)
    assert set(found) == PLANNED
    (session,) = json.loads((folder / "run.json").read_text())["sessions"]
    assert (session["engine"]["name"], session["answers"]) == ("sglang", len(PLANNED))
