"""predict.library: its documented examples, and the same forecasts as from the command."""

import doctest
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import predict.library
from predict import forecast, plan
from results import BadInput, as_samples, build_curves, read_forecast
from results.library import as_frame
from tests.predict import commands

ANSWERS, GOLD = [list("7" * right + "abcabdae"[right:]) for right in range(9)], ["7"] * 9


def test_documented_lines_give_what_stands_beside_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("predict.answers.mixture.IMAGINED", 2**15)  # as for users
    found = doctest.testmod(predict.library)
    assert (found.failed, found.attempted) == (0, 3)
    assert dir(predict) == ["forecast", "plan"]  # what a notebook completes


@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        ("lists", {}),
        ("samples", {"predictor": "mixture", "method": "best_of_n", "seed": 5, "at_settings": "b"}),
        ("curves", {"predictor": "power-law", "fit_max_n": 5}),
    ],
)
@pytest.mark.filterwarnings("ignore:your answers")
def test_forecasts_are_those_of_the_command(kind: str, asked: dict[str, Any], tmp_path: Path) -> None:
    samples = as_frame(ANSWERS, GOLD)
    given = build_curves(samples, permutations=0) if kind == "curves" else samples
    if kind == "samples":
        given = pd.concat([samples.assign(setting="a"), samples.assign(setting="b")])
    options = [f"--{name.replace('_', '-')}={value}" for name, value in asked.items()]
    assert commands.forecast(given, tmp_path, "--at-n", "4,16", *options).exit_code == 0
    data = (ANSWERS, GOLD) if kind == "lists" else (given,)
    columns = ["setting", "N", "role", "accuracy", "predicted", "low", "high", "status"]
    expected = read_forecast(tmp_path / "f.csv")[columns]
    found = forecast(*data, at_n=[4, 16], replicates=20, **asked)[columns]
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-7)


@pytest.mark.filterwarnings("ignore:your answers")
def test_intervals_of_a_plan_have_the_level_asked_for() -> None:
    samples = as_frame(ANSWERS, GOLD).assign(tokens=10)
    of_half, of_most = (plan(samples, level=level, replicates=20, max_n=4)[0].judged for level in (0.5, 0.9))
    assert of_half["predicted"].tolist() == of_most["predicted"].tolist()
    narrow, wide = (rows["high"] - rows["low"] for rows in (of_half, of_most))
    assert (narrow < wide)[wide > 0].all()
    assert (wide > 0).any()
    two = pd.concat([samples.assign(setting=name, tokens=n) for name, n in (("default", 10), ("long", 20))])
    (longer,) = plan(two, at_settings=["longer=40"], replicates=20, max_n=4)
    assert set(longer.options["setting"]) == {"default", "long", "longer"}


@pytest.mark.filterwarnings("ignore:your answers")
def test_a_warning_names_the_group() -> None:
    with pytest.warns(UserWarning, match=r"your answers.*do not show single questions"):
        forecast(build_curves(as_frame(ANSWERS, GOLD), permutations=0), at_n=[16], replicates=0)


def test_what_cannot_be_forecast_is_named() -> None:
    samples = as_frame(ANSWERS, GOLD)
    with pytest.raises(BadInput, match="gold"):
        forecast(ANSWERS, at_n=[4])
    with pytest.raises(BadInput, match="columns"):
        forecast(pd.DataFrame({"x": [1]}))
    with pytest.raises(BadInput, match="row 3, column 'sample'"):
        forecast(samples.assign(sample=["0", "1", "two", *"3" * 69]))
    with pytest.raises(BadInput, match="plan table"):
        forecast(pd.DataFrame(columns=["known", "cost"]))
    with pytest.raises(BadInput, match="no forecast of best_by_score"):
        forecast(samples, method="best_by_score")
    with pytest.raises(BadInput, match="question 0: found '77777', expected a list"):
        forecast(["77777"], ["7"])
    with pytest.raises(BadInput, match="default: it is measured"):
        plan(samples.assign(tokens=10), at_settings=["default"])
    with pytest.raises(BadInput, match="oracle"):
        forecast(as_samples(samples), predictor="oracle")
