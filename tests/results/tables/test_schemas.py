"""results.tables.schemas: a bad row is named by file, row, column."""

import pandas as pd
import pytest

from results import BadInput, read_curves, read_forecast, read_samples
from results.tables.files import write_raw
from tests.results.tables.rows import CURVE, FORECAST, SAMPLE, jsonl, without


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sample": -1}, r"row 2, column 'sample': found '-1', expected a number of at least 0"),
        ({"sample": None}, r"row 2, column 'sample': found nothing, expected a value"),
        ({"question_id": None}, r"row 2, column 'question_id': found nothing, expected a value"),
        ({"question_id": ""}, r"row 2, column 'question_id': found nothing, expected a value"),
        ({"answer": [18]}, r"row 2, column 'answer': found '\[18\]', expected text"),
        ({"gold": None}, r"row 2, column 'gold': found nothing, expected the right answer"),
        ({"decoding": "beam"}, r"row 2, column 'decoding': found 'beam', expected one of sample, greedy"),
        ({"source": "web"}, r"row 2, column 'source': found 'web', expected one of llm, synthetic"),
        ({"correct": "yes"}, r"row 2, column 'correct': found 'yes', expected true or false"),
        ({"correct": True, "answer": None}, r"row 2, column 'correct': found 'True'"),
        ({"sample": 0}, r"row 2: a second row for .*question_id=q, sample=0, expected one"),
    ],
)
def test_bad_samples_row_is_named(tmp_path, change, message):
    first = {**SAMPLE, "decoding": "sample", "source": "llm", "setting": "a"}
    if "correct" in change:
        first["correct"] = True
    bad = {**first, "sample": 1, **change}
    file = jsonl(tmp_path, first, bad, {**bad, "setting": "b"})  # the first bad row is named
    with pytest.raises(BadInput, match=rf"t\.jsonl: {message}"):
        read_samples(file)


@pytest.mark.parametrize("name", ["question_id", "sample", "answer"])
def test_missing_samples_column_is_named(tmp_path, name):
    with pytest.raises(BadInput, match=rf"no column '{name}', expected in the samples table"):
        read_samples(jsonl(tmp_path, without({**SAMPLE, "correct": True}, name)))


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_table_of_other_columns_lacks_all_of_them(tmp_path, ending):
    write_raw(pd.DataFrame({"id": ["a", "b"], "run": [1, 2]}), tmp_path / f"t.{ending}")
    for texts in (True, False):
        with pytest.raises(BadInput, match=rf"t\.{ending}: no column 'question_id', 'sample', 'answer'"):
            read_samples(tmp_path / f"t.{ending}", texts=texts)


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
def test_bad_curves_row_is_named(tmp_path, change, message):
    with pytest.raises(BadInput, match=rf"t\.jsonl: row 2.*{message}"):
        read_curves(jsonl(tmp_path, CURVE, {**CURVE, "N": 8, **change}))


def test_risk_takes_the_place_of_accuracy(tmp_path):
    file = jsonl(tmp_path, {"method": "ensemble", "N": 1, "risk": 33.5})
    assert read_curves(file)["risk"].tolist() == [33.5]


@pytest.mark.parametrize("name", ["predictor", "role", "predicted", "low", "high", "status"])
def test_missing_forecast_column_is_named(tmp_path, name):
    with pytest.raises(BadInput, match=f"no column '{name}', expected in the forecast table"):
        read_forecast(jsonl(tmp_path, without(FORECAST, name)))


def test_two_predictors_may_forecast_the_same_point(tmp_path):
    both = jsonl(tmp_path, FORECAST, {**FORECAST, "predictor": "power-law"})
    assert len(read_forecast(both)) == 2
    with pytest.raises(BadInput, match=r"row 2: a second row for .*predictor=flat"):
        read_forecast(jsonl(tmp_path, FORECAST, FORECAST))
