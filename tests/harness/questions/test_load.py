"""Questions: the paper's counts, ids independent of where rows come from, choices, and refusals."""

import json
import random
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.grader import GraderName
from harness.grading.integer import normalise_integer
from harness.grading.marks import last_box
from harness.questions.hub_rows import MATH, HubDataset, SourceRow
from harness.questions.load import Question, load_questions
from results import BadInput
from results.canonical import canonical
from tests.harness.commands import command

REFUSED = tomllib.loads((Path(__file__).parent / "refused.toml").read_text(encoding="utf-8"))["refused"]
FLOATS = Question("f-0000", "Which floats?\n\nA. A nail\nB. A cork", "B", ("A", "B"))


def write(file: Path, rows: Iterable[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def read(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.parametrize(
    ("name", "file", "count"),
    [
        ("gsm8k", "gsm8k/test.jsonl", 1319),
        ("math-level1-integer", "math/test.jsonl", 309),
        ("math-level1-signed", "math/test.jsonl", 330),
    ],
)
def test_data_sets_have_the_papers_counts(data_dir: Path, name: str, file: str, count: int) -> None:
    loaded = load_questions(name, data_dir / file)
    assert len(loaded) == count
    assert len({question.question_id for question in loaded}) == count
    assert all(normalise_integer(question.gold) == question.gold for question in loaded)


def test_gsm8k_ids_are_positions(data_dir: Path) -> None:
    first, *_, last = load_questions("gsm8k", data_dir / "gsm8k" / "test.jsonl")
    assert (first.question_id, first.gold) == ("gsm8k-test-0000", "18")
    assert first.problem.startswith("Janet’s ducks lay 16 eggs per day.")
    assert last.question_id == "gsm8k-test-1318"


def test_the_integer_subset_is_plain_digits_and_the_signed_one_adds_to_it(data_dir: Path) -> None:
    file = data_dir / "math" / "test.jsonl"
    integer, signed = (load_questions(f"math-level1-{name}", file) for name in ("integer", "signed"))
    answers = {row["problem"]: row["answer"] for row in read(file)}
    assert all(answers[question.problem].isdigit() for question in integer)
    assert set(integer) < set(signed)
    added = sorted(question.gold for question in set(signed) - set(integer))
    assert [gold for gold in added if not gold.startswith("-")] == ["10000", "25000"]


def test_math_questions_are_the_same_from_the_hub_and_from_a_file_in_any_order(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = read(data_dir / "math" / "test.jsonl")
    as_on_the_hub = [{key: row[key] for key in ("problem", "level", "type", "solution")} for row in rows]
    random.Random(0).shuffle(as_on_the_hub)

    def hub_rows(source: HubDataset) -> list[SourceRow]:
        assert source == MATH
        return as_on_the_hub

    monkeypatch.setattr("harness.questions.hub_rows.hub_rows", hub_rows)
    from_hub = load_questions("math-level1-integer")
    assert from_hub == load_questions("math-level1-integer", data_dir / "math" / "test.jsonl")
    assert {question.question_id.split("-")[1] for question in from_hub} == set(MATH.configs)
    for row in as_on_the_hub:
        row["problem"] = f" {row['problem']}\n".replace(" ", "  ")
    again = load_questions("math-level1-integer")
    assert [question.question_id for question in again] == [question.question_id for question in from_hub]


BALANCED = st.recursive(
    st.text(st.characters(exclude_characters="{}\\"), max_size=5),
    lambda inner: st.builds("{}{{{}}}{}".format, inner, inner, inner),
    max_leaves=6,
)


@given(BALANCED, st.text(st.characters(exclude_characters="\\")))
def test_boxed_bodies_may_nest_braces(body: str, after: str) -> None:
    assert last_box(f"Not \\boxed{{1}} but \\boxed{{{body}}}{after}") == body


def test_a_file_of_ones_own_is_read_in_any_of_its_forms(tmp_path: Path) -> None:
    file = write(
        tmp_path / "mine.jsonl",
        [
            {"question": "A?", "answer": "First 2.\n#### 1,234", "A": "easy"},
            {"problem": "B?", "gold": -12345678.0},
            {"question_id": "c", "problem": "C?", "question": "c", "gold": 7},
        ],
    )
    assert load_questions(str(file)) == [
        Question("mine-0000", "A?", "1234"),
        Question("mine-0001", "B?", "-12345678"),
        Question("c", "C?", "7"),
    ]
    (tmp_path / "twice.csv").write_text("question,question,gold\nA?,B?,1\n")
    with pytest.raises(BadInput, match="appears twice"):
        load_questions(str(tmp_path / "twice.csv"))


def of_one(**cells: Any) -> list[dict[str, Any]]:
    """A table of one row, with a question."""
    return [{"question": "Which floats?", **cells}]


@pytest.mark.parametrize(
    "row",
    [
        {"choices": ["A nail", "A cork"], "gold": "B"},
        {"choices": ["A nail", " A  cork"], "gold": "(b)"},
        {"choices": ["A nail", "A cork"], "answer": "A cork"},
        {"choices": {"A": "A nail", "B": "A cork"}, "gold": "B"},
        {"choices": {"text": ["A nail", "A cork"], "label": ["A", "B"]}, "answerKey": "B"},
        {"options": ["A nail", "A cork"], "answer": "B", "answer_index": 1},  # MMLU-Pro
        {"A": "A nail", "B": "A cork", "Answer": "", "answer": "B"},  # C-Eval
    ],
)
def test_choices_are_put_below_the_question(tmp_path: Path, row: dict[str, Any]) -> None:
    assert load_questions(str(write(tmp_path / "f.jsonl", of_one(**row)))) == [FLOATS]


def test_labels_may_be_anything_short(tmp_path: Path) -> None:
    choices = {"label": ["1", "2"], "text": ["2", "1"]}
    (found,) = load_questions(str(write(tmp_path / "f.jsonl", of_one(choices=choices, gold=2, id="arc-7"))))
    assert (found.gold, found.labels, found.question_id) == ("2", ("1", "2"), "arc-7")
    five = {letter: f"choice {letter}" for letter in "ABCDE"}
    assert load_questions(str(write(tmp_path / "f.jsonl", of_one(**five, gold="E"))))[0].labels == (*five,)


def test_parquet_and_csv_hold_choices_too(tmp_path: Path) -> None:
    table = pd.DataFrame(of_one(choices=["A nail", "A cork"], gold="B"))
    table.to_parquet(tmp_path / "f.parquet")
    table.assign(choices=table["choices"].map(json.dumps)).to_csv(tmp_path / "f.csv", index=False)
    assert load_questions(str(tmp_path / "f.parquet")) == load_questions(str(tmp_path / "f.csv")) == [FLOATS]
    pd.DataFrame(of_one(labels='["A", "B"]', gold="B")).to_csv(tmp_path / "f.csv", index=False)
    assert load_questions("multiple-choice", tmp_path / "f.csv")[0].labels == ("A", "B")


def test_a_question_has_no_choice_that_only_others_of_its_file_have(tmp_path: Path) -> None:
    choices = [{"A": "x", "B": "y"}, {"A": "x", "B": "y", "C": "z"}]
    file = write(tmp_path / "q.jsonl", [row for each in choices for row in of_one(choices=each, gold="B")])
    assert [question.labels for question in load_questions("multiple-choice", file)] == [
        ("A", "B"),
        ("A", "B", "C"),
    ]


@pytest.mark.parametrize(("rows", "message"), REFUSED)
def test_what_could_be_misread_is_refused_with_its_place(
    tmp_path: Path, rows: list[str], message: str
) -> None:
    file = write(tmp_path / "f.jsonl", map(json.loads, rows))
    with pytest.raises(BadInput) as refusal:
        load_questions(str(file))
    assert refusal.value.message.startswith(f"{file}: {message}")


def test_rows_that_are_not_maths_are_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "f.jsonl", [{"question": f"{n}?", "answer": str(n)} for n in range(MATH.rows)])
    with pytest.raises(BadInput, match=r"f\.jsonl: row 1: no text in column 'problem'"):
        load_questions("math-level1-integer", file)
    algebra = {"problem": "1?", "level": "Level 1", "type": "Algebra", "solution": "\\boxed{1}"}
    write(file, [algebra] * MATH.rows)
    with pytest.raises(BadInput, match=r"f\.jsonl: 1 problems of math-level1-integer, expected 309"):
        load_questions("math-level1-integer", file)


def test_math_in_full_has_every_problem_once_and_contains_the_papers(data_dir: Path) -> None:
    file = data_dir / "math" / "test.jsonl"
    loaded = {question.question_id: question for question in load_questions("math", file)}
    assert len(loaded) == MATH.rows
    for question in load_questions("math-level1-signed", file):
        assert normalise_integer(loaded[question.question_id].gold) == question.gold
    answers = {row["problem"]: row["answer"] for row in read(file)}
    written = [(question.gold, answers[question.problem]) for question in loaded.values()]
    same = sum(gold == canonical(answer) for gold, answer in written)
    assert same == 4865  # the others have a unit or are a time of day


def test_math_500_is_read_in_its_own_columns_with_the_ids_of_math(data_dir: Path, tmp_path: Path) -> None:
    rows = read(data_dir / "math" / "test.jsonl")[:500]
    for row in rows:
        row |= {"subject": row.pop("type"), "level": int(row["level"][-1])}
    file = write(tmp_path / "math-500.jsonl", rows)
    questions = load_questions("math-500", file)
    assert len(questions) == 500
    assert {*questions} < {*load_questions("math", data_dir / "math" / "test.jsonl")}
    with pytest.raises(BadInput, match="499 rows, expected the 500 of HuggingFaceH4/MATH-500"):
        load_questions("math-500", write(file, rows[:499]))


@pytest.mark.parametrize(
    ("name", "grader", "needed"),
    [("math", "integer", "math"), ("gsm8k", "choice", "integer"), ("multiple-choice", "math", "choice")],
)
def test_a_grader_that_does_not_fit_the_data_set_is_refused(
    name: str, grader: GraderName, needed: str
) -> None:
    with pytest.raises(BadInput, match=f"{name}: its right answers are for grader {needed}, not {grader}"):
        load_questions(name, None, grader)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(
        BadInput, match=r"gsm9k: no such file, and not one of gsm8k, math-level1-integer, math-"
    ):
        load_questions("gsm9k")
    with pytest.raises(BadInput, match=r"--set file=.* is for gsm8k.*, not for gsm9k"):
        load_questions("gsm9k", Path("rows.jsonl"))


def test_the_command_writes_what_reads_back(tmp_path: Path) -> None:
    out, file = tmp_path / "out.jsonl", tmp_path / "mine.jsonl"
    write(file, of_one(choices=["A nail", "½ cork"], gold="B"))
    assert command("questions", file, "--out", out).output == f"1 question -> {out}\n"
    assert load_questions(str(out)) == load_questions(str(file))
    for words in (["multiple-choice", "--file", file], [file]):
        assert "is one of the inputs" in command("questions", *words, "--out", file).output
    assert "multiple-choice: needs a file" in command("questions", "multiple-choice").output
