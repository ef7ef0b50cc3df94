"""results.library: the same numbers from lists, arrays and samples tables."""

import numpy as np
import pandas as pd
import pytest

from results import BadInput, best_of_n_curve, build_curves, compare, majority_curve, vote_curve


def test_arrays_of_numbers_and_lists_of_text_are_alike():
    answers = np.array([[18, 18, 7, np.nan], [5, 6, 6, 5]])
    text = [["18", "18", "7", None], ["5", "6", "6", "5"]]
    pd.testing.assert_frame_equal(vote_curve(answers, [18, 5]), vote_curve(text, ["18", "5"]))
    expected = (majority_curve(2, [1], 1) + majority_curve(2, [2])) / 2
    np.testing.assert_allclose(vote_curve(answers, [18, 5], ns=[1, 2, 3, 4])["accuracy"], expected)
    assert best_of_n_curve(answers, [18, 5], ns=[2])["accuracy"].tolist() == pytest.approx([5 / 6])


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
        ["low", 1], ["low", 2], ["high", 1], ["high", 2]
    ]  # fmt: skip
