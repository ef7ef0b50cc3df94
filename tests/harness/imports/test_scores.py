"""Scores of a verifier, by the names the file has for them: `--map score=…`, `--map score_NAME=…`."""

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


def test_a_score_that_is_no_number_is_refused(tmp_path):
    (tmp_path / "answers.csv").write_text("question_id,answer,gold,reward\na,18,18,good\n")
    with pytest.raises(BadInput, match="column 'score': found 'good'"):
        import_table(tmp_path / "answers.csv", {"score": "reward"})


def test_other_columns_stay_unknown(tmp_path):
    (tmp_path / "answers.csv").write_text("question_id,answer,gold,reward\na,18,18,1\n")
    with pytest.raises(BadInput, match="score_NAME"):
        import_table(tmp_path / "answers.csv", {"scores": "reward"})
