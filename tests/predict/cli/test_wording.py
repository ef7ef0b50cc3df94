"""Numbers, sentences and tables as they are printed."""

import re

import numpy as np
import pandas as pd
import pytest

from predict.cli.forecast import show, spread
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


def test_what_a_table_does_not_tell_is_said() -> None:
    frame = simulated_samples(questions=6, answers=3, settings=("40", "80"))
    others = frame["question_id"].where(frame["setting"] == "40", "x" + frame["question_id"])
    (told,) = caveats(groups_of_samples(frame.assign(question_id=others), "majority")[0], 5)
    assert "different questions," in told  # though equally many
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
    task = split(group, Request(at_n=(1, 16)))
    found = places(group, task.targets, task.truth, task.stderr, task.role)
    assert found["T"].to_numpy() == pytest.approx([T, T], nan_ok=True)
    assert found["tokens_per_answer"].to_numpy() == pytest.approx([per_answer] * 2, nan_ok=True)
    assert found["role"].tolist() == ["used", "forecast"]


def test_a_length_that_is_a_forecast_itself_is_told_with_its_interval() -> None:
    lengths = {"100": 61.0, "200": 118.0, "400": 190.0}
    frame = pd.concat([curve(**LLM, setting=name, tokens_per_answer=T) for name, T in lengths.items()])
    (group,) = groups_of_curves(frame, "majority")
    (told,) = new_lengths(group, split(group, Request(at_settings=("800", "200", "x=50"))), 0.9)
    T, sd = expected_length("800", lengths) or (0, 0)
    ends = [T * np.exp(by * 1.645 * sd) for by in (0, -1, 1)]
    assert [float(n) for n in re.findall(r"\d+", told)] == pytest.approx([800, *ends], abs=0.6)


def test_doubts_are_told_of_each_predictor_and_of_every_forecast_at_once() -> None:
    told = {"role": "forecast", "setting": "s", "N": [1, 2, 1, 2], "condition": np.nan}
    table = pd.DataFrame({"predictor": list("aabb"), "status": ["falling"] * 2 + ["ok", "falling"], **told})
    said = [line.partition(":")[0] for line in warnings(table)]
    assert said == ["a, every forecast", "b, setting s at N = 2"]


def test_what_a_long_table_leaves_out_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    many = pd.concat([curve(**{**LLM, "setting": f"s{i}", "T": 1e3 * i}) for i in range(1, 8)])
    told = {"predictor": "flat", "status": "ok", "predicted": 0.5, "low": 0.4, "high": 0.6, "condition": 7.0}
    table = many.assign(role="used", tokens_per_answer=10.0, new_low=0.3, new_high=0.7, **told)
    show("m on d", table, [f"s{i}" for i in range(1, 8)], 4)
    said = capsys.readouterr().out
    assert "from settings s1 … s7, N up to 4\n" in said
    assert "… 7 more in the file" in said
    judged = [table.assign(predictor=name, role="held_out") for name in ("flat", "exponential")]
    show("m on d", pd.concat(judged), ["s1"], 4)
    assert re.findall("forecast by (.*)", capsys.readouterr().out) == ["exponential"]  # the last


@pytest.mark.parametrize(("settings", "counts"), [(3, 9), (9, 9), (30, 4)])
def test_a_long_table_keeps_every_setting_and_its_ends(settings: int, counts: int) -> None:
    rows = pd.DataFrame(
        {"setting": np.repeat(np.arange(settings), counts), "N": np.tile(2 ** np.arange(counts), settings)}
    )
    shown = spread(rows, 24)
    assert set(shown["setting"]) == set(range(settings))
    assert {1, 2 ** (counts - 1)} <= set(shown["N"])
    assert len(shown) <= max(24, 2 * settings)
