"""Two real SGLang servers behind smg: both work, one is killed (kill -9) midway, and nothing is lost."""

import re
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.harness.commands import command
from tests.integration.conftest import Fleet
from tests.integration.planned import assert_exactly, lines, planned, sessions, settings
from tests.processes import wait_until

pytestmark = pytest.mark.server

RUN_SECONDS = 180
LIMIT, SAMPLES, BUDGETS = 12, 24, (20, 60)
PLANNED = planned(LIMIT, SAMPLES, BUDGETS)


def tokens_of(url: str) -> float:
    """The number of tokens a server has generated, by its own count."""
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
        if "harness.server.cpu.start" in child.cmdline() and port in child.cmdline()
    ]
    server.kill()


def test_a_server_that_is_killed_in_the_middle_loses_nothing(
    sglang_fleet: Fleet, sglang_url: str, tmp_path: Path
) -> None:
    killed, kept = sglang_fleet.servers
    assert kept == sglang_url  # the other tests need it
    folder = tmp_path / "run"
    arguments = ["sample", "tiny", "--url", sglang_fleet.url, "--out", folder]
    arguments += settings(LIMIT, SAMPLES, BUDGETS, concurrency=96)
    warm = [tokens_of(worker) for worker in (killed, kept)]

    def shares() -> list[float]:
        return [tokens_of(worker) - before for worker, before in zip((killed, kept), warm, strict=True)]

    def both_work() -> bool:
        """A third is stored and both servers work, however the gateway distributed the first questions."""
        return (
            len(lines(folder / "samples.jsonl")) >= len(PLANNED) // 3
            and min(shares()) > 0.1 * sum(shares()) > 0
        )

    def kill_midway() -> None:
        wait_until(both_work, RUN_SECONDS)
        kill_server(killed, sglang_fleet.pid)
        assert len(lines(folder / "samples.jsonl")) < len(PLANNED)

    with ThreadPoolExecutor(1) as beside:
        killing = beside.submit(kill_midway)
        done = command(*arguments)
    killing.result()
    assert done.exit_code == 0, done.output
    assert re.search(rf"{re.escape(killed)} ended with status -9", sglang_fleet.log.read_text())

    assert_exactly(PLANNED, folder)
    (session,) = sessions(folder)
    assert (session["engine"]["name"], session["answers"]) == ("sglang", len(PLANNED))
    assert session["engine"]["server"]["device"] == "cpu"
