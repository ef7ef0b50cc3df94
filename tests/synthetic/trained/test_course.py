"""`python -m synthetic train` as a user runs it: its files, its refusals, what its summary counts."""

import importlib.util

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from results import BadInput, read_curves
from synthetic.cli import cli
from synthetic.trained.examination import EXACT
from synthetic.trained.layer import gradient_layer
from synthetic.trained.lessons import LESSONS, LINEAR, changed_lessons, trained_length
from synthetic.trained.summary import largest_differences
from synthetic.trained.weights import read_weights, write_weights

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs PyTorch")


def run(*arguments):
    return CliRunner().invoke(cli, ["train", *map(str, arguments)], standalone_mode=False)


@needs_torch
def test_a_tiny_course_writes_every_file(tmp_path):
    out = tmp_path / "trained"
    small = ("--set", "iterations=2", "--set", "batch=4", "--set", "steps=2", "--tasks", 3, "--paths", 4)
    result = run(*small, "--out", out)
    assert result.exception is None, result.exception
    assert {path.name for path in out.iterdir()} == {
        "weights.npz",
        "trained.csv",
        "learned.csv",
        "trained.pdf",
        "trained.png",
        "trained.svg",
    }
    curves = read_curves(out / "trained.csv")
    assert set(zip(curves["dataset"], curves["model"], strict=True)) >= set(LESSONS)
    assert set(read_weights(out / "weights.npz")) == set(LESSONS)
    assert (out / "trained.png").read_bytes().startswith(b"\x89PNG")
    assert max(map(len, result.stdout.splitlines())) <= 130
    assert all(model in result.stdout for _, model in LESSONS)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--set", "iterations"),
        ("--set", "iterations=0"),
        ("--set", "batch=many"),
        ("--set", "steps=5"),
        ("--set", "learning_rate=-1"),
        ("--set", "softmax=True"),
        ("--tasks", 1),
        ("--paths", 1),
        ("--jobs", 0),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(tmp_path, arguments):
    result = run(*arguments, "--out", tmp_path / "out")
    assert isinstance(result.exception, BadInput)
    assert result.exception.exit_code == 2
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "out").write_text("mine")
    assert run("--out", tmp_path / "out").exception.exit_code == 2
    assert (tmp_path / "out").read_text() == "mine"


def test_without_torch_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("synthetic.trained.course.find_spec", lambda _: None)
    result = run("--out", tmp_path / "out")
    assert isinstance(result.exception, BadInput)
    assert "pip install torch" in result.exception.message
    assert not (tmp_path / "out").exists()


def test_a_change_reaches_every_lesson_but_leaves_one_step_at_one():
    changed = changed_lessons(["steps=4", "batch=32"])
    assert {lesson.batch for lesson in changed.values()} == {32}
    assert trained_length(changed) == 4
    ones = {key for key, lesson in LESSONS.items() if lesson.steps == 1}
    assert {key for key, lesson in changed.items() if lesson.steps == 1} == ones != set()


def test_weights_survive_their_file_but_for_rounding(tmp_path):
    weights = {
        ("fig2h", f"{LINEAR} paths"): {"value": np.array([[1.0, -1 / 3]]), "key_query": np.zeros((2, 2))}
    }
    write_weights(weights, tmp_path / "w.npz")
    again = read_weights(tmp_path / "w.npz")
    assert again.keys() == weights.keys()
    np.testing.assert_allclose(again["fig2h", f"{LINEAR} paths"]["value"], [[1, -1 / 3]], rtol=5e-4)


def test_a_file_that_holds_no_weights_is_refused(tmp_path):
    (tmp_path / "w.npz").write_text("not weights")
    with pytest.raises(BadInput):
        read_weights(tmp_path / "w.npz")


def test_the_largest_difference_is_over_votes_up_to_the_trained_length():
    rows = [(model, t, n, 0.5) for model in (EXACT, "m") for t in (1, 8, 9) for n in (1, 64)]
    curves = pd.DataFrame(rows, columns=["model", "T", "N", "accuracy"]).assign(dataset="d")
    mine = curves["model"] == "m"
    curves.loc[mine & (curves["T"] == 9), "accuracy"] = 0.9
    curves.loc[mine & (curves["T"] == 8) & (curves["N"] == 64), "accuracy"] = 0.4
    curves.loc[mine & (curves["T"] == 1) & (curves["N"] == 1), "accuracy"] = 0.53
    assert largest_differences(curves, 8).loc["d", "m"].tolist() == pytest.approx([0.03, 0.1])


def test_the_papers_value_matrix_has_no_skew_part():
    layer = gradient_layer(3, 0.5)
    assert layer.skew_share() == 0
    layer.value[0, 1], layer.value[1, 0] = 0.5, -0.5  # its norm is √2 · 0.5, the symmetric part's √3 · 0.5
    assert layer.skew_share() == pytest.approx(np.sqrt(2 / 3))
