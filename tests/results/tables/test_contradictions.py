"""results.tables.contradictions: rows that cannot all be true are refused or said."""

import warnings

import pandas as pd
import pytest

from results import BadInput, as_samples, read_samples
from results.tables.files import write_raw

ROWS = pd.DataFrame(
    {
        "question_id": ["a", "a", "b"], "sample": [0, 1, 0], "dataset": "d",
        "answer": ["18", "7", None], "gold": ["18", "18", "5"], "correct": [True, False, False],
    }
)  # fmt: skip


def test_rows_that_agree_are_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        as_samples(ROWS)
        as_samples(ROWS.drop(columns="gold").assign(correct=[False, True, False]))
        as_samples(ROWS.assign(gold=["018", "018", "5"]))
        as_samples(ROWS.assign(gold=[None, "18", "5"]))


@pytest.mark.parametrize(
    ("correct", "said"),
    [([False, False], "1 .* row 1, answer '18'"), ([True, True], "1 .* row 2, answer '7'"),
     ([False, True], "2 .* row 1, answer '18'")],
)  # fmt: skip
def test_a_grade_that_the_texts_deny_is_said_and_believed(correct, said):
    samples = ROWS.assign(correct=[*correct, False])
    with pytest.warns(UserWarning, match=rf"^t\.csv: {said} and gold '18'"):
        assert as_samples(samples, "t.csv")["correct"].tolist() == samples["correct"].tolist()


def test_two_right_answers_to_one_question_are_refused_within_and_across_files(tmp_path):
    other = ROWS.assign(gold=["18", "19", "5"], correct=False)
    with pytest.raises(BadInput, match=r"t\.csv: row 2, column 'gold': found '19'"):
        as_samples(other, "t.csv")
    assert len(as_samples(other.assign(dataset=["d", "e", "d"], answer="7"))) == 3
    write_raw(ROWS, tmp_path / "1.csv")
    write_raw(ROWS.assign(gold=["9", "9", "5"], answer="7", correct=False, setting="s"), tmp_path / "2.csv")
    with pytest.raises(BadInput, match=r"1\.csv and .*2\.csv: row 4, column 'gold': found '9'"):
        read_samples(tmp_path / "1.csv", tmp_path / "2.csv")
