"""Judging that is killed (kill -9) or stopped at any stage ends with one score for each answer."""

import signal
from pathlib import Path

import pytest

from tests.harness.judge.judging import CHANCES, MODEL, Server, folder_of, rows_of
from tests.integration.forked_runs import FORKED, ended_at, finished
from tests.integration.planned import lines

pytestmark = [pytest.mark.integration, FORKED]

QUESTIONS = [f"q{number}" for number in range(20)]
WORDS = list(CHANCES)


def test_kills_and_stops_at_every_stage(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "run", dict.fromkeys(QUESTIONS, WORDS), dict.fromkeys(QUESTIONS, "18"))
    errors, planned = tmp_path / "errors.txt", len(QUESTIONS) * len(WORDS)
    scores = folder / "scores" / "judge.jsonl"
    with Server(delay=0.02) as server:
        command = ["judge", str(folder), "--engine", "openai", "--model", MODEL, "--url", server.url]
        command += ["--set", "concurrency=2"]
        for sent, status, stage in (
            (signal.SIGKILL, -signal.SIGKILL, 1),
            (signal.SIGINT, 130, 15),
            (signal.SIGKILL, -signal.SIGKILL, 25),
            (signal.SIGTERM, 130, 40),
        ):
            before = lines(scores)
            ended = ended_at(lambda stage=stage: len(lines(scores)) >= stage, command, errors, sent)  # type: ignore[misc]
            assert ended == status, errors.read_text()
            assert lines(scores)[: len(before)] == before
            if status == 130:  # a killed command leaves the samples as they were
                scored = [row for row in rows_of(folder) if row["score_judge"] is not None]
                assert len(scored) == len(lines(scores))
        finished(command, errors)
        # Only requests in flight when it ended are sent twice.
        assert len(lines(scores)) == planned
        assert planned <= len(server.asked) <= planned + 4 * 2
    rows = rows_of(folder)
    assert [round(row["score_judge"], 12) for row in rows] == [CHANCES[row["answer"]] for row in rows]
