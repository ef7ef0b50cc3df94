"""results.tables: the contract of samples, curves and forecast; every refusal names file, row and column."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from results import (
    BadInput,
    as_samples,
    kind_of,
    read_curves,
    read_forecast,
    read_samples,
    write_curves,
    write_forecast,
    write_samples,
)
from results.tables import sample_files

KINDS = ["csv", "jsonl", "parquet"]

text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
# What a CSV writes for null cannot be told from text of the same letters in a column that may be null.
answers = text.filter(lambda cell: cell not in {"None", "nan", "NaN", "null", "<NA>"})


@st.composite
def samples_tables(draw: st.DrawFn) -> pd.DataFrame:
    keys = draw(st.lists(st.tuples(text, text, st.integers(0, 9)), min_size=1, max_size=6, unique=True))
    rows = [
        {
            "setting": setting,
            "question_id": question,
            "sample": sample,
            "answer": draw(st.none() | answers),
            "gold": draw(answers),
            "tokens": draw(st.none() | st.integers(0, 2**53)),
            "source": draw(st.sampled_from(["llm", "synthetic"])),
        }
        for setting, question, sample in keys
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(frame=samples_tables())
def test_samples_come_back_as_they_were_written(tmp_path: Path, kind: str, frame: pd.DataFrame) -> None:
    write_samples(frame, tmp_path / f"s.{kind}")
    back = read_samples(tmp_path / f"s.{kind}")
    pd.testing.assert_frame_equal(back, as_samples(frame, Path("memory")))
    assert back["correct"].tolist() == (frame["answer"] == frame["gold"]).tolist()
    assert (back["decoding"] == "sample").all()


curve_rows = st.lists(
    st.tuples(
        st.sampled_from(["majority", "best_of_n", "ensemble", "greedy"]),
        text,
        st.integers(1, 2**20),
        st.sampled_from(["exact", "0", "9"]),
        st.floats(0, 1),
        st.none() | st.floats(0, 1e9),
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda row: row[:4],
)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=curve_rows)
def test_curves_and_forecasts_come_back_as_they_were_written(
    tmp_path: Path, kind: str, rows: list[tuple[Any, ...]]
) -> None:
    frame = pd.DataFrame(rows, columns=["method", "setting", "N", "permutation", "accuracy", "T"])
    frame["T"] = frame["T"].astype("float64")
    write_curves(frame, tmp_path / f"c.{kind}")
    curves = read_curves(tmp_path / f"c.{kind}")
    rtol = 1e-9 if kind == "csv" else 0.0
    pd.testing.assert_frame_equal(curves[list(frame)], frame, check_dtype=False, rtol=rtol, atol=0.0)
    forecast = frame.assign(
        predictor="flat", role="used", predicted=-19.0, low=frame["T"], high=1.0, status="converged"
    )
    write_forecast(forecast, tmp_path / f"f.{kind}")
    back = read_forecast(tmp_path / f"f.{kind}")
    pd.testing.assert_frame_equal(back[list(forecast)], forecast, check_dtype=False, rtol=rtol, atol=0.0)


SAMPLE = {"question_id": "q", "sample": 0, "answer": "18", "gold": "18", "tokens": 87}
CURVE = {"method": "majority", "N": 4, "accuracy": 0.5}
FORECAST = {
    **CURVE,
    "predictor": "flat",
    "role": "used",
    "predicted": 0.5,
    "low": 0.4,
    "high": 0.6,
    "status": "ok",
}


def jsonl(folder: Path, *rows: dict[str, Any], name: str = "t.jsonl") -> Path:
    file = folder / name
    pd.DataFrame(list(rows), dtype=object).to_json(file, orient="records", lines=True)
    return file


def without(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != name}


def test_columns_absent_get_their_constant_and_correct_is_computed(tmp_path: Path) -> None:
    row = read_samples(jsonl(tmp_path, SAMPLE)).iloc[0]
    assert row[["dataset", "model", "setting", "decoding"]].tolist() == [
        "unknown",
        "unknown",
        "default",
        "sample",
    ]
    assert row["correct"]


def test_types_of_a_samples_table(tmp_path: Path) -> None:
    frame = read_samples(jsonl(tmp_path, SAMPLE, {**SAMPLE, "sample": 1, "answer": None, "tokens": None}))
    assert frame.dtypes[["question_id", "sample", "answer", "correct", "tokens"]].astype(str).tolist() == [
        "str",
        "Int64",
        "str",
        "bool",
        "Int64",
    ]
    assert frame["answer"].isna().tolist() == [False, True]
    assert frame["correct"].tolist() == [True, False]


def test_extra_columns_pass_through_behind_the_declared_ones(tmp_path: Path) -> None:
    frame = read_samples(jsonl(tmp_path, {"text": "so it is 18", "seed": 3, **SAMPLE}))
    assert list(frame.columns)[-2:] == ["text", "seed"]
    assert frame["seed"].tolist() == [3]


def test_csv_of_another_program_is_read(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("setting,question_id,sample,answer,correct\nnone,None,0,None,0\nnone,007,1,nan,False\n")
    frame = read_samples(file)
    assert frame["answer"].isna().all()
    assert frame["setting"].tolist() == ["none", "none"]
    assert frame["question_id"].tolist() == ["None", "007"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sample": -1}, r"row 2, column 'sample': found '-1', expected a number of at least 0"),
        ({"sample": 1.5}, r"row 2, column 'sample': found '1.5', expected a whole number"),
        ({"sample": True}, r"row 2, column 'sample': found 'True', expected a finite number"),
        ({"sample": "first"}, r"row 2, column 'sample': found 'first', expected a finite number"),
        ({"sample": None}, r"row 2, column 'sample': found nothing, expected a value"),
        ({"sample": [1]}, r"row 2, column 'sample': found '\[1\]', expected a finite number"),
        (
            {"tokens": 10**30},
            r"row 2, column 'tokens': found '.*', expected a whole number \(of at most 2\^53\)",
        ),
        ({"tokens": "inf"}, r"row 2, column 'tokens': found 'inf', expected a finite number"),
        ({"question_id": None}, r"row 2, column 'question_id': found nothing, expected a value"),
        ({"question_id": ""}, r"row 2, column 'question_id': found nothing, expected a value"),
        ({"answer": [18]}, r"row 2, column 'answer': found '\[18\]', expected text"),
        ({"answer": {"x": 1}}, r"row 2, column 'answer': found .*, expected text"),
        ({"gold": None}, r"row 2, column 'gold': found nothing, expected the right answer"),
        ({"decoding": "beam"}, r"row 2, column 'decoding': found 'beam', expected one of sample, greedy"),
        ({"source": "web"}, r"row 2, column 'source': found 'web', expected one of llm, synthetic"),
        ({"correct": "yes"}, r"row 2, column 'correct': found 'yes', expected true or false"),
        (
            {"correct": True, "answer": None},
            r"row 2, column 'correct': found 'True', expected false where no",
        ),
        ({"sample": 0}, r"row 2: a second row for .*question_id=q, sample=0, expected one"),
    ],
)
def test_bad_samples_row_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    first = {**SAMPLE, "decoding": "sample", "source": "llm"}
    if "correct" in change:
        first["correct"] = True
    file = jsonl(tmp_path, first, {**first, "sample": 1, **change})
    with pytest.raises(BadInput, match=rf"t\.jsonl: {message}"):
        read_samples(file)


@pytest.mark.parametrize("name", ["question_id", "sample", "answer"])
def test_missing_samples_column_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match=rf"no column '{name}', expected in the samples table"):
        read_samples(jsonl(tmp_path, without({**SAMPLE, "correct": True}, name)))


def test_neither_correct_nor_gold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no column 'correct', and no 'answer' and 'gold' to compute it from"):
        read_samples(jsonl(tmp_path, without(SAMPLE, "gold")))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"N": 0}, "column 'N': found '0', expected a number of at least 1"),
        ({"accuracy": 1.2}, "column 'accuracy': found '1.2', expected a number from 0 to 1"),
        ({"accuracy": None}, "expected an accuracy or a risk in every row"),
        ({"method": "mode"}, "column 'method': found 'mode', expected one of majority, best_of_n"),
        ({"stderr": -0.1}, "column 'stderr': found '-0.1', expected a number of at least 0"),
        ({"T": "long"}, "column 'T': found 'long', expected a finite number"),
        ({"N": 4}, "a second row for .*N=4, permutation=exact, expected one"),
    ],
)
def test_bad_curves_row_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=rf"t\.jsonl: row 2.*{message}"):
        read_curves(jsonl(tmp_path, CURVE, {**CURVE, "N": 8, **change}))


def test_risk_takes_the_place_of_accuracy(tmp_path: Path) -> None:
    assert read_curves(jsonl(tmp_path, {"method": "ensemble", "N": 1, "risk": 33.5}))["risk"].tolist() == [
        33.5
    ]


@pytest.mark.parametrize("name", ["predictor", "role", "predicted", "low", "high", "status"])
def test_missing_forecast_column_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match=f"no column '{name}', expected in the forecast table"):
        read_forecast(jsonl(tmp_path, without(FORECAST, name)))


def test_two_predictors_may_forecast_the_same_point(tmp_path: Path) -> None:
    both = jsonl(tmp_path, FORECAST, {**FORECAST, "predictor": "power-law"})
    assert len(read_forecast(both)) == 2
    with pytest.raises(BadInput, match=r"row 2: a second row for .*predictor=flat"):
        read_forecast(jsonl(tmp_path, FORECAST, FORECAST))


def test_several_inputs_are_joined_in_order(tmp_path: Path) -> None:
    first = jsonl(tmp_path, {**SAMPLE, "tokens": None}, name="a.jsonl")
    second = jsonl(tmp_path, without({**SAMPLE, "sample": 1, "text": "x"}, "tokens"), name="b.jsonl")
    joined = read_samples(first, second)
    assert joined["sample"].tolist() == [0, 1]
    assert joined["tokens"].isna().all()
    assert joined["correct"].dtype == bool


def test_row_given_twice_by_two_inputs_is_named_in_the_second(tmp_path: Path) -> None:
    first = jsonl(tmp_path, *({**SAMPLE, "sample": i} for i in range(3)), name="a.jsonl")
    second = jsonl(tmp_path, {**SAMPLE, "sample": 7}, {**SAMPLE, "sample": 1}, name="b.jsonl")
    with pytest.raises(BadInput, match=r"b\.jsonl: row 2: a second row for .*sample=1, expected one"):
        read_samples(first, second)


def test_folder_stands_for_the_samples_in_it(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no samples\.jsonl \(or \.parquet, \.csv\) in this folder"):
        read_samples(tmp_path)
    write_samples(pd.DataFrame([SAMPLE]), tmp_path / "samples.csv")
    write_samples(pd.DataFrame([SAMPLE, {**SAMPLE, "sample": 1}]), tmp_path / "samples.jsonl")
    assert len(read_samples(tmp_path)) == 2
    assert sample_files(tmp_path) == [tmp_path / "samples.jsonl"]


def test_table_without_rows_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("question_id,sample,answer,correct\n")
    with pytest.raises(BadInput, match="no rows, expected at least one row of the samples table"):
        read_samples(file)


def test_column_given_twice_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("question_id,sample,answer,answer,correct\nq,0,1,1,1\n")
    with pytest.raises(BadInput, match="column 'answer' appears twice, expected once"):
        read_samples(file)


def test_write_converts_as_reading_does(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"question_id": [7, 8], "sample": np.array([0, 1], np.int16), "answer": [18.0, np.nan]}
    )
    write_samples(frame.assign(correct=[1, 0]), tmp_path / "s.csv")
    back = read_samples(tmp_path / "s.csv")
    assert back["question_id"].tolist() == ["7", "8"]
    assert back["answer"].tolist()[0] == "18"
    assert back["correct"].tolist() == [True, False]


def test_refused_table_is_not_written(tmp_path: Path) -> None:
    file = tmp_path / "c.csv"
    write_curves(pd.DataFrame([CURVE]), file)
    with pytest.raises(BadInput, match=r"found '7\.0', expected a number from 0 to 1"):
        write_curves(pd.DataFrame([{**CURVE, "accuracy": 7.0}]), file)
    assert read_curves(file)["accuracy"].tolist() == [0.5]


def test_kind_of_a_file_is_told_by_its_columns(tmp_path: Path) -> None:
    for kind, row in (("samples", SAMPLE), ("curves", CURVE), ("forecast", FORECAST)):
        assert kind_of(jsonl(tmp_path, row)) == kind
    with pytest.raises(BadInput, match="columns a are none of samples"):
        kind_of(jsonl(tmp_path, {"a": 1}))


def test_the_frame_that_is_written_is_left_as_it_was(tmp_path: Path) -> None:
    frame = pd.DataFrame([SAMPLE])
    copy = frame.copy(deep=True)
    write_samples(frame, tmp_path / "s.csv")
    pd.testing.assert_frame_equal(frame, copy)
