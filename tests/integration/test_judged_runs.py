"""Judging that is killed (kill -9) or stopped at any stage ends with one score for each answer."""

import os
import signal
from pathlib import Path

import pytest

from tests.harness.judge.judging import CHANCES, MODEL, Server, folder_of, rows_of
from tests.integration.forked_runs import FORKED, forked
from tests.processes import wait_until

pytestmark = [pytest.mark.integration, FORKED]

QUESTIONS = [f"q{number}" for number in range(20)]
WORDS = list(CHANCES)


def lines(folder: Path) -> list[bytes]:
    path = folder / "scores" / "judge.jsonl"
    return path.read_bytes().split(b"\n")[:-1] if path.exists() else []


def test_kills_and_stops_at_every_stage(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run", dict.fromkeys(QUESTIONS, WORDS), dict.fromkeys(QUESTIONS, "18"))
    errors, planned = tmp_path / "errors.txt", len(QUESTIONS) * len(WORDS)
    with Server(delay=0.02) as server:
        command = ["judge", str(folder), "--engine", "openai", "--model", MODEL, "--url", server.url]
        command += ["--set", "concurrency=2"]
        for signal_number, status, stage in (
            (signal.SIGKILL, -signal.SIGKILL, 1),
            (signal.SIGINT, 130, 15),
            (signal.SIGKILL, -signal.SIGKILL, 25),
            (signal.SIGTERM, 130, 40),
        ):
            before = lines(folder)
            process = forked(command, errors)
            wait_until(lambda stage=stage: len(lines(folder)) >= stage)  # type: ignore[misc]
            assert process.pid is not None
            os.kill(process.pid, signal_number)
            process.join(60)
            assert process.exitcode == status, errors.read_text()
            assert lines(folder)[: len(before)] == before
            if status == 130:  # a killed command leaves the samples as they were
                scored = [row for row in rows_of(folder) if row["score_judge"] is not None]
                assert len(scored) == len(lines(folder))
        process = forked(command, errors)
        process.join(60)
        assert process.exitcode == 0, errors.read_text()
        # What was under way when it ended is asked twice, and nothing else.
        assert len(lines(folder)) == planned
        assert planned <= len(server.asked) <= planned + 4 * 2
    rows = rows_of(folder)
    assert [round(row["score_judge"], 12) for row in rows] == [CHANCES[row["answer"]] for row in rows]
