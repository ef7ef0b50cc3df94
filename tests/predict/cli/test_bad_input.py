"""Poor or broken input gives a clear message or a defined result, whichever command reads it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from predict.evidence.groups import groups_of_samples
from predict.evidence.request import Request
from predict.evidence.targets import split
from results import read_forecast
from tests.predict.commands import curve, forecast, predict
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
        ("forecast", curve(permutation=["0", "0", "0", "0"]), "", "best_of_n, permutation exact"),
        ("forecast", CURVE, "--predictor mixture", "it needs samples"),
        ("fits", curve(cost=1, known="measured").drop(columns="accuracy"), "", "a plan table, expected one"),
        ("forecast", CURVE[2:], "--fit-max-n 3", "the smallest N is 4"),
        *(("forecast", FEW, f"--at-settings long={T}", "above 0") for T in ("-5", "0", "nan", "inf", "much")),
        ("forecast", FEW, "--at-settings =500", "NAME"),
        *(("forecast", FEW, f"--{name}-settings=", f"{name}_settings: found ''") for name in ("fit", "at")),
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
        ("plan", SCORED.drop(columns="tokens"), BY_SCORE, "tokens"),
        *(
            ("plan", SCORED, f"{BY_SCORE} --{option}", option.split()[0])
            for option in (
                *("predictor flat", "method majority", "target population", "at-settings new=9"),
                *("fit-cap 2", "at-caps 2", "bootstrap 2", "seed 2", "price sim=1"),
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
                ("--fit-cap 8000 --at-caps 9000,8000", "--at-caps 8000"),
                ("--fit-cap 8000 --at-caps x", "--at-caps"),
                ("--fit-cap 0 --at-caps 9", "--fit-cap"),
                ("--fit-cap 1 --at-caps 9", "the shortest"),
                (f"{CAPPED} --fit-settings a", "--fit-settings"),
                (f"{CAPPED} --predictor mixture", "mixture"),
            )
        ),
        ("forecast", RUN.drop(columns="tokens"), CAPPED, "'tokens'"),
        ("forecast", CURVES, CAPPED, "curves"),
        ("forecast", RUN, f"{CAPPED} --fit-max-tokens 9", "--fit-max-tokens"),
        ("plan", RUN, "--fit-cap 8000", "--at-caps"),
        ("precision", CURVES, "", "give samples"),
        ("precision", FEW, "--price sim=1", "--price"),
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


TWO_SETTINGS = simulated_samples(questions=6, answers=4, settings=("40", "80"))
ODD = {
    "one setting": curve(),
    "one N": curve().query("N == 2"),
    "curves all wrong": curve(accuracy=0.0, stderr=0.03),
    "curves all right": curve(accuracy=1.0, stderr=0.03),
    "one answer": simulated_samples(questions=6, answers=1),
    "one question": simulated_samples(questions=1, answers=6),
    "all right": TWO_SETTINGS.assign(answer="right", correct=True),
    "all wrong": TWO_SETTINGS.assign(answer="wrong", correct=False),
    "unreadable": TWO_SETTINGS.assign(answer=None, correct=False),
}
CONSTANT = {"all right": 1.0, "all wrong": 0.0, "unreadable": 0.0}


@pytest.mark.parametrize("kind", ODD)
def test_every_predictor_makes_an_accuracy_or_none_of_little_or_unanimous_data(
    tmp_path: Path, kind: str
) -> None:
    done = forecast(ODD[kind], tmp_path, "--predictor", "all", "--at-n", "2,16")
    assert done.exit_code == 0, done.output
    table = read_forecast(tmp_path / "f.csv")
    known = table.dropna(subset=["predicted"])
    assert {"default", "flat"} <= set(known["predictor"])
    assert known["predicted"].between(-1e-9, 1 + 1e-9).all()
    assert not (known["low"] < 0).any()
    assert not (known["high"] > 1).any()
    assert set(table.loc[table["predicted"].isna(), "status"]) <= {"not_identifiable"}
    flat = known.loc[known["predictor"] == "flat", "predicted"]
    assert flat.to_numpy() == pytest.approx(CONSTANT.get(kind, flat))


def test_unequal_pools_are_read_up_to_the_smallest_one() -> None:
    frame = simulated_samples(questions=20, answers=8)
    short = (frame["question_id"] == "q3") & (frame["sample"] >= 5)
    (group,) = groups_of_samples(frame[~short], "majority")
    assert split(group, Request(at_n=(5, 6))).role == 4 * ("used", "forecast")


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
    for given in (source, tmp_path):  # a folder means the samples in it
        done = predict(name, given, "--out", source, *more)
        assert done.exit_code == 2, done.output
        assert str(source) in done.output
    assert source.read_bytes() == before


def test_settings_with_fewer_questions_keep_their_place_along_T(tmp_path: Path) -> None:
    frame = simulated_samples(questions=40, answers=6)
    few = frame["setting"].isin(["160", "320"]) & ~frame["question_id"].isin([f"q{i}" for i in range(5)])
    done = forecast(frame[~few], tmp_path, "--predictor", "flat")
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
