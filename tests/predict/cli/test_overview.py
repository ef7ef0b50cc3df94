"""Many sets forecast at once: one table, a sentence each, and a picture."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from predict.cli.overview import overview, sentence_of, together
from predict.estimate import Status
from results import read_forecast, read_samples, write_curves
from results.votes.curves import build_curves
from results.words.names import NBSP
from tests.predict.commands import curve, predict
from tests.predict.conftest import simulated_samples

ROWS = pd.DataFrame(
    {
        "source": "llm",
        "dataset": "d",
        "model": "m",
        "method": "majority",
        "predictor": "flat",
        "setting": ["10", "10", "20", "20", "20"],
        "tokens_per_answer": [9.0, 9.0, 18.0, 18.0, 18.0],
        "N": [1, 4, 1, 4, 64],
        "role": ["used", "used", "held_out", "held_out", "forecast"],
        "accuracy": [0.2, 0.3, 0.5, 0.6, np.nan],
        "predicted": [0.2, 0.3, 0.55, 0.5, 0.7],
        "low": [0.1, 0.2, 0.45, 0.4, 0.6],
        "high": [0.3, 0.4, 0.6, 0.55, 0.8],
        "status": ["ok", "ok", "ok", "poor_fit", "ok"],
    }
)


def test_a_row_counts_forecasts_and_judges_those_held_out() -> None:
    nothing = ROWS.assign(predicted=np.nan, low=np.nan, high=np.nan, status="not_identifiable", model="n")
    heads, some, none = (re.split(r"\s{2,}", line) for line in overview([ROWS, nothing]).splitlines())
    cells = dict(zip(heads, some, strict=True))
    assert cells["mean error"] == "7.50"
    assert cells["largest"] == "10.0"
    assert cells["in 90 % interval"] == "1 of 2"
    assert cells["points"] == "2 of 2"
    assert (cells["ok"], cells["error of ok"]) == ("2", "5.0")
    assert dict(zip(heads, none, strict=True))["points"] == "0 of 2"


def test_the_dearest_measured_forecast_is_told_or_else_the_dearest() -> None:
    told = sentence_of(ROWS).replace(NBSP, " ")
    assert "N = 4:" in told
    assert "50.0 % forecast (40.0 … 55.0 %), 60.0 % measured" in told
    ahead = sentence_of(ROWS[ROWS["role"] != "held_out"]).replace(NBSP, " ")
    assert "70.0 % forecast" in ahead
    assert "no forecast" in sentence_of(ROWS.assign(predicted=np.nan))


def test_each_set_is_named_once_above_its_predictors() -> None:
    both = pd.concat([ROWS, ROWS.assign(predictor="exponential")])
    lines = overview([both, both.assign(model="other")]).splitlines()
    assert [line.split()[0] for line in lines] == ["set", "m", "flat", "other", "flat"]


def test_what_is_said_of_several_groups_is_said_once() -> None:
    notes = [("a", ["x", "y"]), ("b", ["x"]), ("c", ["x", "x"])]
    assert together(notes) == ["a and 2 more: x", "a: y"]


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
