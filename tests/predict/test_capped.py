"""predict.capped and the commands with --fit-cap: tables, truths, rivals, and what is refused."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from predict.capped import CAP_PREDICTORS, CapRequest, Run, _curve, backtest_run, forecast_run, runs_of
from predict.cli import main
from predict.protocol import Options
from predict.survival.seen import stopped
from results import BadInput, build_curves, read_forecast
from results.votes.caps import cap_samples
from tests.commands import exit_status
from tests.predict.survival.simulated import samples

pytestmark = pytest.mark.integration  # many seconds

OPTIONS = Options(replicates=40)


REQUEST = CapRequest(8000, (12000, 20000), 8, (1, 8))


@pytest.fixture(scope="module")
def one() -> Run:
    return runs_of(samples())[0]


def test_a_backtest_has_a_row_for_every_place_and_the_truth_of_the_curves(one: Run) -> None:
    table = backtest_run(one, REQUEST, CAP_PREDICTORS, ["majority", "best_of_n"], 2, OPTIONS)
    assert len(table) == 2 * 2 * len(CAP_PREDICTORS) * 2 * 2
    rivals = {"flat", "exponential", "power-law", "low-cost-to-high", "joint"}
    assert set(table["predictor"]) == {"survival", *rivals}
    truth = build_curves(cap_samples(samples(), [12000, 20000]), ns=[1, 8], permutations=0)
    truth = truth.set_index(["method", "setting", "N"])
    for _, row in table.iterrows():
        at = truth.loc[(row["method"], row["setting"], row["N"])]
        assert row["accuracy"] == pytest.approx(at["accuracy"], abs=1e-12)
        assert row["tokens"] == pytest.approx(at["tokens_per_answer"])
    ours = table[table["predictor"] == "survival"]
    assert ours.groupby("split")["predicted"].mean().nunique() == 2  # each split saw other answers
    assert (ours["low"] < ours["predicted"]).all()
    assert (ours["tokens_low"] < ours["tokens_predicted"]).all()


def test_a_forecast_is_a_forecast_table_with_the_truth_where_the_run_went_on(
    one: Run, tmp_path: Path
) -> None:
    table, _ = forecast_run(one, REQUEST, ["survival"], "majority", OPTIONS)
    assert table["setting"].tolist() == ["cap=12000", "cap=12000", "cap=20000", "cap=20000"]
    assert set(table["role"]) == {"held_out"}
    assert (table["new_high"] - table["new_low"]).mean() > (table["high"] - table["low"]).mean()
    assert table["T"].to_numpy() == pytest.approx(24 * table["tokens_per_answer"].to_numpy())
    capped = cap_samples(samples(), [8000]).drop(columns="setting")
    stopped_there = runs_of(capped.assign(setting="default"))[0]
    alone, _ = forecast_run(stopped_there, REQUEST, ["survival"], "majority", OPTIONS)
    assert set(alone["role"]) == {"forecast"}
    assert alone["accuracy"].isna().all()
    for name in ("predicted", "low", "high", "tokens_per_answer"):  # no more was seen of the longer run
        assert alone[name].to_numpy() == pytest.approx(table[name].to_numpy(), abs=1e-12)


def test_rivals_see_eight_caps_in_equal_steps_of_the_share_ended(one: Run) -> None:
    cut = stopped(one.answers, 8000)
    observed = _curve(one, cut, 8000, "best_of_n", OPTIONS)
    settings = [float(name) for name, _ in observed.points.settings()]
    assert len(settings) == 8
    assert settings[-1] == 8000
    ended = np.array([(one.answers.tokens <= cap).sum() for cap in settings])
    assert ended / ended[-1] == pytest.approx(np.arange(1, 9) / 8, abs=0.02)
    assert max(observed.points.T) < 8000
    other = replace(cut, tokens=np.where(cut.tokens > 8000, 9e5, cut.tokens))
    assert np.array_equal(_curve(one, other, 8000, "best_of_n", OPTIONS).accuracy, observed.accuracy)


def test_several_settings_are_told_apart() -> None:
    runs = runs_of(samples(settings=("low", "high")))
    assert [one.at(500) for one in runs] == ["low cap=500", "high cap=500"]


def test_a_run_that_cut_answers_off_itself_is_no_truth_there() -> None:
    table = samples()
    table["finish_reason"] = np.where(table["tokens"] > 15000, "length", "stop")
    over = table["tokens"] > 15000
    table.loc[over, ["tokens", "correct"]] = [15000, False]
    table["answer"] = table["answer"].mask(over)
    one = runs_of(table)[0]
    found, _ = forecast_run(one, REQUEST, ["survival"], "best_of_n", OPTIONS)
    assert found["role"].tolist() == ["held_out", "held_out", "forecast", "forecast"]
    with pytest.raises(BadInput, match="20000 has no truth"):
        backtest_run(one, REQUEST, ["survival"], ["majority"], 1, OPTIONS)
    with pytest.raises(BadInput, match="15000"):
        forecast_run(
            one, replace(REQUEST, fit_cap=16000, at_caps=(20000,)), ["survival"], "majority", OPTIONS
        )


def predict(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    return exit_status(monkeypatch, main, "predict", *arguments)


def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, out = tmp_path / "samples.csv", tmp_path / "out.csv"
    samples().to_csv(file, index=False)
    caps = ["--fit-cap", 8000, "--at-caps", "12000,20000", "--at-n", "1,8", "--fit-max-n", 8]
    caps += ["--bootstrap", 40]
    assert predict(monkeypatch, "forecast", file, *caps, "--out", out) == 0
    table = read_forecast(out)
    assert table["predictor"].unique().tolist() == ["survival"]
    assert (table["tokens_low"] <= table["tokens_per_answer"]).all()
    assert predict(monkeypatch, "backtest", file, *caps, "--splits", 1, "--out", out) == 0
    assert set(pd.read_csv(out)["predictor"]) == set(CAP_PREDICTORS)


def test_a_plan_among_caps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cap that was seen is a choice too; costs are N times the tokens of an answer."""
    file, out = tmp_path / "samples.csv", tmp_path / "out.csv"
    samples().to_csv(file, index=False)
    caps = ["--fit-cap", 8000, "--at-caps", "12000,20000", "--bootstrap", 40, "--max-n", 4]
    assert predict(monkeypatch, "plan", file, *caps, "--token-budget", 20000, "--out", out) == 0
    table = pd.read_csv(out)
    assert set(table["setting"]) == {"cap=8000", "cap=12000", "cap=20000"}
    assert set(table["N"]) == {1, 2, 4}
    assert (table["new_high"] - table["new_low"]).min() > 0
    assert set(table["token_budget"]) == {20000}
    per_answer = table["cost"] / table["N"]
    assert per_answer.groupby(table["setting"]).std().max() < 0.01
    spent = np.minimum(samples()["tokens"], 8000).mean()
    assert per_answer[table["setting"] == "cap=8000"].to_numpy() == pytest.approx(spent, rel=0.02)
    assert predict(monkeypatch, "plan", file, "--fit-cap", 8000, "--token-budget", 20000) == 2


@pytest.mark.parametrize("command", ["forecast", "backtest"])
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--fit-cap", 8000], "--at-caps"),
        (["--at-caps", "9000"], "--fit-cap"),
        (["--fit-cap", 8000, "--at-caps", "8000"], "8000"),
        (["--fit-cap", 8000, "--at-caps", "x"], "--at-caps"),
        (["--fit-cap", 0, "--at-caps", "9"], "--fit-cap"),
        (["--fit-cap", 1, "--at-caps", "9"], "shortest"),
        (["--fit-cap", 8000, "--at-caps", "9000", "--fit-settings", "a"], "--fit-settings"),
        (["--fit-cap", 8000, "--at-caps", "9000", "--predictor", "plug-in"], "plug-in"),
    ],
)
def test_bad_requests_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    command: str, arguments: list[object], said: str,
) -> None:  # fmt: skip
    file, out = tmp_path / "samples.csv", tmp_path / "out.csv"
    samples(n=4, Q=6).to_csv(file, index=False)
    assert predict(monkeypatch, command, file, *arguments, "--out", out) == 2
    said_on_stderr = capsys.readouterr().err
    assert said in said_on_stderr
    assert not out.exists()


def test_samples_without_tokens_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "samples.csv", tmp_path / "out.csv"
    samples(n=4, Q=6).drop(columns="tokens").to_csv(file, index=False)
    caps = ["--fit-cap", 8000, "--at-caps", "9000"]
    assert predict(monkeypatch, "forecast", file, *caps, "--out", out) == 2
    message = capsys.readouterr().err
    assert "'tokens'" in message
    assert len(message.splitlines()) == 1
    build_curves(samples(n=4, Q=6), permutations=0).to_csv(file, index=False)
    assert predict(monkeypatch, "forecast", file, *caps, "--out", out) == 2
    assert "curves" in capsys.readouterr().err
