"""A cluster column, from the file to every standard error: data sets, scores, order, names, gaps."""

import numpy as np
import pandas as pd
import pytest

from results import BadInput, as_samples, build_curves, compare
from results.votes.curves import curves_and_votes
from tests.results.votes.test_clusters import by_pairs


def samples(seed: int = 0, passages: int = 12, questions: int = 5, **constants: str) -> pd.DataFrame:
    """Four scored answers to each question of some passages, each easy or hard as a whole."""
    rng = np.random.default_rng(seed)
    right = np.repeat(rng.random(passages) < 0.5, questions * 4) ^ (
        rng.random(passages * questions * 4) < 0.2
    )
    question = np.arange(passages * questions).repeat(4)
    table = {
        "question_id": [f"{q}" for q in question],
        "sample": np.tile(np.arange(4), passages * questions),
        "answer": np.where(right, "1", "7"),
        "gold": "1",
        "score": rng.random(len(right)).round(2),
        "passage": [f"p{q // questions}" for q in question],
    }
    return pd.DataFrame(table).assign(**constants)


def clustered(**more) -> pd.DataFrame:
    return samples(**more).rename(columns={"passage": "cluster"})


def test_every_standard_error_goes_by_clusters_of_its_own_data_set():
    """Two data sets with equal passage names, all methods, rows in any order, other names."""
    both = pd.concat([clustered(seed=1, dataset="a"), clustered(seed=2, dataset="b", passages=20)])
    methods = ["majority", "best_of_n", "all_of_n", "best_by_score", "weighted_majority"]
    curves, votes = curves_and_votes(as_samples(both), methods, permutations=2)
    assert set(zip(curves["dataset"], curves["clusters"], strict=True)) == {("a", 12), ("b", 20)}
    exact = curves[curves["permutation"] == "exact"].set_index(["dataset", "method", "N"])
    for curve in votes:
        names = [f"p{int(q) // 5}" for q in curve.group.pools.question_ids]
        for k, n in enumerate(curve.ns):
            row = exact.loc[(curve.key.dataset, curve.key.method, n)]
            assert row["stderr"] == pytest.approx(by_pairs(curve.accuracy[:, k], names))
            if k:
                difference = curve.accuracy[:, k] - curve.accuracy[:, 0]
                assert row["stderr_vs_first_n"] == pytest.approx(by_pairs(difference, names))
    renamed = both.assign(cluster="text " + both["cluster"]).sample(frac=1, random_state=0)
    again = build_curves(renamed, methods, permutations=0).set_index(["dataset", "method", "N"])
    pd.testing.assert_series_equal(again["stderr"].loc[exact.index], exact["stderr"])


def test_a_comparison_goes_by_the_clusters_that_either_side_names():
    a, b = clustered(model="a"), samples(seed=3, model="b")
    both = compare(a, b.rename(columns={"passage": "cluster"}), at=2)
    assert set(both["clusters"]) == {12}
    pd.testing.assert_frame_equal(compare(a, b, at=2), both)
    pd.testing.assert_frame_equal(compare(samples(model="a"), clustered(seed=3, model="b"), at=2), both)
    alone = compare(samples(model="a"), b, at=2)
    assert "clusters" not in alone
    assert alone["stderr"].iloc[0] < both["stderr"].iloc[0]
    assert alone["questions_needed"].iloc[0] < both["questions_needed"].iloc[0]
    with pytest.raises(BadInput, match="cluster"):
        compare(a, clustered(model="b", questions=6).query("question_id < '5'"))


def test_a_question_in_two_clusters_is_refused():
    table = clustered()
    table.loc[3, "cluster"] = "p9"
    with pytest.raises(BadInput, match="row 4, column 'cluster'"):
        as_samples(table)
