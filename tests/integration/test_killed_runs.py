"""Runs that are killed (kill -9) at any stage, or stopped, end up with exactly the planned answers."""

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from results import read_curves
from tests.harness.commands import command as harness_command
from tests.integration.forked_runs import DEADLINE, FORKED, ended_at, finished, forked
from tests.integration.planned import assert_exactly, lines, planned, sessions, settings

pytestmark = [pytest.mark.integration, FORKED]

BUDGETS = (20, 60)


def arguments(folder: Path, limit: int, samples: int, *more: str, **keys: Any) -> list[str]:
    return ["sample", "tiny", *settings(limit, samples, BUDGETS, **keys), *more, "--out", str(folder)]


def test_kills_at_every_stage_of_a_run(tmp_path: Path) -> None:
    """Before the folder is touched, with run.json alone, after the first answers, in between, near the end.

    After each kill the last row is truncated as well, as if it had been half written.
    """
    folder, errors, rng = tmp_path / "run", tmp_path / "errors.txt", random.Random(20)
    limit, samples, stored = 6, 16, folder / "samples.jsonl"
    count = limit * len(BUDGETS) * samples
    command = arguments(folder, limit, samples, concurrency=4)
    stages: list[Callable[[], bool]] = [
        folder.exists,
        (folder / "run.json").exists,
        *(lambda rows=rows: len(lines(stored)) >= rows for rows in (1, count // 2, count - 20)),
    ]
    kept: list[bytes] = []
    for reached in stages:
        ended_at(reached, command, errors)
        now = lines(stored)
        assert now[: len(kept)] == kept  # nothing stored is lost or changed
        if now:
            stored.write_bytes(stored.read_bytes()[: -rng.randint(2, len(now[-1]))])
        kept = now[:-1]
    assert count - 20 <= len(now) < count

    finished(arguments(folder, limit, samples), errors)
    assert_exactly(planned(limit, samples, BUDGETS), folder)
    assert lines(stored)[: len(kept)] == kept
    # A run killed before run.json is written leaves no session.
    assert [session["ended"] is None for session in sessions(folder)[-5:]] == [*[True] * 4, False]
    counted = sum(session["answers"] for session in sessions(folder))
    assert count <= counted <= count + len(stages)  # truncated rows may have been counted


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_the_same_command_again(tmp_path: Path, sent: signal.Signals) -> None:
    """SIGTERM comes twice if sent to make and its whole process group, since make passes it on."""
    folder, errors = tmp_path / "run", tmp_path / "errors.txt"
    stored = folder / "samples.jsonl"
    command = arguments(folder, 4, 16, "--curves", str(folder / "curves.csv"), concurrency=4)
    process = forked(command, errors)
    while not lines(stored):
        assert process.is_alive(), errors.read_text()
        time.sleep(0.005)
    assert process.pid
    os.kill(process.pid, sent)
    if sent == signal.SIGTERM:
        while "error: stopped" not in errors.read_text():
            os.kill(process.pid, sent)
            time.sleep(0.005)
        os.kill(process.pid, sent)
    process.join(DEADLINE)
    (told,) = [line for line in errors.read_text().splitlines() if line.startswith("error: ")]
    assert (process.exitcode, "stopped" in told, "same command" in told) == (130, True, True)
    assert "Traceback" not in errors.read_text()
    before = lines(stored)
    assert 0 < sessions(folder)[0]["answers"] == len(before) < 128
    assert read_curves(folder / "curves.csv")["N"].max() <= 16

    done = harness_command(*command)
    assert done.exit_code == 0, done.output
    counts = [line.split()[:4] for line in done.stdout.splitlines()[1:3]]
    assert counts == [["20", "tokens", "4", "64"], ["60", "tokens", "4", "64"]]
    assert lines(stored)[: len(before)] == before
    assert len(lines(stored)) == 128
