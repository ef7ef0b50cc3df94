"""Reading a run's folder from outside, whatever state it is in."""

import json
from pathlib import Path

import pandas as pd
import pytest

from harness.experiment import Experiment, read_experiment
from harness.questions.load import Question
from harness.run.reading import experiment_in, measured_rate, read_record, stored_rows
from harness.run.record import Record
from results import BadInput, write_samples

ROWS = [
    {"question_id": "a", "sample": 0, "setting": "10", "answer": "1", "gold": "1", "tokens": 9},
    {"question_id": "a", "sample": 1, "setting": "10", "answer": None, "gold": "1", "tokens": 8},
]


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_every_kind_of_table_gives_the_same_rows(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"samples{suffix}"
    write_samples(pd.DataFrame(ROWS), path)
    first, second = stored_rows(path)
    for row, answer, correct in ((first, "1", True), (second, None, False)):
        assert (row["question_id"], row["setting"], row["decoding"]) == ("a", "10", "sample")
        assert (row["answer"], row["correct"], row["gold"], row["text"]) == (answer, correct, "1", None)
    assert (second["sample"], second["tokens"]) == (1, 8)


def test_a_line_that_is_being_written_is_left_out_and_nothing_is_touched(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    whole = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
    torn = json.dumps({**ROWS[0], "sample": 2, "text": "é"}, ensure_ascii=False).encode()
    for cut in range(len(torn)):
        path.write_bytes(whole + torn[:cut])
        assert [row["sample"] for row in stored_rows(path)] == [0, 1]
        assert path.read_bytes() == whole + torn[:cut]
    path.write_bytes(whole + torn)
    assert [row["sample"] for row in stored_rows(path)] == [0, 1, 2]


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"question_id": "a"}', '{"question_id": "a", "sample": "x"}', "7"]
)
def test_a_broken_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text(json.dumps(ROWS[0]) + f"\n{line}\n")
    with pytest.raises(
        BadInput, match=r"samples\.jsonl: row 2: found .*, expected a row of the samples table"
    ):
        list(stored_rows(path))


def record(folder: Path) -> tuple[Record, Experiment]:
    experiment = read_experiment("tiny", {"budgets": "10"})
    return Record(folder, experiment, [Question("a", "Problem?", "1")]), experiment


def test_the_rate_is_that_of_the_last_session_that_has_ended(tmp_path: Path) -> None:
    assert measured_rate(tmp_path) is None
    run, experiment = record(tmp_path)
    for tokens in (500, 700):
        run.begin({}, planned=9)
        run.end(answers=3, tokens=tokens, summary={})
    run.begin({}, planned=9)
    found = read_record(tmp_path)
    assert found is not None
    for session, seconds in zip(found["sessions"], (5.0, 3.5, None), strict=True):
        session["seconds"] = seconds
    (tmp_path / "run.json").write_text(json.dumps(found))
    assert measured_rate(tmp_path) == (200.0, found["sessions"][1]["started"])
    assert experiment_in(tmp_path) == experiment


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"experiment": {}}', '{"experiment": {"colour": 1}}'])
def test_a_record_of_another_kind_is_no_record(tmp_path: Path, content: str) -> None:
    (tmp_path / "run.json").write_text(content)
    assert experiment_in(tmp_path) is None
    assert measured_rate(tmp_path) is None
