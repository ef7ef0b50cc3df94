"""Many sets forecast at once: one table, a sentence each, and a picture."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from predict.estimate import Status
from results import read_forecast, read_samples, write_curves
from results.votes.curves import build_curves
from tests.predict.commands import curve, predict
from tests.predict.conftest import simulated_samples


@pytest.fixture
def four_sets(tmp_path: Path) -> list[Path]:
    """Answers of one model and curves of three."""
    answers, curves = tmp_path / "answers.csv", tmp_path / "curves.csv"
    simulated_samples(questions=20, answers=8).to_csv(answers, index=False)
    settings = [curve(setting=name, T=tokens, questions=100) for name, tokens in (("a", 1e4), ("b", 2e4))]
    table = pd.concat([pd.concat(settings).assign(model=model) for model in "xyz"])
    table.to_csv(curves, index=False)
    return [answers, curves]


def test_answers_and_curves_are_forecast_together_and_drawn(four_sets: list[Path], tmp_path: Path) -> None:
    out, plot = tmp_path / "f.csv", tmp_path / "f.svg"
    done = predict(
        "forecast", *four_sets, "--predictor", "default,flat", "--bootstrap", 20, "--out", out, "--plot", plot
    )
    assert done.exit_code == 0, done.output
    table = read_forecast(out)
    assert table["model"].nunique() == 4
    assert set(table["predictor"]) == {"default", "flat"}
    goes_by = table[table["predictor"] == "default"].groupby("dataset")["estimator"].unique()
    assert sorted(map(list, goes_by)) == [["mixture"], ["question-law"]]
    assert done.output.count("default (question-law)") == 3
    refused = predict("forecast", *four_sets, "--predictor", "mixture", "--out", out)
    assert refused.exit_code == 2
    assert "needs samples" in refused.stderr
    assert plot.read_text(encoding="utf-8").startswith("<svg")
    assert len(re.findall(r" flat  +\d", done.output)) == 4


def test_answers_and_their_own_curves_are_refused(tmp_path: Path) -> None:
    simulated_samples(questions=5, answers=4).to_csv(tmp_path / "answers.csv", index=False)
    write_curves(build_curves(read_samples(tmp_path / "answers.csv")), tmp_path / "curves.csv")
    both = [tmp_path / "answers.csv", tmp_path / "curves.csv"]
    done = predict("forecast", *both, "--out", tmp_path / "f.csv")
    assert done.exit_code == 2
    assert "answers and curves of" in done.output
    assert not (tmp_path / "f.csv").exists()


def test_a_budget_that_does_not_set_the_length_pins_no_new_setting_down(tmp_path: Path) -> None:
    lengths = {"20": 170, "100": 240, "200": 250, "500": 262}
    points = [
        curve(setting=name, T=100 * used, questions=100, stderr=0.02, accuracy=np.linspace(0.4, 0.6, 4))
        for name, used in lengths.items()
    ]
    source, out = tmp_path / "curves.csv", tmp_path / "f.csv"
    pd.concat(points).to_csv(source, index=False)
    done = predict("forecast", source, "--fit-settings", "20,100,200", "--bootstrap", 20, "--out", out)
    table = read_forecast(out)
    assert set(table.loc[table["setting"] == "500", "status"]) == {Status.BOUND_HIT}
    assert "hardly set" in done.output
