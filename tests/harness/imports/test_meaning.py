"""What is imported says what the file says: options that hit nothing are refused, one answer is one vote."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from harness.grader import Grader, ends_in_code
from harness.imports.columns import import_table
from results import BadInput, build_curves, read_samples
from tests.harness.commands import imported


@pytest.mark.parametrize(
    ("option", "value", "found"),
    [
        ("--correct-if", "mark=ok", "'OK', 'no'"),
        ("--correct-if", "mark=true", "'OK', 'no'"),
        ("--unreadable", "zzz", "'7', '(none)', '8'"),
        ("--gold", "golld", "columns question_id, answer, mark"),
        ("--gold", "99", "columns question_id, answer, mark"),
    ],
)
def test_what_matches_no_row_is_refused_with_what_there_is(
    tmp_path: Path, option: str, value: str, found: str
) -> None:
    file, out = tmp_path / "answers.csv", tmp_path / "out"
    file.write_text("question_id,answer,mark\na,7,OK\nb,(none),no\nc,8,no\n")
    others = () if option == "--correct-if" else ("--correct-if", "mark=OK")
    result = imported("csv", file, option, value, *(others if option == "--unreadable" else ()), "--out", out)
    assert result.exit_code == 2
    assert f"{option} {value}" in result.output
    assert found in result.output
    assert not out.exists()


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_whole_numbers_that_pandas_wrote_with_a_point_are_right(tmp_path: Path, suffix: str) -> None:
    frame = pd.DataFrame({"question_id": ["a", "a", "b"], "answer": [18, None, 5], "gold": [18, 18, 6]})
    file = tmp_path / f"answers.{suffix}"
    if suffix == "csv":
        frame.to_csv(file, index=False)
        assert "18.0" in file.read_text()
    elif suffix == "jsonl":
        frame.to_json(file, orient="records", lines=True)
    else:
        frame.to_parquet(file)
    table = import_table(file, kind=suffix).table
    assert table["answer"].fillna("").tolist() == ["18", "", "5"]
    assert table["correct"].tolist() == [True, False, False]


def test_texts_that_say_none_are_answers_where_the_format_has_a_null_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    cells = ["None", "null", "nan", None]
    file.write_text(
        "".join(json.dumps({"question_id": "a", "answer": cell, "gold": "None"}) + "\n" for cell in cells)
    )
    table = import_table(file, kind="jsonl").table
    assert [cell if isinstance(cell, str) else None for cell in table["answer"]] == cells
    assert table["correct"].tolist() == [True, False, False, False]


def test_spellings_of_one_answer_are_one_vote(tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    file.write_text('question_id,answer,gold\na,13,"$1,234.00"\na,13.0,1234\na,$13,1234\na,1234.0,1234\n')
    table = import_table(file).table
    assert table["answer"].tolist() == ["13", "13", "13", "1234"]
    assert table["gold"].unique().tolist() == ["1234"]
    assert table["correct"].tolist() == [False, False, False, True]


@pytest.mark.parametrize(
    ("texts", "gold", "grader", "answers"),
    [
        ([r"\boxed{\frac{2}{4}}", "##0.5##", "##1/3##"], r"\frac12", "math", [r"\frac12", r"\frac12"]),
        (["The answer is (B).", "##b##", "##C##"], "b", "choice", ["B", "B"]),
    ],
)
def test_texts_are_read_by_the_grader_that_is_named(
    tmp_path: Path, texts: list[str], gold: str, grader: str, answers: list[str]
) -> None:
    pytest.importorskip("math_verify")
    file, out = tmp_path / "answers.jsonl", tmp_path / "out"
    rows = [{"question_id": "q", "text": text, "gold": gold} for text in texts]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    grading = ("--grade", "hashes,boxed,answer-is", "--grader", grader)
    assert imported("jsonl", file, *grading, "--out", out).exit_code == 0
    table = read_samples(out)
    assert table["answer"].tolist()[:2] == answers
    assert table["correct"].tolist() == [True, True, False]
    assert "give both" in imported("jsonl", file, "--grader", grader, "--out", tmp_path / "b").output


def test_copies_and_no_right_answer_at_all_are_said(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [
        {"question_id": f"q{q}", "answer": str(answer), "gold": "1", "correct": answer == 1}
        for q in range(30)
        for answer in [*rng.integers(0, 3, 8)] * 4
    ]
    file = tmp_path / "copies.jsonl"
    file.write_text("".join(json.dumps(row, default=bool) + "\n" for row in rows))
    with pytest.warns(UserWarning, match="4 times over"):
        imported("jsonl", file, "--out", tmp_path / "copies")
    wrong = [row | {"gold": "one", "correct": False} for row in rows[::4]]
    file.write_text("".join(json.dumps(row, default=bool) + "\n" for row in wrong))
    with pytest.warns(UserWarning, match="0 % right"):
        imported("jsonl", file, "--out", tmp_path / "wrong")


def test_answers_without_texts_are_compared_as_expressions(tmp_path: Path) -> None:
    """Two of seven are right, and five say one half, in four spellings."""
    pytest.importorskip("math_verify")
    answers = [".5", r"\frac{1}{2}", "1/2", "3", "3", r"\dfrac12", "50%"]
    rows = [
        {"question_id": q, "answer": a, "gold": g} for q, g in (("a", "3"), ("b", "1/2")) for a in answers
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "t.csv", index=False)

    found = import_table(tmp_path / "t.csv")

    table = found.table.set_index("question_id")
    assert table.loc["a", "correct"].sum() == 2
    assert table.loc["a", "answer"].value_counts().to_dict() == {"0.5": 4, "3": 2, "50%": 1}
    assert table.loc["b", "correct"].sum() == 5
    assert any("expressions" in note for note in found.notes)
    judged = pd.DataFrame(rows).assign(correct=False)
    judged.to_csv(tmp_path / "judged.csv", index=False)
    assert not import_table(tmp_path / "judged.csv").table["correct"].any()


def test_a_row_hangs_on_no_other_question_of_its_file(tmp_path: Path) -> None:
    """A fraction elsewhere makes no sum of an address; dates are none anywhere."""
    pytest.importorskip("math_verify")
    plain = [("ip", a, "192.168.0.1") for a in ("192.168.0.10", "192.168.0.1", "192.168.0.10")]
    plain += [("day", a, "2020-01-02") for a in ("2020-02-01", "2020-01-02")]
    plain += [("word", a, "1-800") for a in ("2-801", "1-800")]
    columns = ["question_id", "answer", "gold"]
    found = []
    for more in ([], [("half", "1/2", "0.5")], [("day", "1/2", "2020-01-02")]):
        pd.DataFrame([*plain, *more], columns=columns).to_csv(tmp_path / "t.csv", index=False)
        table = import_table(tmp_path / "t.csv").table
        found.append(table["correct"].tolist()[: len(plain)])
    assert found == [[False, True, False, False, True, False, True]] * 3


def test_the_readers_that_read_most_are_taken_and_said(tmp_path: Path) -> None:
    texts = ["so **Answer:** 18", r"\boxed{18}", "<think>##18##", "<think>18</think>Answer: 7"]
    rows = [{"question_id": str(q), "text": text, "gold": "18"} for q, text in enumerate(texts)]
    pd.DataFrame(rows).to_json(tmp_path / "t.jsonl", orient="records", lines=True)

    said = imported("jsonl", tmp_path / "t.jsonl", "--grade", "auto", "--out", tmp_path / "out").output

    assert "hashes 0, boxed 1, answer-is 2, last-number 3; read by boxed,answer-is: 3" in said
    assert "1 of 4 texts end within their thinking" in said
    assert read_samples(tmp_path / "out")["answer"].fillna("").tolist() == ["18", "18", "", "7"]


def test_the_last_number_of_a_program_is_no_answer(tmp_path: Path) -> None:
    texts = [
        "```python\nx = 18\n```",
        "def f(x):\n    return x + 18",
        "int f() {\n  return 18;\n}\n",
        "x = 18;",
    ]
    rows = [{"question_id": str(q), "text": text, "gold": "18"} for q, text in enumerate(texts)]
    pd.DataFrame(rows).to_json(tmp_path / "t.jsonl", orient="records", lines=True)

    said = imported("jsonl", tmp_path / "t.jsonl", "--grade", "auto", "--out", tmp_path / "out").output

    assert "no reader" in said
    assert "last-number" not in said
    assert not any(map(ends_in_code, ["it is $\\boxed{18}$", "so\n18", "The answer is 18;\nor 19.", ""]))


def test_what_a_prompt_has_opened_and_no_text_closes_is_no_answer(tmp_path: Path) -> None:
    """Told by the prompts where there are some, else by most of the other texts."""
    texts = ["##7##</think>##18##", "no, ##8##</think>##18##", "it may be ##18##"]
    rows = pd.DataFrame({"question_id": list("abc"), "text": texts, "gold": "18"})
    for table in (rows, rows.assign(prompt="?<think>\n")):
        table.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
        found = import_table(tmp_path / "t.jsonl", grader=Grader())
        assert found.table["correct"].tolist() == [True, True, False]
        assert any("1 of 3" in note for note in found.notes)
    rows.assign(prompt="?").to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    assert import_table(tmp_path / "t.jsonl", grader=Grader()).table["correct"].all()


def test_rows_that_were_never_generated_are_named_as_the_cause(tmp_path: Path) -> None:
    rows = [{"question_id": "q", "answer": "7", "gold": "7", "tokens": 50}] * 2
    rows += [{"question_id": "q", "answer": None, "gold": "7", "tokens": 0}] * 6
    pd.DataFrame(rows).to_csv(tmp_path / "t.csv", index=False)

    assert "--drop tokens=0" in imported("csv", tmp_path / "t.csv", "--out", tmp_path / "a").output
    said = imported("csv", tmp_path / "t.csv", "--drop", "tokens=0", "--out", tmp_path / "b").output
    assert "2 answers to 1 questions, 6 rows left out" in said


def test_scores_are_mapped_and_give_curves(tmp_path):
    """By hand: of two answers the one with reward .7 is right, the one with .4 by the second model."""
    rows = pd.DataFrame(
        {
            "question_id": ["a", "a"],
            "answer": ["18", "7"],
            "gold": ["18", "18"],
            "reward": [0.7, 0.2],
            "Sky_scores": [0.4, "inf"],
        }
    )
    rows.to_csv(tmp_path / "answers.csv", index=False)
    columns = {"score": "reward", "score_sky": "Sky_scores"}
    table = import_table(tmp_path / "answers.csv", columns).table
    assert table["score"].tolist() == [0.7, 0.2]
    for name, right in (("score", 1.0), ("sky", 0.0)):
        curves = build_curves(table, ["best_by_score"], ns=[2], permutations=0, score=name)
        assert curves["accuracy"].tolist() == [right]


@pytest.mark.parametrize(("mapped", "named"), [("score", "score"), ("score_rm", "reward")])
def test_a_score_that_is_no_number_is_refused(tmp_path, mapped, named):
    (tmp_path / "answers.csv").write_text("question_id,answer,gold,reward\na,18,18,good\n")
    with pytest.raises(BadInput, match=f"column '{named}': found 'good'"):
        import_table(tmp_path / "answers.csv", {mapped: "reward"})


def test_scores_with_names_become_numbers_and_notes_stay_text(tmp_path):
    (tmp_path / "answers.csv").write_text(
        "question_id,answer,gold,verdict,score_old,score_why\n"
        "a,18,18,True,nan,because\na,7,18,False,-inf,0.5\na,8,18,,1e-3,\n"
    )
    table = import_table(tmp_path / "answers.csv", {"score_judge": "verdict"}).table
    np.testing.assert_array_equal(table["score_judge"], [1, 0, np.nan])
    np.testing.assert_array_equal(table["score_old"], [np.nan, -np.inf, 1e-3])
    assert table["score_why"].tolist()[:2] == ["because", "0.5"]


def test_other_columns_stay_unknown(tmp_path):
    (tmp_path / "answers.csv").write_text("question_id,answer,gold,reward\na,18,18,1\n")
    with pytest.raises(BadInput, match="score_NAME"):
        import_table(tmp_path / "answers.csv", {"scores": "reward"})
