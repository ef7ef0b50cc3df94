"""Poor or broken input: a clear message or a defined result, whichever command reads it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from predict.cli import main
from results import read_forecast
from tests.predict.commands import command, curve, forecast
from tests.predict.conftest import simulated_samples


def test_one_setting_only_is_forecast_by_n_and_not_identifiable_for_the_paper_s_algorithm(
    tmp_path: Path,
) -> None:
    done = forecast(curve(), tmp_path, "--at-n", "16", "--predictor", "all")
    assert done.exit_code == 0, done.output
    table = read_forecast(tmp_path / "f.csv").set_index("predictor")
    assert table.loc["low-cost-to-high", "status"] == "not_identifiable"
    assert np.isnan(table.loc["low-cost-to-high", "predicted"])
    assert 0.55 < table.loc["power-law", "predicted"] < 0.8


def test_n_of_one_only_leaves_nothing_but_the_last_value(tmp_path: Path) -> None:
    frame = simulated_samples(answers=1)
    done = forecast(frame, tmp_path, "--at-n", "8", "--predictor", "all")
    assert done.exit_code == 0, done.output
    table = read_forecast(tmp_path / "f.csv")
    status = table.groupby("predictor")["status"].agg(set).to_dict()
    assert status["power-law"] == {"not_identifiable"}
    assert status["low-cost-to-high"] == {"not_identifiable"}
    assert "not_identifiable" in done.stderr
    assert table[table["predictor"] == "mixture"]["predicted"].between(0, 1).all()


@pytest.mark.parametrize("correct", [True, False], ids=["all right", "all wrong"])
def test_unanimous_samples_give_defined_results(tmp_path: Path, correct: bool) -> None:
    frame = simulated_samples(questions=8, answers=4)
    frame = frame.assign(answer="right" if correct else "wrong", correct=correct)
    done = forecast(frame, tmp_path, "--at-n", "16", "--predictor", "all")
    assert done.exit_code == 0, done.output
    table = read_forecast(tmp_path / "f.csv")
    flat = table[table["predictor"] == "flat"]["predicted"]
    assert (flat == float(correct)).all()
    assert table["predicted"].dropna().between(-1e-9, 1 + 1e-9).all()


def test_no_correct_column_is_computed_from_gold_or_refused(tmp_path: Path) -> None:
    frame = simulated_samples(questions=10, answers=4).drop(columns="correct")
    assert forecast(frame, tmp_path, "--at-n", "8").exit_code == 0
    done = forecast(frame.drop(columns="gold"), tmp_path, "--at-n", "8")
    assert done.exit_code == 2
    assert "no column 'correct'" in done.output


def test_duplicate_answers_are_refused(tmp_path: Path) -> None:
    frame = simulated_samples(questions=5, answers=4)
    done = forecast(pd.concat([frame, frame.head(1)]), tmp_path)
    assert done.exit_code == 2
    assert "a second row" in done.output


def test_unequal_pools_are_read_up_to_the_smallest_one(tmp_path: Path) -> None:
    frame = simulated_samples(questions=20, answers=8)
    short = (frame["question_id"] == "q3") & (frame["sample"] >= 5)
    done = forecast(frame[~short], tmp_path, "--at-n", "4,16", "--predictor", "all")
    assert done.exit_code == 0, done.output
    table = read_forecast(tmp_path / "f.csv")
    assert set(table[table["N"] == 4]["role"]) == {"used"}
    assert set(table[table["N"] == 16]["role"]) == {"forecast"}


def test_one_question_is_forecast(tmp_path: Path) -> None:
    done = forecast(simulated_samples(questions=1, answers=6), tmp_path, "--at-n", "12", "--predictor", "all")
    assert done.exit_code == 0, done.output
    mixture = read_forecast(tmp_path / "f.csv").query("predictor == 'mixture'")
    assert mixture["predicted"].between(0, 1).all()


@pytest.mark.parametrize(
    ("value", "words"), [(1.2, "from 0 to 1"), (-0.1, "from 0 to 1"), (np.nan, "accuracy")]
)
def test_accuracies_outside_the_unit_interval_or_missing_are_refused(
    tmp_path: Path, value: float, words: str
) -> None:
    done = forecast(curve(accuracy=[0.5, value, 0.6, 0.7]), tmp_path)
    assert done.exit_code == 2
    assert words in done.output
    assert not (tmp_path / "f.csv").exists()


def test_curves_without_exact_rows_are_refused(tmp_path: Path) -> None:
    done = forecast(curve(permutation=["0", "0", "0", "0"]), tmp_path)
    assert done.exit_code == 2
    assert "no rows of method majority" in done.output


def test_a_predictor_that_needs_samples_says_so(tmp_path: Path) -> None:
    done = forecast(curve(), tmp_path, "--predictor", "plug-in")
    assert done.exit_code == 2
    assert "it needs samples" in done.output
    fallback = forecast(curve(), tmp_path, "--predictor", "mixture", "--at-n", "16")
    assert fallback.exit_code == 0
    assert "needs samples" in fallback.stderr


@pytest.mark.parametrize("column", ["correct", "question_id", "sample"])
def test_a_missing_value_in_samples_is_named_by_row_and_column(tmp_path: Path, column: str) -> None:
    frame = simulated_samples(questions=4, answers=3).astype(object)
    frame.loc[3, column] = np.nan
    done = forecast(frame, tmp_path)
    assert done.exit_code == 2
    assert "row 4" in done.output
    assert f"'{column}'" in done.output


def test_no_readable_answer_at_all_is_an_accuracy_of_nothing(tmp_path: Path) -> None:
    frame = simulated_samples(questions=8, answers=4).assign(answer=None, correct=False)
    assert forecast(frame, tmp_path, "--at-n", "16", "--predictor", "all").exit_code == 0
    table = read_forecast(tmp_path / "f.csv")
    assert (table.query("predictor == 'mixture'")["predicted"] < 0.01).all()


def test_questions_missing_at_one_setting_are_no_wrong_answers(tmp_path: Path) -> None:
    frame = simulated_samples(questions=20, answers=6)
    hard = frame.groupby("question_id")["correct"].mean().nsmallest(8).index
    lacking = frame[~((frame["setting"] == "40") & frame["question_id"].isin(hard))]
    at = ("--at-n", "1", "--predictor", "flat")
    assert forecast(lacking, tmp_path, *at).exit_code == 0
    table = read_forecast(tmp_path / "f.csv").set_index("setting")
    easy = frame[(frame["setting"] == "40") & ~frame["question_id"].isin(hard)]
    assert table.loc["40", "accuracy"] == pytest.approx(easy["correct"].mean())
    assert table.loc["40", "questions"] == 12


def test_an_empty_table_is_refused(tmp_path: Path) -> None:
    done = forecast(simulated_samples(questions=2, answers=2).head(0), tmp_path)
    assert done.exit_code == 2
    assert "no rows" in done.output


def test_a_backtest_that_hides_nothing_is_refused(tmp_path: Path) -> None:
    frame = simulated_samples(questions=8, answers=1)
    done = command(
        "backtest", frame, tmp_path, "--out", str(tmp_path / "b.csv"), "--fit-max-n", "1", "--at-n", "4"
    )
    assert done.exit_code == 2
    assert "has no truth" in done.output
    assert not (tmp_path / "b.csv").exists()


@pytest.mark.parametrize("name", ["forecast", "backtest", "plan", "fits"])
def test_no_command_writes_over_what_it_reads(tmp_path: Path, name: str) -> None:
    source = tmp_path / "samples.csv"
    simulated_samples(questions=8, answers=4).to_csv(source, index=False)
    before = source.read_bytes()
    more = ("--fit-max-n", "2") if name == "backtest" else ()
    for given in (source, tmp_path):  # a folder stands for the samples in it
        done = CliRunner().invoke(main, [name, str(given), "--out", str(source), *more])
        assert done.exit_code == 2, done.output
        assert str(source) in done.output
    assert source.read_bytes() == before


@pytest.mark.parametrize("name", ["forecast", "backtest"])
def test_a_name_that_is_no_table_s_is_refused_before_anything_is_read(tmp_path: Path, name: str) -> None:
    inputs = (str(tmp_path / "none.csv"), "--fit-max-n", "2")
    done = CliRunner().invoke(main, [name, *inputs, "--out", str(tmp_path / "f.foo")])
    assert done.exit_code == 2
    assert "unknown kind of file '.foo'" in done.output


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        *((f"long={length}", "above 0") for length in ("-5", "0", "nan", "inf", "much")),
        ("=500", "needs a name"),
        ("80=500", "'80'"),
    ],
)
def test_a_new_setting_needs_a_name_of_its_own_and_a_length(tmp_path: Path, asked: str, words: str) -> None:
    done = forecast(simulated_samples(questions=8, answers=4), tmp_path, "--at-settings", asked)
    assert done.exit_code == 2
    assert words in done.output
    assert "forecast by" not in done.output


def test_settings_with_fewer_questions_keep_their_place_along_T(tmp_path: Path) -> None:
    frame = simulated_samples(questions=40, answers=6)
    few = frame["setting"].isin(["160", "320"]) & ~frame["question_id"].isin([f"q{i}" for i in range(5)])
    done = forecast(frame[~few], tmp_path)
    assert done.exit_code == 0, done.output
    table = read_forecast(tmp_path / "f.csv")
    assert table["setting"].unique().tolist() == ["40", "80", "160", "320"]
    assert set(table[table["role"] == "used"]["setting"]) == {"40", "80", "160"}
    assert table.groupby("setting")["tokens_per_answer"].first()["320"] == pytest.approx(312.5)
    assert table.groupby("setting")["T"].first()["320"] == pytest.approx(312.5 * 5)
    assert "different questions (5 to 40)" in done.stderr


def test_the_same_holds_for_curves_and_equal_questions_bring_no_warning(tmp_path: Path) -> None:
    long = {"setting": "200", "T": 2e4, "tokens_per_answer": 200.0, "questions": 100}
    short = {"setting": "100", "T": 1e5, "tokens_per_answer": 100.0, "questions": 1000}
    frame = pd.concat([curve(**long), curve(**short)])
    done = forecast(frame, tmp_path, "--at-n", "8", "--predictor", "flat")
    assert done.exit_code == 0, done.output
    assert read_forecast(tmp_path / "f.csv")["setting"].tolist() == ["100", "200"]
    assert "different questions (100 to 1000)" in done.stderr
    even = forecast(simulated_samples(questions=8, answers=4), tmp_path, "--predictor", "flat")
    assert "different questions" not in even.stderr


def test_curves_without_standard_errors_have_no_intervals_and_are_said_to(tmp_path: Path) -> None:
    done = forecast(curve(), tmp_path, "--at-n", "16", "--predictor", "flat")
    assert done.exit_code == 0, done.output
    assert read_forecast(tmp_path / "f.csv")["low"].isna().all()
    assert "(stderr)" in done.stderr
    assert "(stderr)" not in forecast(curve(stderr=0.02), tmp_path, "--at-n", "16").stderr


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_no_interval_of_a_usable_forecast_leaves_the_unit_interval(tmp_path: Path, value: float) -> None:
    frame = curve(accuracy=value, stderr=0.03)
    assert forecast(frame, tmp_path, "--at-n", "1,64", "--predictor", "all").exit_code == 0
    table = read_forecast(tmp_path / "f.csv").dropna(subset=["predicted"])
    assert len(table) >= 8
    assert (table["low"] >= 0).all()
    assert (table["high"] <= 1).all()


def test_curves_of_one_n_only_are_forecast_from_that_n(tmp_path: Path) -> None:
    done = forecast(curve().query("N == 2"), tmp_path, "--predictor", "all")
    assert done.exit_code == 0, done.output
    assert set(read_forecast(tmp_path / "f.csv")["role"]) == {"used"}


def test_more_replicates_than_fit_in_memory_are_refused(tmp_path: Path) -> None:
    done = forecast(curve(), tmp_path, "--bootstrap", "1000000000")
    assert done.exit_code == 2
    assert "--bootstrap" in done.output
