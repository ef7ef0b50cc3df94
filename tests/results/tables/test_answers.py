"""results.tables.answers: an answer is the same vote in every format, whoever wrote the file."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from results import BadInput, as_samples, build_curves, read_samples, reading, write_samples

SPELT = ["18.0", "18", "$18", " 18 ", "13", "13.0", "**13**", "13.", "None", "12 dozen"]
SAID = ["18"] * 4 + ["13"] * 4 + ["None", "12 dozen"]


def table(answers, gold="18", **columns):
    return pd.DataFrame(
        {"question_id": "q", "sample": range(len(answers)), "answer": answers, "gold": gold, **columns}
    )


def to_pandas_csv(frame, path):
    frame.to_csv(path, index=False)


WRITERS = {
    "csv": to_pandas_csv,
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "parquet": lambda frame, path: frame.to_parquet(path),
}


def read_back(frame, folder, kind):
    WRITERS[kind](frame, folder / f"t.{kind}")
    return read_samples(folder / f"t.{kind}")


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.filterwarnings("ignore:.*--unreadable None")
def test_spellings_are_one_answer_in_every_format(tmp_path, kind):
    found = read_back(table(SPELT), tmp_path, kind)
    assert found["answer"].tolist() == SAID
    assert found["correct"].tolist() == [said == "18" for said in SAID]


@pytest.mark.parametrize("kind", WRITERS)
def test_numbers_beside_a_null_are_read_alike(tmp_path, kind):
    """Pandas writes integers as 18.0 if one is missing, which once made a CSV read as 0 % right."""
    frame = pd.concat([table([18, 18, None]), table([18, 7, 18]).assign(question_id="r")])
    found = read_back(frame, tmp_path, kind)
    assert found["answer"].isna().tolist() == [False, False, True, False, False, False]
    assert found["answer"].dropna().tolist() == ["18", "18", "18", "7", "18"]
    exact = build_curves(found, ["majority"], [1, 2, 3], permutations=0)
    assert exact["accuracy"].tolist() == pytest.approx([2 / 3, 5 / 6, 1])


@pytest.mark.parametrize(
    "answers",
    [
        [18, 13],
        [18.0, 13.0],
        np.array([18, 13], np.float32),
        np.array([18, 13], np.uint8),
        [Decimal("18.00"), Decimal("1.3E+1")],
        [b"18", b" 13"],
        pd.Categorical(["18.0", "13"]),
        pd.array([18, 13], dtype="Int64"),
    ],
)
@pytest.mark.parametrize("gold", ["18", 18, 18.0, Decimal("18.0"), b"18", "$18"])
def test_every_type_of_cell_is_read_alike(tmp_path, answers, gold):
    frame = table(answers, gold=[gold] * 2)
    for found in (as_samples(frame), read_back(frame, tmp_path, "parquet")):
        assert found["answer"].tolist() == ["18", "13"]
        assert found["gold"].tolist() == ["18", "18"]
        assert found["correct"].tolist() == [True, False]


def test_truths_are_text(tmp_path):
    frame = table([True, False], gold=[True, True])
    for kind in WRITERS:
        found = read_back(frame, tmp_path, kind)
        assert (found["answer"].tolist(), found["correct"].tolist()) == (["True", "False"], [True, False])


def test_what_says_nothing_is_null(tmp_path):
    found = read_back(table(["", "  ", r"\text{ }", "18"]), tmp_path, "jsonl")
    assert found["answer"].isna().tolist() == [True, True, True, False]
    with pytest.raises(BadInput, match="row 1, column 'gold': found nothing, expected the right answer"):
        as_samples(table(["18"], gold=" "))


@pytest.mark.filterwarnings("ignore")
def test_as_written_nothing_merges_and_nothing_is_changed_on_the_way_to_a_file(tmp_path):
    with reading(as_written=True):
        found = as_samples(table(SPELT))
        write_samples(found, tmp_path / "t.csv")
        again = read_samples(tmp_path / "t.csv")
    with reading(as_written=True, unreadable=["18.0"]):
        assert as_samples(table(SPELT))["answer"].isna().tolist() == [True, *[False] * 9]
    assert found["answer"].tolist() == again["answer"].tolist() == SPELT
    assert found["correct"].tolist() == [answer == "18" for answer in SPELT]


def test_a_question_has_one_cluster_with_golds_or_verdicts():
    rows = table(["18", "7"], cluster=["a", "b"])
    for given in (rows, rows.assign(correct=[True, False]).drop(columns="gold")):
        with pytest.raises(BadInput, match="row 2, column 'cluster': found 'b', expected one cluster of"):
            as_samples(given)


def test_golds_in_two_spellings_are_one_right_answer():
    assert as_samples(table(["18", "7"], gold=["18", "18.0"]))["gold"].tolist() == ["18", "18"]
    with reading(as_written=True), pytest.raises(BadInput, match="one right answer"):
        as_samples(table(["18", "7"], gold=["18", "18.0"]))
