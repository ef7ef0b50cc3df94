"""Runs that are killed (kill -9) at random moments end up with exactly the planned answers."""

import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.questions.load import load_questions
from results import read_samples
from tests.integration.forked_runs import forked

pytestmark = pytest.mark.integration

BUDGETS = ("20", "60")
DEADLINE = 120.0
KILLS = 20


def arguments(folder: Path, limit: int, samples: int, *more: str, **keys: Any) -> list[str]:
    keys = {"limit": limit, "samples": samples, "budgets": ",".join(BUDGETS), **keys}
    sets = [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
    return ["sample", "tiny", *sets, *more, "--out", str(folder)]


def lines(folder: Path) -> list[bytes]:
    """The whole lines on disk."""
    path = folder / "samples.jsonl"
    return path.read_bytes().split(b"\n")[:-1] if path.exists() else []


def assert_exactly_planned(folder: Path, limit: int, samples: int) -> None:
    planned = {
        (question.question_id, budget, sample)
        for question in load_questions("tiny")[:limit]
        for budget in BUDGETS
        for sample in range(samples)
    }
    rows = [json.loads(line) for line in (folder / "samples.jsonl").read_bytes().splitlines()]
    keys = [(row["question_id"], row["setting"], row["sample"]) for row in rows]
    assert len(keys) == len(planned)
    assert set(keys) == planned
    assert len(read_samples(folder)) == len(planned)


def sessions(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "run.json").read_text())["sessions"]
    return found


def test_twenty_kills_at_random_moments(tmp_path: Path) -> None:
    """Half of them after some time, on the way to the first answer too; half after some further answers."""
    folder, errors, rng = tmp_path / "run", tmp_path / "errors.txt", random.Random(20)
    limit, samples = 20, 64
    command = arguments(folder, limit, samples, chunk=8, concurrency=4)
    start_up = 5.0
    seen: Sequence[bytes] = []
    for kill in range(KILLS):
        begun = time.monotonic()
        process = forked(command, errors)
        after = rng.uniform(0, 1.5 * start_up) if kill % 2 else DEADLINE
        further = rng.randint(1, 60)
        while time.monotonic() < begun + after and len(lines(folder)) < len(seen) + further:
            assert process.is_alive(), errors.read_text()
            time.sleep(0.005)
        if not kill % 2:
            start_up = time.monotonic() - begun
        process.kill()
        process.join()
        now = lines(folder)
        assert now[: len(seen)] == seen  # nothing that was stored is lost or changed
        seen = now
    assert 0 < len(seen) < limit * len(BUDGETS) * samples
    # As if the last write had been cut short, too.
    with (folder / "samples.jsonl").open("ab") as file:
        file.write(b'{"question_id": "tiny-0000", "sett')

    process = forked(arguments(folder, limit, samples, chunk=64), errors)
    process.join(DEADLINE)
    assert process.exitcode == 0, errors.read_text()
    assert_exactly_planned(folder, limit, samples)
    assert lines(folder)[: len(seen)] == seen
    assert 10 <= len(sessions(folder)) <= KILLS + 1
    assert [session["ended"] is None for session in sessions(folder)][-2:] == [True, False]


def test_kills_while_a_server_answers(sglang_url: str, tmp_path: Path) -> None:
    folder, errors, rng = tmp_path / "run", tmp_path / "errors.txt", random.Random(2)
    limit, samples = 5, 24
    command = arguments(folder, limit, samples, "--url", sglang_url, chunk=8, concurrency=4)
    for _ in range(2):
        rows = len(lines(folder)) + rng.randint(1, 80)
        deadline = time.monotonic() + DEADLINE
        process = forked(command, errors)
        while len(lines(folder)) < rows and process.is_alive():
            assert time.monotonic() < deadline
            time.sleep(0.005)
        process.kill()
        process.join()
    assert 2 <= len(lines(folder)) < limit * len(BUDGETS) * samples

    process = forked(command, errors)
    process.join(DEADLINE)
    assert process.exitcode == 0, errors.read_text()
    assert_exactly_planned(folder, limit, samples)
    assert [session["ended"] is None for session in sessions(folder)] == [True, True, False]
    assert {session["engine"]["name"] for session in sessions(folder)} == {"sglang"}
    assert sessions(folder)[0]["engine"]["server"]["device"] == "cpu"
