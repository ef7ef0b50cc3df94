"""Runs with a stop rule: killed (kill -9) at any stage, saving as replayed, and so on the real server."""

import json
import time
from pathlib import Path

import pytest

from results import read_samples
from results.stopping import RULES, ahead, arena, named, seen_of, settled
from tests.harness.commands import command as harness_command
from tests.integration.forked_runs import FORKED, forked
from tests.integration.planned import rows, settings

pytestmark = pytest.mark.integration

DEADLINE = 120.0


def votes(folder: Path) -> dict[str, list[str | None]]:
    """The answers to each question by index, without a gap."""
    found: dict[str, dict[int, str | None]] = {}
    for row in rows(folder):
        found.setdefault(row["question_id"], {})[row["sample"]] = row["answer"]
    for indices in found.values():
        assert sorted(indices) == list(range(len(indices)))
    return {question: [indices[i] for i in range(len(indices))] for question, indices in found.items()}


def assert_ended_by(text: str, most: int, folder: Path) -> None:
    """Every vote ends where the rule, asked for in exact blocks, ends it."""
    rule, threshold = named(text)
    for answers in votes(folder).values():
        asked = 0
        while asked < most and not (asked and settled(rule, threshold, seen_of(answers[:asked], most))[0]):
            asked += int(ahead(rule, threshold, seen_of(answers[:asked], most))[0])
        assert asked == len(answers)


@FORKED
def test_a_stopped_run_survives_kills(tmp_path: Path) -> None:
    folder, errors = tmp_path / "run", tmp_path / "errors.txt"
    keys = settings(8, 24, (20,), concurrency=3, stop_rule="lead:4")
    arguments = ["sample", "tiny", *keys, "--out", str(folder)]
    stored = 0
    for reached in (1, 12, 30):
        process = forked(arguments, errors)
        while stored < reached:
            assert process.is_alive(), errors.read_text()
            time.sleep(0.002)
            path = folder / "samples.jsonl"
            stored = path.read_bytes().count(b"\n") if path.exists() else 0
        process.kill()
        process.join()
        content = (folder / "samples.jsonl").read_bytes()
        (folder / "samples.jsonl").write_bytes(content[:-7])
    process = forked(arguments, errors)
    process.join(DEADLINE)
    assert process.exitcode == 0, errors.read_text()
    assert len(votes(folder)) == 8
    assert_ended_by("lead:4", 24, folder)


@pytest.mark.release  # exactly, on played answers: tests/harness/run/test_blocks.py
def test_a_run_saves_the_answers_and_tokens_that_the_arena_says(tmp_path: Path) -> None:
    """120 questions × 20 answers at most, all of them and with lead:3, drawn by themselves.

    The share of a question varies by 0.2 at most from one run to the next, and so the difference of two means
    of 120 by 0.026: the tolerance is three times that. Asked for 16 at a time it would be 0.4 more.
    """
    keys = settings(120, 20, (40,))
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    for folder, more in ((whole, []), (stopped, ["--set", "stop_rule=lead:3"])):
        done = harness_command("sample", "tiny", *keys, *more, "--out", str(folder))
        assert done.exit_code == 0, done.output
    table = arena(read_samples(whole, texts=False), {RULES["lead"]: [3.0]}, n_max=20)
    (expected,) = table[(table["rule"] == "lead") & (table["batch"] == "exact")].to_dict("records")
    (saved,) = json.loads((stopped / "run.json").read_text())["summary"]["stopping"]["settings"]
    assert saved["votes"] == 120
    assert saved["answers"] / saved["answers_of_all"] == pytest.approx(expected["answers"] / 20, abs=0.08)
    assert saved["tokens_share"] == pytest.approx(expected["share"], abs=0.08)
    assert saved["right"] == pytest.approx(expected["accuracy"], abs=0.1)
    done = harness_command("force", str(stopped), "--at", "10", "--out", str(tmp_path / "forced"))
    assert done.exit_code == 0, done.output
    assert {row["stop_rule"] for row in rows(tmp_path / "forced")} == {"lead:3"}


@pytest.mark.server
def test_on_a_real_server_a_run_saves_what_the_arena_says(sglang_url: str, tmp_path: Path) -> None:
    """The share of the answers that lead:3 asks for, measured on a whole run and on a stopped one.

    60 questions × 20 answers at most: the share of a question varies by about 0.25, its mean by 0.03, and the
    difference of two means by 0.05 at most.
    """
    keys = [*settings(60, 20, (40,)), "--url", sglang_url]
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    for folder, more in ((whole, []), (stopped, ["--set", "stop_rule=lead:3"])):
        done = harness_command("sample", "tiny", *keys, *more, "--out", str(folder))
        assert done.exit_code == 0, done.output
    table = arena(read_samples(whole, texts=False), {RULES["lead"]: [3.0]}, n_max=20)
    expected = table[(table["rule"] == "lead") & (table["batch"] == "exact")].iloc[0]
    assert_ended_by("lead:3", 20, stopped)
    share = len(rows(stopped)) / len(rows(whole))
    assert share == pytest.approx(expected["answers"] / 20, abs=0.1)
    assert "lead:3 ended" in done.output
