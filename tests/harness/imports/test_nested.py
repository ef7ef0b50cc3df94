"""Files as tools leave them: nested cells, lists of answers, JSON arrays, packed lines, own columns."""

import gzip
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from harness.cli.options import Pair
from harness.grader import Grader
from harness.imports.columns import import_table
from results import BadInput

ROWS: list[dict[str, Any]] = [
    {
        "id": 7,
        "gold": "18",
        "choices": [{"message": {"content": "##18##"}}, {"message": {"content": "##9##"}}],
    },
    {"id": 8, "gold": "5", "choices": [{"message": {"content": "##5##"}}, {"message": {"content": "##5##"}}]},
]
GRADER = Grader(("hashes",))


def in_lines(path: Path) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def in_an_array(path: Path) -> Path:
    path.write_text(json.dumps(ROWS))
    return path


def in_an_object(path: Path) -> Path:
    path.write_text(json.dumps({"model": "m", "results": ROWS}))
    return path


def packed(path: Path) -> Path:
    text = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text))
    else:
        with pa.output_stream(path, compression="zstd") as stream:
            stream.write(text)
    return path


def in_structs(path: Path) -> Path:
    pd.DataFrame(ROWS).to_parquet(path)
    return path


LAYOUTS = [
    (in_lines, "a.jsonl"),
    (in_an_array, "a.json"),
    (in_an_object, "a.json"),
    (packed, "a.jsonl.gz"),
    (packed, "a.jsonl.zst"),
    (in_structs, "a.parquet"),
]


@pytest.mark.parametrize(("write", "name"), LAYOUTS)
def test_a_place_within_cells_is_read_from_every_layout(write: Any, name: str, tmp_path: Path) -> None:
    file = write(tmp_path / name)

    last = import_table(
        file, {"question_id": "id", "text": "choices.-1.message.content"}, grader=GRADER, kind="jsonl"
    ).table
    each = import_table(
        file, {"question_id": "id", "text": "choices.*.message.content"}, grader=GRADER, kind="jsonl"
    ).table

    assert last["answer"].tolist() == ["9", "5"]
    assert each["answer"].tolist() == ["18", "9", "5", "5"]
    assert each["sample"].tolist() == [0, 1, 0, 1]
    assert each["correct"].tolist() == [True, False, True, True]


def test_parallel_lists_are_an_answer_each(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    row = {"question_id": "q", "answer": ["1", "2"], "score": [0.5, 0.75], "tokens": [10, 20], "gold": "2"}
    file.write_text(json.dumps(row))

    table = import_table(file).table

    assert table[["answer", "score", "tokens"]].to_numpy().tolist() == [["1", 0.5, 10], ["2", 0.75, 20]]
    file.write_text(json.dumps(row | {"score": [0.5]}))
    with pytest.raises(BadInput, match=r"row 1: lists of different lengths: .*2 in answer.*1 in score"):
        import_table(file)


def test_objects_are_refused_with_the_place_that_may_be_meant(tmp_path: Path) -> None:
    file = in_lines(tmp_path / "a.jsonl")
    with pytest.raises(BadInput, match=r"row 1, column 'choices'.*--map text=choices\.-1\."):
        import_table(file, {"question_id": "id", "text": "choices"}, grader=GRADER)


@pytest.mark.parametrize("content", ["{", "[1, 2]", '{"a": [{"x": 1}], "b": [{"x": 1}]}', "3"])
def test_a_json_file_without_one_list_of_objects_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(BadInput, match=r"a\.json"):
        import_table(tmp_path / "a.json")


def test_own_columns_that_share_a_name_do_not_stop_an_import(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    row = {"question_id": "q", "answer": "1", "gold": "1", "model": None}
    own = {"source": "MATH", "score": "easy", "sample": "a text", "decoding": "nucleus"}
    own |= {"tokens": 12.5, "logprob": 0.3}
    file.write_text(json.dumps(row | own))

    found = import_table(file)

    assert {f"file_{name}": found.table[f"file_{name}"][0] for name in own} == {
        f"file_{name}": cell for name, cell in own.items()
    }
    assert sum("--map" in note for note in found.notes) == len(own)
    rows = [row | {"tokens": tokens} for tokens in (5, -5)]  # one of them is a count of tokens
    file.write_text("".join(json.dumps(each) + "\n" for each in rows))
    with pytest.raises(BadInput, match="tokens"):
        import_table(file)


def test_thresholds_decide_and_what_has_no_score_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("question_id,answer,points\na,x,0.75\na,y,0.7\nb,x,1\nb,y,\nb,z,nan\n")
    above = Pair(signs=True).convert("points >= 0.75", None, None)
    assert above == ("points", ">=0.75")

    found = import_table(file, correct_if=[above])

    assert found.table["correct"].tolist() == [True, False, True]
    assert found.left_out == 2
    assert import_table(file, correct_if=[("points", "<0.75")]).table["correct"].sum() == 1
    with pytest.raises(BadInput, match="no row has this"):
        import_table(file, correct_if=[("points", ">1")])


LISTS = [
    pytest.param(
        [{"idx": 3, "gt": "7", "pred": ["7", "8", "7"], "score": [True, False, True], "report": [None] * 3}],
        {"question_id": "idx", "answer": "pred", "gold": "gt", "correct": "score"},
        ("3", ["7", "8", "7"], [True, False, True]),
        id="Qwen2.5-Math",
    ),
    pytest.param(
        [{"question_id": "abc", "code_list": ["a", "b"], "graded_list": [False, True], "pass@1": 0.5}],
        {"correct": "graded_list"},
        ("abc", ["0", "1"], [False, True]),
        id="LiveCodeBench",
    ),
]


@pytest.mark.parametrize(("rows", "columns", "expected"), LISTS)
def test_a_question_with_its_answers_in_lists_is_an_answer_each(
    rows: list[dict[str, Any]], columns: dict[str, str], expected: tuple[Any, ...], tmp_path: Path
) -> None:
    path = tmp_path / "all.json"
    path.write_text(json.dumps(rows))
    found = import_table(path, columns, kind="jsonl").table
    question, answers, correct = expected
    assert set(found["question_id"]) == {question}
    assert (found["answer"].tolist(), found["correct"].tolist()) == (answers, correct)


def test_a_row_that_one_of_two_thresholds_judges_is_no_row_without_a_score(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("question_id,answer,a,b\nq,x,0.9,\nq,x,,0.1\nq,x,,0.6\nq,x,,\n")
    found = import_table(file, correct_if=[("a", ">=0.5"), ("b", ">=0.5")])
    assert found.table["correct"].tolist() == [True, False, True]
    assert found.left_out == 1
