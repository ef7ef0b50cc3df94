"""Runs with a stop rule: killed (kill -9) at any stage, and saving what a replay says, also on SGLang."""

import json
from pathlib import Path

import pytest

from results import read_samples
from results.stopping import RULES, ahead, arena, named, seen_of, settled
from tests.harness.commands import command as harness_command
from tests.integration.forked_runs import FORKED, ended_at, finished
from tests.integration.planned import lines, rows, settings

pytestmark = pytest.mark.integration


def votes(folder: Path) -> dict[str, list[str | None]]:
    """The answers to each question in order of their index, which has no gaps."""
    found: dict[str, dict[int, str | None]] = {}
    for row in rows(folder):
        found.setdefault(row["question_id"], {})[row["sample"]] = row["answer"]
    for indices in found.values():
        assert sorted(indices) == list(range(len(indices)))
    return {question: [indices[i] for i in range(len(indices))] for question, indices in found.items()}


def assert_ended_by(text: str, most: int, folder: Path) -> None:
    """Check that every vote ends where the rule ends it when answers come in exact blocks."""
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
    arguments, stored = ["sample", "tiny", *keys, "--out", str(folder)], folder / "samples.jsonl"
    for count in (1, 12, 30):
        ended_at(lambda count=count: len(lines(stored)) >= count, arguments, errors)  # type: ignore[misc]
        stored.write_bytes(stored.read_bytes()[:-7])
    finished(arguments, errors)
    assert len(votes(folder)) == 8
    assert_ended_by("lead:4", 24, folder)


def whole_and_stopped(tmp_path: Path, questions: int, *options: str) -> dict[str, float]:
    """Make runs of up to 20 answers, `whole` and `stopped` (lead:3); return what the arena expects."""
    keys = settings(questions, 20, (40,))
    for name, more in (("whole", []), ("stopped", ["--set", "stop_rule=lead:3"])):
        done = harness_command("sample", "tiny", *keys, *options, *more, "--out", str(tmp_path / name))
        assert done.exit_code == 0, done.output
    assert "lead:3 ended" in done.output
    table = arena(read_samples(tmp_path / "whole", texts=False), {RULES["lead"]: [3.0]}, n_max=20)
    (expected,) = table[(table["rule"] == "lead") & (table["batch"] == "exact")].to_dict("records")
    return {name: float(expected[name]) for name in ("answers", "share", "accuracy")}


@pytest.mark.release  # exact, on simulated answers: tests/harness/run/test_blocks.py
def test_a_run_saves_the_answers_and_tokens_that_the_arena_says(tmp_path: Path) -> None:
    """120 questions × at most 20 answers, in independent runs without a rule and with lead:3.

    A question's share varies by at most 0.2 between runs, so the difference of two means of 120 by 0.026:
    the tolerance is three times that. If answers were asked for 16 at a time, the share would be 0.4 higher.
    """
    expected, stopped = whole_and_stopped(tmp_path, 120), tmp_path / "stopped"
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
    """60 questions: a question's share varies by about 0.25, the difference of two means by at most 0.05."""
    expected = whole_and_stopped(tmp_path, 60, "--url", sglang_url)
    assert_ended_by("lead:3", 20, tmp_path / "stopped")
    share = len(rows(tmp_path / "stopped")) / len(rows(tmp_path / "whole"))
    assert share == pytest.approx(expected["answers"] / 20, abs=0.1)
