"""`python -m studies.trained.run` as a user runs it: its files, and the counts in its summary."""

import importlib.util
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from results import read_curves
from studies.trained import course
from studies.trained.examination import EXACT, examine
from studies.trained.lessons import LESSONS
from studies.trained.summary import largest_differences
from studies.trained.weights import read_weights


@pytest.mark.integration  # many seconds
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs PyTorch")
def test_a_tiny_course_writes_every_file(tmp_path, monkeypatch):
    from studies.trained.training import teach

    tiny = {key: replace(lesson, iterations=2, batch=4) for key, lesson in LESSONS.items()}
    monkeypatch.setattr(course, "LESSONS", tiny)
    asked = []
    monkeypatch.setattr(course, "examine", lambda *given: asked.append(given) or examine(*given))
    out = tmp_path / "trained"
    printed = "\n".join(course.take_course(out, seed=2, jobs=1, tasks=3, paths=4).values())
    ((examined, *rest),) = asked
    assert rest == [2, 3, 4]
    names = {"weights.npz", "trained.csv", "learned.csv", "trained.pdf", "trained.png", "trained.svg"}
    assert {path.name for path in out.iterdir()} == names
    curves = read_curves(out / "trained.csv")
    assert set(curves["questions"]) == {3}
    assert set(zip(curves["dataset"], curves["model"], strict=True)) >= set(LESSONS)
    np.testing.assert_equal(examined, read_weights(out / "weights.npz"))  # rounded as in the file
    assert set(examined) == set(LESSONS)
    for key in list(LESSONS)[::9]:
        for name, matrix in teach(tiny[key], 2)[0].items():
            np.testing.assert_array_equal(examined[key][name], np.float16(matrix))
    assert (out / "trained.png").read_bytes().startswith(b"\x89PNG")
    assert max(map(len, printed.splitlines())) <= 130
    assert all(model in printed for _, model in LESSONS)


def test_the_largest_difference_is_over_votes_up_to_the_trained_length():
    rows = [(model, t, n, 0.5) for model in (EXACT, "m") for t in (1, 8, 9) for n in (1, 64)]
    curves = pd.DataFrame(rows, columns=["model", "T", "N", "accuracy"]).assign(dataset="d")
    mine = curves["model"] == "m"
    curves.loc[mine & (curves["T"] == 9), "accuracy"] = 0.9
    curves.loc[mine & (curves["T"] == 8) & (curves["N"] == 64), "accuracy"] = 0.4
    curves.loc[mine & (curves["T"] == 1) & (curves["N"] == 1), "accuracy"] = 0.53
    assert largest_differences(curves).loc["d", "m"].tolist() == pytest.approx([0.03, 0.1])
