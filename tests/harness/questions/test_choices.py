"""Questions with choices: every way of writing them, and what is refused because it could be misread."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

from harness.cli.questions import questions as command
from harness.questions.load import Question, load_questions
from results import BadInput

FLOATS = Question("f-0000", "Which floats?\n\nA. A nail\nB. A cork", "B", ("A", "B"))


def load(tmp_path: Path, *rows: dict[str, Any]) -> list[Question]:
    file = tmp_path / "f.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return load_questions(str(file))


@pytest.mark.parametrize(
    "row",
    [
        {"choices": ["A nail", "A cork"], "gold": "B"},
        {"choices": ["A nail", " A  cork"], "gold": "(b)"},
        {"choices": ["A nail", "A cork"], "answer": "A cork"},
        {"choices": {"A": "A nail", "B": "A cork"}, "gold": "B"},
        {"choices": {"text": ["A nail", "A cork"], "label": ["A", "B"]}, "answerKey": "B"},
    ],
)
def test_choices_are_put_below_the_question(tmp_path: Path, row: dict[str, Any]) -> None:
    assert load(tmp_path, {"question": "Which floats?", **row}) == [FLOATS]


def test_labels_may_be_anything_short(tmp_path: Path) -> None:
    choices = {"label": ["1", "2"], "text": ["2", "1"]}
    (found,) = load(tmp_path, {"question": "One?", "choices": choices, "gold": 2, "id": "arc-7"})
    assert (found.gold, found.labels, found.question_id) == ("2", ("1", "2"), "arc-7")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"choices": ["a nail", "a cork"], "gold": 1}, "the right answer is '1', expected a label: A, B"),
        ({"choices": ["a nail", "a nail"], "gold": "a nail"}, "the right answer is 'a nail'"),
        ({"choices": ["a nail", "a cork"], "gold": "C"}, "the right answer is 'C'"),
        ({"choices": ["a nail"], "gold": "A"}, "choices is"),
        ({"choices": "a nail or a cork", "gold": "A"}, "choices is 'a nail or a cork'"),
        ({"choices": {"text": ["a"], "label": ["A", "B"]}, "gold": "A"}, "choices is"),
        ({"choices": {"text": ["a", "b"], "label": ["A", "A"]}, "gold": "A"}, "choices is"),
        ({"choices": {"text": ["a", "b"], "label": ["A", "A", "B"]}, "gold": "A"}, "choices is"),
        ({"choices": {"text": ["a", "b"], "label": [1, "1"]}, "gold": "1"}, "choices is"),
        ({"choices": ["a nail", "a cork"], "gold": "(A) or (B)"}, "the right answer is '(A) or (B)'"),
        ({"choices": {"A B": "x", "C": "y"}, "gold": "C"}, "a choice has the label 'A B'"),
        ({"choices": ["a nail", "a cork"]}, "no gold or answer"),
    ],
)
def test_what_could_be_misread_is_refused(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as refusal:
        load(tmp_path, {"question": "Which floats?", **row})
    assert f"f.jsonl: row 1: {message}" in refusal.value.message


def test_parquet_and_csv_hold_choices_too(tmp_path: Path) -> None:
    row = {"question": "Which floats?", "choices": ["A nail", "A cork"], "gold": "B"}
    pd.DataFrame([row]).to_parquet(tmp_path / "f.parquet")
    pd.DataFrame([{**row, "choices": json.dumps(row["choices"])}]).to_csv(tmp_path / "f.csv", index=False)
    assert load_questions(str(tmp_path / "f.parquet")) == load_questions(str(tmp_path / "f.csv")) == [FLOATS]


def test_the_command_counts_them_and_writes_what_reads_back(tmp_path: Path) -> None:
    file, out = tmp_path / "f.jsonl", tmp_path / "out.jsonl"
    file.write_text('{"question": "Which floats?", "choices": ["A nail", "A cork"], "gold": "B"}\n')
    for arguments in ([str(file)], ["multiple-choice", "--file", str(file)]):
        assert (
            CliRunner().invoke(command, [*arguments, "--out", str(out)]).output == f"1 questions -> {out}\n"
        )
        assert "is one of the inputs" in CliRunner().invoke(command, [*arguments, "--out", str(file)]).output
    (again,) = load_questions(str(out))
    assert (again.problem, again.gold, again.labels) == (FLOATS.problem, FLOATS.gold, FLOATS.labels)
    result = CliRunner().invoke(command, ["multiple-choice"])
    assert result.exit_code == 2
    assert "multiple-choice: needs a file" in result.output
