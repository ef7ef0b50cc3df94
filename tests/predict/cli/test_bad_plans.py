"""Plans on poor or broken input, and advice where there is nothing to gain."""

from pathlib import Path

import pandas as pd
import pytest

from tests.predict.commands import command, curve
from tests.predict.conftest import simulated_samples


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (simulated_samples(questions=8, answers=4).drop(columns="tokens"), "no token counts"),
        (curve(), "no token counts"),
        (curve(accuracy=[0.5, 1.2, 0.6, 0.7]), "from 0 to 1"),
    ],
    ids=["samples without tokens", "curves without tokens", "above 1"],
)
def test_a_plan_without_prices_or_with_impossible_curves_is_refused(
    tmp_path: Path, frame: pd.DataFrame, words: str
) -> None:
    done = command("plan", frame, tmp_path, "--target-accuracy", "0.7")
    assert done.exit_code == 2
    assert words in done.output


@pytest.mark.parametrize("correct", [True, False], ids=["all right", "all wrong"])
def test_unanimous_samples_are_planned_with(tmp_path: Path, correct: bool) -> None:
    frame = simulated_samples(questions=8, answers=4)
    frame = frame.assign(answer="right" if correct else "wrong", correct=correct)
    done = command("plan", frame, tmp_path, "--target-accuracy", "0.7")
    assert done.exit_code == 0, done.output
    told = next(line for line in done.output.splitlines() if line.startswith("To reach 70.0 %:"))
    assert ("asked for 40 tokens" in told and "N = 1," in told) if correct else "no choice does" in told


@pytest.mark.parametrize(
    "frame",
    [simulated_samples(questions=1, answers=6), simulated_samples(questions=8, answers=4, settings=("40",))],
    ids=["one question", "one setting"],
)
def test_one_question_or_one_setting_is_planned_with(tmp_path: Path, frame: pd.DataFrame) -> None:
    done = command("plan", frame, tmp_path, "--token-budget", "1000")
    assert done.exit_code == 0, done.output
    assert "Within 1,000 tokens a question: asked for " in done.output


def test_settings_of_zero_tokens_cannot_be_priced(tmp_path: Path) -> None:
    done = command("plan", simulated_samples(questions=8, answers=4).assign(tokens=0), tmp_path)
    assert done.exit_code == 2
    assert "numbers above 0" in done.output


def test_goals_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    for goal in ("--target-accuracy", "--token-budget"):
        done = command("plan", simulated_samples(questions=8, answers=4), tmp_path, goal, "nan")
        assert done.exit_code == 2
        assert "nan" in done.output


def test_no_run_is_advised_to_narrow_what_has_no_width(tmp_path: Path) -> None:
    frame = simulated_samples(questions=40, answers=16)
    done = command("plan", frame.assign(answer="right", correct=True), tmp_path, "--max-n", "2")
    assert done.exit_code == 0, done.output
    assert "No next run is proposed" in done.output
    assert "0.2 points" in done.output
    bare = command("plan", curve(tokens_per_answer=100.0, questions=50), tmp_path, "--max-n", "2")
    assert "No next run is proposed" in bare.output


def test_no_run_is_proposed_for_a_predictor_that_goes_by_curve_points_alone(tmp_path: Path) -> None:
    frame = simulated_samples(questions=20, answers=4, settings=("40",))
    done = command("plan", frame, tmp_path, "--predictor", "flat")
    assert done.exit_code == 0, done.output
    assert "No next run is proposed: flat" in done.output


def test_a_run_is_advised_where_the_goal_is_only_within_the_best_interval(tmp_path: Path) -> None:
    frame = simulated_samples(questions=20, answers=2, settings=("40",))
    plain = command("plan", frame, tmp_path)
    best = float(plain.output.split("point of the best (")[1].split(" %")[0])
    near = command("plan", frame, tmp_path, "--target-accuracy", f"{best / 100 + 0.01:.3f}")
    assert "no choice does" in near.output
    assert "The next run" in near.output
    far = command("plan", frame, tmp_path, "--target-accuracy", "1")
    assert "no choice does" in far.output
    assert "The next run" not in far.output
