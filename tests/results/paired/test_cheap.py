"""`tts curves --with`: a cheap model's answers to many questions help an expensive model's to few."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from results import read_curves, write_samples
from results.tables.schemas import CHEAP
from tests.results.cli.command import results


def samples(questions: range, model: str, luck: int = 0, **columns: object) -> pd.DataFrame:
    """Eight answers to each question, right with a probability that depends only on its number."""
    rng = np.random.default_rng(luck)
    hard = np.random.default_rng(99).random(1000)
    rows = [
        {"question_id": f"q{q:03}", "sample": i, "answer": "7" if rng.random() < hard[q] else "8"}
        for q in questions
        for i in range(8)
    ]
    return pd.DataFrame(rows).assign(**{"gold": "7", "model": model, "dataset": "d", **columns})


def curves(tmp_path: Path, dear: pd.DataFrame, cheap: pd.DataFrame, *options: object) -> int:
    write_samples(dear, tmp_path / "dear.csv")
    write_samples(cheap, tmp_path / "cheap.csv")
    files = tmp_path / "dear.csv", "--with", tmp_path / "cheap.csv", "--out", tmp_path / "out.csv"
    return results("curves", *files, *options)


def test_exact_rows_gain_what_the_cheap_side_tells_and_nothing_else_changes(tmp_path):
    dear, cheap = samples(range(30), "large"), samples(range(330), "small", luck=1)
    assert curves(tmp_path, dear, cheap, "--permutations", 1) == 0
    found = read_curves(tmp_path / "out.csv")
    assert results("curves", tmp_path / "dear.csv", "--permutations", 1, "--out", tmp_path / "alone.csv") == 0
    pd.testing.assert_frame_equal(found.drop(columns=list(CHEAP)), read_curves(tmp_path / "alone.csv"))
    exact = found[found["permutation"] == "exact"]
    assert found.loc[found["permutation"] != "exact", list(CHEAP)].isna().all(axis=None)
    votes = exact[exact["method"] == "majority"]
    assert votes["with"].str.startswith("small, N = ").all()
    assert (votes["gain"] > 1.2).all()
    width = votes["high_with"] - votes["low_with"]
    assert (width < 2 * 2.05 * votes["stderr"]).all()
    assert curves(tmp_path, dear.drop(columns="dataset"), cheap) == 0  # matched by the questions' names


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dataset": "other"}, ["no sampled answers on d", "other"]),
        ({"questions": range(30)}, ["0 further questions", "at least 10"]),
        ({"questions": range(21, 330)}, ["9 of the same questions", "at least 10"]),
        ({"decoding": "greedy"}, ["no sampled answers"]),
        ({"gold": "8"}, ["right answer to question 'q000'", "not the same questions"]),
        ({"cluster": "c1"}, ["clusters"]),
    ],
)
def test_what_cannot_be_used_is_one_line_and_nothing_is_written(tmp_path, capsys, change, words):
    questions = change.get("questions", range(330))
    cheap = samples(
        questions, "small", **{name: cell for name, cell in change.items() if name != "questions"}
    )
    if "decoding" in change:
        cheap = cheap.drop_duplicates("question_id")
    assert curves(tmp_path, samples(range(30), "large"), cheap) == 2
    error = capsys.readouterr().err
    last = error.splitlines()[-1]
    assert last.startswith("error: ")
    assert all(word in last for word in words)
    assert not (tmp_path / "out.csv").exists()


def test_each_cheap_setting_needs_questions_of_its_own(tmp_path, capsys):
    few = samples(range(21, 330), "small", setting="other")
    cheap = pd.concat([samples(range(330), "small", setting="default"), few])
    assert curves(tmp_path, samples(range(30), "large"), cheap) == 2
    assert "9 of the same questions" in capsys.readouterr().err


def test_where_no_row_is_of_all_questions_there_is_nothing_to_add(tmp_path, capsys):
    dear = samples(range(30), "large").drop(index=0)
    assert curves(tmp_path, dear, samples(range(330), "small"), "--n", 8) == 2
    assert "at no N do all questions" in capsys.readouterr().err


def test_questions_that_are_no_random_part_are_warned_of_once(tmp_path, capsys):
    cheap = samples(range(330), "small")
    easy = cheap.groupby("question_id")["answer"].agg(lambda answers: (answers == "7").sum())
    asked = sorted(easy.nlargest(30).index)
    dear = samples(range(330), "large", luck=1)
    assert curves(tmp_path, dear[dear["question_id"].isin(asked)], cheap) == 0
    assert capsys.readouterr().err.count("no random part") == 1
