"""Many sets forecast at once: what is refused, sets that cannot be forecast, and a sentence on each."""

from pathlib import Path

import numpy as np
import pandas as pd

from predict.cli.overview import sentence_of
from predict.estimate import Status
from results import read_forecast, read_samples, write_curves
from results.votes.curves import build_curves
from tests.predict.commands import curve, predict
from tests.predict.conftest import simulated_samples


def test_answers_and_their_own_curves_are_refused_but_not_those_of_others(tmp_path: Path) -> None:
    simulated_samples(questions=5, answers=4).to_csv(tmp_path / "answers.csv", index=False)
    write_curves(build_curves(read_samples(tmp_path / "answers.csv")), tmp_path / "curves.csv")
    both = [tmp_path / "answers.csv", tmp_path / "curves.csv"]
    done = predict("forecast", *both, "--out", tmp_path / "f.csv")
    assert done.exit_code == 2
    assert "answers and curves of" in done.output
    assert not (tmp_path / "f.csv").exists()
    write_curves(build_curves(read_samples(both[0])).assign(model="other"), both[1])
    few = "--fit-max-n", 2, "--splits", 2, "--predictor", "flat", "--bootstrap", 0
    done = predict("backtest", *both, *few, "--out", tmp_path / "b.csv")
    assert done.exit_code == 0, done.output


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


def test_of_forecasts_the_dearest_that_was_measured_is_told() -> None:
    rows = curve(source="llm", dataset="d", model="m", tokens_per_answer=9.0, predictor="flat")
    rows = rows.assign(role="forecast", predicted=0.5, low=0.4, high=0.6)
    assert "N = 8:" in sentence_of(rows).replace("\xa0", " ")
    assert "N = 4:" in sentence_of(rows.assign(accuracy=[0.5, 0.5, 0.5, np.nan])).replace("\xa0", " ")
    longer = rows.iloc[[1]].assign(setting="long", tokens_per_answer=90.0)
    assert "N = 2:" in sentence_of(pd.concat([rows, longer])).replace("\xa0", " ")
