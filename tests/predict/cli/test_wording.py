"""Numbers, sentences and tables as they are printed."""

import re

import numpy as np
import pandas as pd
import pytest

from predict.cli.forecast import show
from predict.cli.wording import spread
from predict.estimate import Status
from predict.evidence.groups import groups_of_curves, groups_of_samples
from predict.evidence.request import Request
from predict.evidence.targets import expected_length, split
from predict.forecast_table import caveats, new_lengths, places, warnings
from results.tables.status import SHORT
from tests.predict.commands import curve
from tests.predict.conftest import simulated_samples


def test_every_status_has_words() -> None:
    assert set(SHORT) == set(Status)


def table(**columns: object) -> pd.DataFrame:
    base = {
        "source": "llm",
        "setting": ["a", "a", "b", "b"],
        "N": [1, 8, 1, 8],
        "tokens_per_answer": [10.0, 10.0, 50.0, 50.0],
        "accuracy": [0.5, 0.6, 0.7, 0.8],
        "role": ["used", "held_out", "used", "held_out"],
        "predicted": [0.55, 0.62, 0.71, 0.76],
        "low": 0.6,
        "high": 0.79,
        "status": "ok",
        "predictor": "flat",
        "condition": 7.0,
        "new_low": 0.5,
        "new_high": 0.9,
    }
    return pd.DataFrame({**base, **columns})


def test_of_several_predictors_the_last_is_printed_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    """And each of which nothing was held out; what was fitted is named, of many settings the ends."""
    both = pd.concat([table(), table(predictor="exponential")])
    show("m on d", both)
    told = capsys.readouterr().out
    assert [told.count(word) for word in ("by flat", "by exponential", "setting  ", "errors in points")] == [
        1
    ] * 4
    assert told.count("from settings a, b, N up to 1\n") == 2
    row = next(line.split() for line in told.splitlines() if line.startswith("b "))
    assert row[:5] + row[-3:] == ["b", "50", "8", "400", "76.0", "80.0", "%", "ok"]
    show("m on d", both.assign(role="forecast"), 4)
    told = capsys.readouterr().out
    assert told.count("setting  ") == 2
    many = pd.concat([table(setting=f"s{i}", role="used", N=[1, 2, 4, 8]) for i in range(7)])
    show("m on d", many.assign(source="synthetic"), 4)
    told = capsys.readouterr().out
    assert "from settings s0 … s6, N up to 4\n" in told
    assert "… 7 more in the file" in told
    assert "steps/answer" in told


def test_warnings_name_what_is_asked_and_not_ok() -> None:
    """Three places, or all; of an unstable forecast the worst condition number."""
    status = ["falling", "ill_conditioned", "ok", "ill_conditioned"]
    first, second = warnings(
        pd.concat(
            [
                table(role=["used", *3 * ["forecast"]], status=status, condition=[9e9, 200, 9e9, 300]),
                table(predictor="exponential", role="forecast", status="poor_fit"),
            ]
        )
    )
    assert first.startswith("flat, setting a at N = 8, setting b at N = 8: ill_conditioned: ")
    assert first.endswith("(condition number 300)")
    assert second.startswith("exponential, every forecast: poor_fit: ")
    assert "condition number" not in second
    falls = table(role="forecast", status="falling")
    (many,) = warnings(pd.concat([falls, falls.assign(status=["ok", *3 * ["falling"]])]))
    assert ", setting b at N = 1 and 4 more: falling" in many


def test_what_a_table_does_not_tell_is_said() -> None:
    frame = simulated_samples(questions=6, answers=3, settings=("40", "80"))
    others = frame["question_id"].where(frame["setting"] == "40", "x" + frame["question_id"])
    (told,) = caveats(groups_of_samples(frame.assign(question_id=others), "majority")[0], 5)
    assert "different questions," in told  # as many of them
    assert not caveats(groups_of_samples(frame, "majority")[0], 5)
    (gaps,) = groups_of_curves(curve(**LLM, stderr=[0.1, 0.1, np.nan, 0.1]), "majority")
    assert [len(caveats(gaps, replicates)) for replicates in (5, 0)] == [1, 0]


LLM = {"source": "llm", "dataset": "d", "model": "m", "permutation": "exact"}


@pytest.mark.parametrize(
    ("columns", "T", "per_answer"),
    [
        ({"tokens_per_answer": 100.0, "T": np.nan}, np.nan, 100),
        ({"tokens_per_answer": 100.0, "questions": 50}, 5000, 100),
        ({"T": 800.0}, 800, np.nan),
        ({"T": 800.0, "questions": 8}, 800, 100),
        ({"source": "synthetic", "T": 12.0}, 12, 12),
    ],
)
def test_lengths_of_an_answer_and_of_all_are_told_where_they_are_known(
    columns: dict[str, object], T: float, per_answer: float
) -> None:
    (group,) = groups_of_curves(curve(**{**LLM, **columns}), "majority")
    found = places(group, split(group, Request(at_n=(1, 16))))
    assert found["T"].to_numpy() == pytest.approx([T, T], nan_ok=True)
    assert found["tokens_per_answer"].to_numpy() == pytest.approx([per_answer] * 2, nan_ok=True)
    assert found["role"].tolist() == ["used", "forecast"]


def test_a_length_that_is_a_forecast_itself_is_told_with_its_interval() -> None:
    lengths = {"100": 61.0, "200": 118.0, "400": 190.0}
    frame = pd.concat([curve(**LLM, setting=name, tokens_per_answer=T) for name, T in lengths.items()])
    (group,) = groups_of_curves(frame, "majority")
    (told,) = new_lengths(group, split(group, Request(at_settings=("800", "200", "x=50"))))
    T, sd = expected_length("800", lengths) or (0, 0)
    ends = [T * np.exp(by * 1.645 * sd) for by in (0, -1, 1)]
    assert [float(n) for n in re.findall(r"\d+", told)] == pytest.approx([800, *ends], abs=0.6)


@pytest.mark.parametrize(("settings", "counts"), [(3, 9), (9, 9), (30, 4)])
def test_a_long_table_keeps_every_setting_and_its_ends(settings: int, counts: int) -> None:
    rows = pd.DataFrame(
        {"setting": np.repeat(np.arange(settings), counts), "N": np.tile(2 ** np.arange(counts), settings)}
    )
    shown = spread(rows, 24)
    assert set(shown["setting"]) == set(range(settings))
    assert {1, 2 ** (counts - 1)} <= set(shown["N"])
    assert len(shown) <= max(24, 2 * settings)
