"""results.library: the same numbers from lists, arrays and samples tables."""

import json

import numpy as np
import pandas as pd
import pytest

from predict import forecast
from results import (
    BadInput,
    all_of_n_curve,
    best_of_n_curve,
    build_curves,
    compare,
    read_samples,
    reading,
    vote_curve,
)


def test_runs_as_tables_or_as_answers_compare_alike():
    gold, sides = ["1", "2"], ([["1", "0"], ["2", "0"]], [["1", "1"], ["0", "0"]])
    tables = [
        pd.DataFrame(
            [(f"{q}", i, given, gold[q]) for q, one in enumerate(side) for i, given in enumerate(one)],
            columns=["question_id", "sample", "answer", "gold"],
        )
        for side in sides
    ]
    pd.testing.assert_frame_equal(compare(*tables), compare(*sides, gold=iter(gold)))
    accuracy = [build_curves(table, ["majority"], [1], permutations=0)["accuracy"][0] for table in tables]
    assert compare(*tables)["difference"][0] == accuracy[1] - accuracy[0]


@pytest.mark.parametrize(
    ("answers", "gold", "named"),
    [
        (["18"], ["18"], "answers to question 0: found '18', expected a list of answers"),
        ([["18"], "18"], ["18", "18"], "answers to question 1: found '18', expected a list of answers"),
        ([18, 7], [18, 7], "answers to question 0: found 18, expected a list of answers"),
        ("18", ["18"], "answers: found '18', expected a list for each question"),
        ({"q": ["18"]}, ["18"], "answers: found .* expected a list for each question"),
        (18, [18], "answers: found 18, expected a list for each question"),
        ([["18"]], "18", "gold: found '18', expected a right answer to each question"),
        ([["18"]], 18, "gold: found 18, expected a right answer to each question"),
        ([[["18"]]], ["18"], "answers to question 0: found .*18.* in the place of one answer"),
        (np.zeros((2, 3, 4)), [0, 0], "answers to question 0: found .* in the place of one answer"),
        ([["18"]], [["18"]], "gold of question 0: found .*18.* in the place of one answer"),
        ([["18", {"a": 1}]], ["18"], "answers to question 0: found .* in the place of one answer"),
        ([], [], "answers: no answers"),
        ([["\ud83d"]], ["1"], "answers to question 0: found .*half a character"),
        ([["1"]], ["\ud83d"], "gold of question 0: found .*half a character"),
        ([[], []], ["1", "2"], "answers: no answers"),
    ],
)
def test_another_shape_is_refused_in_one_line(answers, gold, named):
    for call in (vote_curve, best_of_n_curve, all_of_n_curve):
        with pytest.raises(BadInput, match=f"^{named}") as refused:
            call(answers, gold)
        assert "\n" not in refused.value.message


@pytest.mark.parametrize("gold", [{"18", "7"}, {"18": 18, "7": 7}, "18", 18])
def test_gold_that_is_no_list_is_refused_in_comparisons_too(gold):
    with pytest.raises(BadInput, match="gold: found "):
        compare([["18"], ["7"]], [["18"], ["8"]], gold)


def test_a_table_has_its_own_gold():
    table = pd.DataFrame({"question_id": ["q"], "sample": [0], "answer": ["1"], "gold": ["1"]})
    with pytest.raises(BadInput, match="gold: "):
        vote_curve(table, ["2"])
    with pytest.raises(BadInput, match="gold: "):
        compare(table, table.assign(answer="2"), gold=["2"])
    with pytest.raises(BadInput, match="gold: "):
        forecast(table, ["2"], at_n=[4])
    with pytest.raises(BadInput, match="right answer to question"):  # other than the table's own
        compare(table.assign(question_id="0"), [["1"]], gold=["2"])


def test_questions_without_answers_are_counted_in_a_warning():
    with pytest.warns(UserWarning, match="2 of 3 questions"):
        assert vote_curve([[1, 1, 2], [], []], [1, 3, 4])["questions"].tolist() == [1, 1, 1]


def test_wrong_answers_merge_and_a_given_grade_is_kept():
    """An old bug: right answers merged, wrong ones were split by spelling, and the vote rose to 100 %."""
    answers = ["18"] * 4 + ["13", "13.0", "$13", "+13", " 13", "**13**"]
    assert vote_curve([answers], ["18"], ns=[10])["accuracy"].tolist() == [0.0]
    graded = {"answer": answers, "correct": [True] * 3 + [False] * 7}
    table = pd.DataFrame({"question_id": "q", "sample": range(10), **graded})
    assert vote_curve(table, ns=[1, 10])["accuracy"].tolist() == pytest.approx([0.3, 0.0])
    with reading(as_written=True):
        assert vote_curve(table, ns=[10])["accuracy"].tolist() == [1.0]


def test_gold_that_is_missing_is_asked_for():
    with pytest.raises(BadInput, match="gold"):
        compare([["1"]], [["1"]])
    with pytest.raises(BadInput, match="2 lists of answers and 1 gold"):
        vote_curve([["1"], ["2"]], ["1"])
    with pytest.raises(BadInput, match="1 lists of answers and 2 gold"):
        vote_curve([["1"]], ["1", "2"])


@pytest.mark.parametrize("name", ["dataset", "model", "setting"])
def test_a_table_of_several_settings_names_them(name):
    rows = [(s, q, i, "1", "1") for s in ("low", "high") for q in range(3) for i in range(2)]
    table = pd.DataFrame(rows, columns=[name, "question_id", "sample", "answer", "gold"])
    assert vote_curve(table).iloc[:, :2].to_numpy().tolist() == [
        ["low", 1],
        ["low", 2],
        ["high", 1],
        ["high", 2],
    ]


def test_whole_numbers_beside_nulls_stay_exact(tmp_path):
    """With a null, pandas turns integers into floats, which merges 2^60 and 2^60 + 1."""
    large = 2**60 + 1
    answers, gold = [[1, 1, 1], [5, large, large - 1, None]], [1, large]
    (accuracy,) = vote_curve(answers, gold, ns=[1])["accuracy"]
    assert accuracy == (1 + 1 / 4) / 2
    rows = [
        {"question_id": str(question), "sample": sample, "answer": answer, "gold": gold[question]}
        for question, one in enumerate(answers)
        for sample, answer in enumerate(one)
    ]
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    samples = read_samples(tmp_path / "s.jsonl")
    assert samples["answer"].dropna().tolist()[3:] == ["5", str(large), str(large - 1)]
