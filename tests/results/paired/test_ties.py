"""Ties are ties: no last digit, and no name, tells two runs apart."""

import numpy as np
import pandas as pd
import pytest

from results import BadInput
from results.paired.runs import compare_runs
from tests.results.paired.test_runs import A, B, run


def test_a_vote_of_exactly_one_half_is_no_flip_until_it_leaves_it():
    """Six against six is 1/2 at every N; the curve gave 0.5000000000000003, and no question was gained."""
    even, split = (
        dict.fromkeys(map(str, range(30)), answers) for answers in ("rrrrrraaaaaa", "rrrrrraaabbb")
    )
    rows = compare_runs({"one": run(even), "two": run(split)}, methods=["majority"]).set_index("N")
    assert rows["accuracy_a"].tolist() == [0.5] * 5
    assert rows["gained"].tolist() == [0, 0, 30, 30, 30]
    assert rows.loc[1:2, ["difference", "p_value"]].to_numpy().tolist() == [[0.0, 1.0]] * 2
    assert rows.loc[1:2, "questions_needed"].isna().all()


def test_no_difference_is_none_however_its_parts_are_rounded():
    thirds, two_thirds = (
        {"q": "raa", "r": "raa", "s": "raa", "t": "r"},
        {"q": "rra", "r": "rra", "s": "rra", "t": "a"},
    )
    row = compare_runs({"one": run(thirds), "two": run(two_thirds)}, at=1, methods=["majority"]).iloc[0]
    assert row["difference"] == 0
    assert np.isnan(row["questions_needed"])


def test_renaming_the_questions_changes_no_number():
    rng = np.random.default_rng(5)
    sides = [
        {f"q{i}": "".join(rng.choice(list("rab"), 8, p=[p, 0.9 - p, 0.1])) for i in range(40)}
        for p in (0.4, 0.6)
    ]
    new = {f"q{i}": f"{i * 7919 % 101}-{i}" for i in range(40)}
    renamed = [{new[name]: answers for name, answers in side.items()} for side in sides]
    found = [compare_runs(dict(zip("ab", map(run, each), strict=True))) for each in (sides, renamed)]
    told = [rows.drop(columns="flips").round(9) for rows in found]
    pd.testing.assert_frame_equal(*told)
    assert np.isfinite(told[0]["answers_needed"]).any()


def test_settings_are_those_of_one_data_set():
    """The second data set has a setting that both share, and the first one vanished."""
    sides = {
        name: pd.concat(
            [
                run(answers, model=name, dataset="d1", setting=setting),
                run(answers, model=name, dataset="d2", setting="x"),
            ]
        )
        for name, setting, answers in (("a", "100", A), ("b", "200", B))
    }
    rows = compare_runs(sides, at=1, methods=["majority"])
    told = rows[["dataset", "setting_a", "setting_b"]].to_numpy().tolist()
    assert sorted(told) == [["d1", "100", "200"], ["d2", "x", "x"]]


def test_greedy_answers_alone_are_no_run():
    with pytest.raises(BadInput, match=r"two: .*greedy"):
        compare_runs({"one": run(A), "two": run(B, decoding="greedy")})
