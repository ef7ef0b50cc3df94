"""A run with a stop rule saves what a replay of whole votes says."""

import json
from pathlib import Path

import pytest

from results import read_samples
from results.stopping import RULES, arena
from tests.harness.commands import command
from tests.harness.run.rows import stored
from tests.integration.planned import settings

pytestmark = pytest.mark.release  # exact, on simulated answers: tests/harness/run/test_blocks.py


def test_a_run_saves_the_answers_and_tokens_that_the_arena_says(tmp_path: Path) -> None:
    """120 questions × at most 20 answers, in independent runs without a rule and with lead:3.

    A question's share varies by at most 0.2 between runs, so the difference of two means of 120 by 0.026:
    the tolerance is three times that. If answers were asked for 16 at a time, the share would be 0.4 higher.
    """
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    for folder, more in ((whole, []), (stopped, ["--set", "stop_rule=lead:3"])):
        done = command("sample", "tiny", *settings(120, 20, (40,)), *more, "--out", folder)
        assert done.exit_code == 0, done.output
    assert "lead:3 ended" in done.output
    table = arena(read_samples(whole, texts=False), {RULES["lead"]: [3.0]}, n_max=20)
    (expected,) = table[(table["rule"] == "lead") & (table["batch"] == "exact")].to_dict("records")
    (saved,) = json.loads((stopped / "run.json").read_text())["summary"]["stopping"]["settings"]
    assert saved["votes"] == 120
    assert saved["answers"] / saved["answers_of_all"] == pytest.approx(expected["answers"] / 20, abs=0.08)
    assert saved["tokens_share"] == pytest.approx(expected["share"], abs=0.08)
    assert saved["right"] == pytest.approx(expected["accuracy"], abs=0.1)
    done = command("force", stopped, "--at", "10", "--out", tmp_path / "forced")
    assert done.exit_code == 0, done.output
    assert {row["stop_rule"] for row in stored(tmp_path / "forced")} == {"lead:3"}
