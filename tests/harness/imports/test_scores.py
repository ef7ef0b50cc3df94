"""Scores in a table: which columns they are, and what stands in them."""

import numpy as np
import pandas as pd
import pytest

from harness.imports.columns import import_table
from results import BadInput, build_curves


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
