"""Poor or broken input: a clear message or a defined result, whichever command reads it."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from results import read_forecast
from tests.predict.commands import command, curve, forecast, predict
from tests.predict.conftest import simulated_samples
from tests.predict.stopped.simulated import samples

CACHED = Path(__file__).parents[3] / "results" / "cached"
FEW = simulated_samples(questions=8, answers=4)
GREEDY = FEW.assign(decoding="greedy", logprob=-1.0)
ONE_SETTING = FEW[FEW["setting"] == "40"]
SCORED = FEW.assign(score_judge=0.5)
BY_SCORE = "--score judge --score-cost 1"


def without(frame: pd.DataFrame, column: str, row: int = 3) -> pd.DataFrame:
    frame = frame.astype(object)
    frame.loc[row, column] = np.nan
    return frame


RUN, CAPPED = samples(n=4, Q=6), "--fit-cap 8000 --at-caps 9000"
CURVE, CURVES = curve(), Path("curves")
"""A curve of one setting without tokens; the curves of `curves_file`."""


@pytest.mark.parametrize(
    ("name", "source", "options", "words"),
    [
        ("forecast", FEW.drop(columns=["correct", "gold"]), "", "no column 'correct'"),
        ("forecast", FEW.drop(columns=["correct", "gold"]).assign(score=None), "", "no column 'correct'"),
        ("forecast", pd.concat([FEW, FEW.head(1)]), "", "a second row"),
        ("forecast", FEW.head(0), "", "no rows"),
        *(
            ("forecast", without(FEW, name), "", f"row 4, column '{name}'")
            for name in ("correct", "question_id", "sample")
        ),
        ("forecast", curve(accuracy=[0.5, 1.2, 0.6, 0.7]), "", "from 0 to 1"),
        ("forecast", curve(accuracy=[0.5, np.nan, 0.6, 0.7]), "", "accuracy"),
        ("forecast", curve(permutation=["0", "0", "0", "0"]), "", "no rows of method majority"),
        ("forecast", CURVE, "--predictor mixture", "it needs samples"),
        ("forecast", CURVE[2:], "--fit-max-n 3", "the smallest N is 4"),
        *(("forecast", FEW, f"--at-settings long={T}", "above 0") for T in ("-5", "0", "nan", "inf", "much")),
        ("forecast", FEW, "--at-settings =500", "NAME"),
        ("forecast", FEW, "--at-settings 80=500", "(80 has it)"),
        ("forecast", CURVES, "--fit-max-tokens 3", "takes 800"),
        ("forecast", CURVES, "--fit-max-tokens nan", "above 0"),
        ("forecast", CURVES, "--method best_of_n", "no rows of method best_of_n"),
        ("plan", FEW.drop(columns="tokens"), "", "no token counts"),
        ("plan", FEW.assign(tokens=0), "", "numbers above 0"),
        ("plan", CURVE, "", "no token counts"),
        ("plan", GREEDY, "--score logprob --score-cost 0", "greedy"),
        ("plan", FEW, "--score logprob --target-accuracy 0.5 --token-budget 9", "not both"),
        ("plan", SCORED, "--score judge", "--score-cost"),
        ("plan", SCORED, "--score nothing --score-cost 1", "nothing"),
        ("plan", SCORED, "--score-cost 1", "--score"),
        *(
            ("plan", SCORED, f"{BY_SCORE} --{option}", option.split()[0])
            for option in (
                *("predictor flat", "method majority", "target population", "at-settings new=9"),
                *("fit-cap 2", "at-caps 2", "bootstrap 2", "seed 2"),
            )
        ),
        ("precision", GREEDY, "--compare", "greedy"),
        ("precision", ONE_SETTING, "--compare", "nothing to compare"),
        ("plan", CURVES, "--predictor all", "one predictor"),
        ("backtest", FEW, "", "hides nothing"),
        *(
            (name, RUN, options, words)
            for name in ("forecast", "backtest")
            for options, words in (
                ("--fit-cap 8000", "--at-caps"),
                ("--at-caps 9000", "--fit-cap"),
                ("--fit-cap 8000 --at-caps 8000", "--at-caps 8000"),
                ("--fit-cap 8000 --at-caps x", "--at-caps"),
                ("--fit-cap 0 --at-caps 9", "--fit-cap"),
                ("--fit-cap 1 --at-caps 9", "the shortest"),
                (f"{CAPPED} --fit-settings a", "--fit-settings"),
                (f"{CAPPED} --predictor mixture", "mixture"),
            )
        ),
        ("forecast", RUN.drop(columns="tokens"), CAPPED, "'tokens'"),
        ("forecast", CURVES, CAPPED, "curves"),
        ("precision", CURVES, "", "give samples"),
        ("fits", Path("absent.csv"), "", "no such file"),
        ("fits", FEW, "--cluster question_id", "--cluster"),
        ("forecast", FEW, "--bootstrap 0 --target population", "--target"),
        ("backtest", FEW, "--bootstrap 0 --level 0.8", "--level"),
        ("fits", CACHED / "claims.csv", "", "claims"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_and_nothing_is_written(
    tmp_path: Path, curves_file: Path, name: str, source: pd.DataFrame | Path, options: str, words: str
) -> None:
    given, out = tmp_path / "input.csv", [] if name == "plan" else ["--out", tmp_path / "o.csv"]
    if isinstance(source, Path):
        given = curves_file if source is CURVES else source
    else:
        source.to_csv(given, index=False)
    done = predict(name, given, *out, *options.split())
    assert done.exit_code == 2
    assert words in done.output
    assert "forecast by" not in done.output
    assert {path.name for path in tmp_path.iterdir()} <= {"input.csv"}


def whole(frame: pd.DataFrame, folder: Path, *options: str) -> pd.DataFrame:
    """The forecast by every predictor, of which there is one."""
    done = forecast(frame, folder, "--predictor", "all", *options)
    assert done.exit_code == 0, done.output
    return read_forecast(folder / "f.csv")


def test_one_setting_only_is_forecast_by_n_and_not_identifiable_for_the_paper_s_algorithm(
    tmp_path: Path,
) -> None:
    table = whole(curve(), tmp_path, "--at-n", "16").set_index("predictor")
    assert table.loc["low-cost-to-high", "status"] == "not_identifiable"
    assert np.isnan(table.loc["low-cost-to-high", "predicted"])
    assert 0.55 < table.loc["power-law", "predicted"] < 0.8


def test_n_of_one_only_leaves_nothing_but_the_last_value(tmp_path: Path) -> None:
    table = whole(simulated_samples(answers=1), tmp_path, "--at-n", "8")
    status = table.groupby("predictor")["status"].agg(set).to_dict()
    assert status["power-law"] == status["low-cost-to-high"] == {"not_identifiable"}
    assert table[table["predictor"] == "default"]["predicted"].between(0, 1).all()


@pytest.mark.parametrize("correct", [True, False], ids=["all right", "all wrong"])
def test_unanimous_samples_give_defined_results(tmp_path: Path, correct: bool) -> None:
    frame = FEW.assign(answer="right" if correct else "wrong", correct=correct)
    table = whole(frame, tmp_path, "--at-n", "16")
    assert (table[table["predictor"] == "flat"]["predicted"] == float(correct)).all()
    assert table["predicted"].dropna().between(-1e-9, 1 + 1e-9).all()
    done = command("plan", frame, tmp_path, "--target-accuracy", "0.7", "--predictor", "flat")
    assert done.exit_code == 0, done.output
    told = next(line for line in done.output.splitlines() if "70.0 %" in line and "reach" in line)
    assert re.search(r"N = 1\b[,:]", told) if correct else "No choice reaches" in told


def test_unequal_pools_are_read_up_to_the_smallest_one(tmp_path: Path) -> None:
    frame = simulated_samples(questions=20, answers=8)
    short = (frame["question_id"] == "q3") & (frame["sample"] >= 5)
    table = whole(frame[~short], tmp_path, "--at-n", "5,6", "--predictor", "mixture")
    assert table["role"].tolist() == 4 * ["used", "forecast"]


@pytest.mark.parametrize(
    "frame",
    [simulated_samples(questions=1, answers=6), simulated_samples(questions=8, answers=4, settings=("40",))],
    ids=["one question", "one setting"],
)
def test_one_question_or_one_setting_is_forecast_and_planned_with(
    tmp_path: Path, frame: pd.DataFrame
) -> None:
    mixture = whole(frame, tmp_path, "--at-n", "12").query("predictor == 'default'")
    assert mixture["predicted"].between(0, 1).all()
    done = command("plan", frame, tmp_path, "--token-budget", "1000", "--predictor", "flat")
    assert done.exit_code == 0, done.output
    assert "Within 1,000 tokens per question" in done.output


def test_no_readable_answer_at_all_is_an_accuracy_of_nothing(tmp_path: Path) -> None:
    table = whole(FEW.assign(answer=None, correct=False), tmp_path, "--at-n", "16")
    assert (table.query("predictor == 'default'")["predicted"] < 0.01).all()


def test_questions_missing_at_one_setting_are_no_wrong_answers(tmp_path: Path) -> None:
    frame = simulated_samples(questions=20, answers=6)
    hard = frame.groupby("question_id")["correct"].mean().nsmallest(8).index
    cut = (frame["setting"] == "40") & frame["question_id"].isin(hard)
    assert forecast(frame[~cut], tmp_path, "--at-n", "1", "--predictor", "flat").exit_code == 0
    table = read_forecast(tmp_path / "f.csv").set_index("setting")
    easy = frame[(frame["setting"] == "40") & ~cut]
    assert table.loc["40", "accuracy"] == pytest.approx(easy["correct"].mean())
    assert table.loc["40", "questions"] == 12


@pytest.mark.parametrize("name", ["forecast", "backtest", "plan", "fits"])
def test_no_command_writes_over_what_it_reads(tmp_path: Path, name: str) -> None:
    source = tmp_path / "samples.csv"
    FEW.to_csv(source, index=False)
    before = source.read_bytes()
    more = ("--fit-max-n", "2") if name == "backtest" else ()
    for given in (source, tmp_path):  # a folder stands for the samples in it
        done = predict(name, given, "--out", source, *more)
        assert done.exit_code == 2, done.output
        assert str(source) in done.output
    assert source.read_bytes() == before


def test_settings_with_fewer_questions_keep_their_place_along_T(tmp_path: Path) -> None:
    frame = simulated_samples(questions=40, answers=6)
    few = frame["setting"].isin(["160", "320"]) & ~frame["question_id"].isin([f"q{i}" for i in range(5)])
    done = forecast(frame[~few], tmp_path)
    assert done.exit_code == 0, done.output
    table = read_forecast(tmp_path / "f.csv")
    assert table["setting"].unique().tolist() == ["40", "80", "160", "320"]
    assert set(table[table["role"] == "used"]["setting"]) == {"40", "80", "160"}
    dearest = table[table["setting"] == "320"].iloc[0]
    assert dearest["tokens_per_answer"] == pytest.approx(312.5)
    assert dearest["T"] == pytest.approx(312.5 * 5)
    assert "(5 to 40)" in done.stderr


def test_the_same_holds_for_curves_and_equal_questions_bring_no_warning(tmp_path: Path) -> None:
    long = {"setting": "200", "T": 2e4, "tokens_per_answer": 200.0, "questions": 100}
    short = {"setting": "100", "T": 1e5, "tokens_per_answer": 100.0, "questions": 1000}
    frame = pd.concat([curve(**long), curve(**short)])
    done = forecast(frame, tmp_path, "--at-n", "8", "--predictor", "flat")
    assert read_forecast(tmp_path / "f.csv")["setting"].tolist() == ["100", "200"]
    assert "(100 to 1000)" in done.stderr
    assert "different questions" not in forecast(FEW, tmp_path, "--predictor", "flat").stderr


def test_curves_without_standard_errors_have_no_intervals_and_are_said_to(tmp_path: Path) -> None:
    done = forecast(curve(), tmp_path, "--at-n", "16")
    assert done.exit_code == 0, done.output
    assert read_forecast(tmp_path / "f.csv")["low"].isna().all()
    assert "(stderr)" in done.stderr
    assert "(stderr)" not in forecast(curve(stderr=0.02), tmp_path, "--at-n", "16").stderr


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_no_interval_of_a_usable_forecast_leaves_the_unit_interval(tmp_path: Path, value: float) -> None:
    table = whole(curve(accuracy=value, stderr=0.03), tmp_path, "--at-n", "1,64").dropna(subset=["predicted"])
    assert len(table) >= 8
    assert (table["low"] >= 0).all()
    assert (table["high"] <= 1).all()


def test_curves_of_one_n_only_are_forecast_from_that_n(tmp_path: Path) -> None:
    assert set(whole(curve().query("N == 2"), tmp_path)["role"]) == {"used"}
