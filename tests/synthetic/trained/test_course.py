"""`python -m synthetic train` as a user runs it: its files, its refusals, what its summary counts."""

import importlib.util
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from results import BadInput, read_curves
from synthetic.cli import cli
from synthetic.trained import course
from synthetic.trained.examination import EXACT, examine
from synthetic.trained.lessons import LESSONS
from synthetic.trained.summary import largest_differences
from synthetic.trained.weights import read_weights, write_weights


def run(*arguments):
    return CliRunner().invoke(cli, ["train", *map(str, arguments)], standalone_mode=False)


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs PyTorch")
def test_a_tiny_course_writes_every_file(tmp_path, monkeypatch):
    tiny = {key: replace(lesson, iterations=2, batch=4) for key, lesson in LESSONS.items()}
    monkeypatch.setattr(course, "LESSONS", tiny)
    examined = {}
    monkeypatch.setattr(
        course, "examine", lambda weights, *rest: examined.update(weights) or examine(weights, *rest)
    )
    out = tmp_path / "trained"
    printed = "\n".join(course.take_course(out, seed=0, jobs=1, tasks=3, paths=4).values())
    names = {"weights.npz", "trained.csv", "learned.csv", "trained.pdf", "trained.png", "trained.svg"}
    assert {path.name for path in out.iterdir()} == names
    curves = read_curves(out / "trained.csv")
    assert set(zip(curves["dataset"], curves["model"], strict=True)) >= set(LESSONS)
    np.testing.assert_equal(examined, read_weights(out / "weights.npz"))  # rounded as they are in the file
    assert set(examined) == set(LESSONS)
    assert (out / "trained.png").read_bytes().startswith(b"\x89PNG")
    assert max(map(len, printed.splitlines())) <= 130
    assert all(model in printed for _, model in LESSONS)


def test_bad_input_is_refused_before_anything_is_written(tmp_path):
    result = run("--jobs", 0, "--out", tmp_path / "out")
    assert isinstance(result.exception, BadInput)
    assert not (tmp_path / "out").exists()


def test_weights_survive_their_file_but_for_rounding(tmp_path):
    key = "fig2h", "trained-linear-attention paths"
    write_weights({key: {"value": np.array([[1.0, -1 / 3]])}}, tmp_path / "w.npz")
    np.testing.assert_array_equal(read_weights(tmp_path / "w.npz")[key]["value"], np.float16([[1, -1 / 3]]))


def test_the_largest_difference_is_over_votes_up_to_the_trained_length():
    rows = [(model, t, n, 0.5) for model in (EXACT, "m") for t in (1, 8, 9) for n in (1, 64)]
    curves = pd.DataFrame(rows, columns=["model", "T", "N", "accuracy"]).assign(dataset="d")
    mine = curves["model"] == "m"
    curves.loc[mine & (curves["T"] == 9), "accuracy"] = 0.9
    curves.loc[mine & (curves["T"] == 8) & (curves["N"] == 64), "accuracy"] = 0.4
    curves.loc[mine & (curves["T"] == 1) & (curves["N"] == 1), "accuracy"] = 0.53
    assert largest_differences(curves).loc["d", "m"].tolist() == pytest.approx([0.03, 0.1])
