"""Files in the formats of other tools become the samples tables beside them."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.cli.import_samples import import_samples
from harness.imports.foreign_columns import import_table
from harness.imports.formats import FORMATS
from results import BadInput, read_samples
from tests.harness.commands import imported

EXAMPLES = Path(__file__).parent / "formats"


OPTIONS = {"opencompass": ["--grade", "last-number"]}
ONE_LESS = ("every-eval-ever", "evalscope", "harbor", "terminal-bench", "swe-bench")
LEFT_OUT = dict.fromkeys(ONE_LESS, 1) | {"tau-bench": 2, "verifiers": 2}
"""Requests that failed, and what nobody has scored."""


@pytest.mark.parametrize("kind", FORMATS)
def test_files_of_a_format_are_the_table_beside_them(kind: str, tmp_path: Path) -> None:
    said = imported(kind, EXAMPLES / kind, "--out", tmp_path, *OPTIONS.get(kind, [])).output
    expected = read_samples(EXAMPLES / f"{kind}.csv")
    assert f"{len(expected)} answers to" in said
    assert f" {LEFT_OUT.get(kind, 0)} rows left out" in said
    assert ("--model NAME" in said) == (kind == "nemo-skills")
    pd.testing.assert_frame_equal(read_samples(tmp_path)[[*expected]], expected)


def test_what_readers_would_find_in_unread_texts_is_said(tmp_path: Path) -> None:
    said = imported("verifiers", EXAMPLES / "verifiers", "--out", tmp_path / "a").output
    assert "5 of 5 answers were not read" in said
    assert "last-number 5" in said
    read = imported("evalscope", EXAMPLES / "evalscope", "--out", tmp_path / "b").output
    assert "not read" not in read


def test_the_command_knows_the_formats() -> None:
    (kinds,) = (option.type.choices for option in import_samples.params if option.name == "kind")
    assert {*kinds} - {*FORMATS} == {"lm-eval", "inspect", "csv", "jsonl", "parquet"}
    assert {*FORMATS} <= {*kinds}


def test_options_of_tables_are_for_formats_too() -> None:
    folder = EXAMPLES / "nemo-skills"
    drop, right = [("predicted_answer", "")], [("is_correct", "false")]
    table, left_out, _ = import_table(folder, {}, drop, {"setting": "low"}, right, ["18.0"], kind=folder.name)
    assert (left_out, set(table["setting"])) == (2, {"low"})
    assert table["answer"].fillna("").tolist() == ["", "7", "7", "7"]
    assert table["correct"].tolist() == [False, True, True, True]


def test_one_data_set_in_two_folders_is_no_data_set_of_one_model(tmp_path: Path) -> None:
    for model, number in (("a", 0), ("b", 1)):
        file = tmp_path / model / "gsm8k" / f"output-rs{number}.jsonl"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"id": 0, "predicted_answer": "7", "expected_answer": "7"}))
    with pytest.raises(BadInput, match=r"gsm8k in .*a.gsm8k and in .*b.gsm8k"):
        import_table(tmp_path, kind="nemo-skills")


@pytest.mark.parametrize(("letters", "shown"), [(100, 100), (101, 16)])
def test_a_question_that_is_named_by_a_long_text_gets_a_hash_of_it(
    letters: int, shown: int, tmp_path: Path
) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps({"problem": "x" * letters, "predicted_answer": "7"}))
    given = {"gold": "7"}
    (name,) = import_table(tmp_path / "x.jsonl", given=given, kind="nemo-skills").table["question_id"]
    assert len(name) == shown


@pytest.mark.parametrize(
    ("kind", "row", "message"),
    [
        ("boinf", {"problem_num": 0}, "row 1: no list 'all_answers'"),
        ("boinf", {"problem_num": 0, "gold_answer": "1", "all_answers": []}, "no row of boinf"),
        ("nemo-skills", {"generation": "…", "expected_answer": "1"}, "no column 'question_id', 'answer'"),
    ],
)
def test_other_files_are_refused_in_one_line(tmp_path: Path, kind: str, row: Any, message: str) -> None:
    out = tmp_path / "out"
    (tmp_path / "x.jsonl").write_text(json.dumps(row))
    for path, expected in (
        (tmp_path / "x.jsonl", message),
        (tmp_path, "no file"),
        (tmp_path / "a", "no such"),
    ):
        result = imported(kind, path, "--out", out)
        assert result.exit_code == 2
        assert expected in result.output
        assert len(result.output.strip().splitlines()) == 1
    assert not out.exists()
