"""A run that is killed (kill -9) at random moments ends up with exactly the planned answers."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.questions import load_questions
from results import read_samples

pytestmark = pytest.mark.integration

BUDGETS = ("20", "60")
LIMIT, SAMPLES, CHUNK = 5, 24, 8
PLANNED = {
    (question.question_id, budget, sample)
    for question in load_questions("tiny")[:LIMIT]
    for budget in BUDGETS
    for sample in range(SAMPLES)
}
DEADLINE = 120.0


def start(folder: Path, *more: str) -> "subprocess.Popen[str]":
    keys = {
        "limit": LIMIT,
        "samples": SAMPLES,
        "chunk": CHUNK,
        "concurrency": 4,
        "budgets": ",".join(BUDGETS),
    }
    sets = [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
    command = [sys.executable, "-m", "harness", "sample", "tiny", *sets, *more, "--out", str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def stored(folder: Path) -> int:
    """Whole lines on disk."""
    path = folder / "samples.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def kill_after(folder: Path, rows: int, *more: str) -> None:
    """Start or continue a run and kill it as soon as it has stored `rows` further answers."""
    rows += stored(folder)
    deadline = time.monotonic() + DEADLINE
    with start(folder, *more) as process:
        while stored(folder) < rows and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        process.kill()
        process.communicate()


@pytest.mark.parametrize("engine", ["transformers", "sglang"])
def test_killed_runs_end_with_exactly_the_planned_answers(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    options = ["--set", f"engine={engine}"]
    if engine == "sglang":
        options += ["--url", request.getfixturevalue("sglang_url")]
    rng = random.Random(engine)
    for _ in range(2):
        kill_after(tmp_path, rng.randint(1, len(PLANNED) // 3), *options)
    assert 2 <= stored(tmp_path) < len(PLANNED)
    # As if the last write had been cut short, too.
    with (tmp_path / "samples.jsonl").open("ab") as file:
        file.write(b'{"question_id": "tiny-0000", "sett')

    with start(tmp_path, *options) as process:
        table, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0, errors
    rows = read_samples(tmp_path)
    found = list(zip(rows["question_id"], rows["setting"], rows["sample"], strict=True))
    assert len(found) == len(PLANNED)
    assert set(found) == PLANNED
    assert len(table.splitlines()) == 1 + len(BUDGETS)

    sessions = json.loads((tmp_path / "run.json").read_text())["sessions"]
    assert [session["ended"] is None for session in sessions] == [True, True, False]
    assert {session["engine"]["name"] for session in sessions} == {engine}
    if engine == "sglang":
        assert sessions[0]["engine"]["server"]["device"] == "cpu"
