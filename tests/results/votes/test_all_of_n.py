"""all_of_n (pass^k): every answer of a draw is right; counted out over all subsets, and along the orders."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from results import all_of_n_curve, best_of_n_curve, build_curves, vote_curve
from results.votes.exact import all_of_n, best_of_n


@pytest.mark.parametrize("pool", range(1, 9))
def test_every_subset_counted(pool):
    for correct in range(pool + 1):
        right = [True] * correct + [False] * (pool - correct)
        for n in range(1, pool + 1):
            subsets = list(combinations(right, n))

            expected = sum(map(all, subsets)) / len(subsets)

            assert all_of_n(pool, correct, n) == pytest.approx(expected, abs=6e-13)


def test_it_is_the_chance_that_no_wrong_answer_is_drawn():
    pool, correct, n = np.ogrid[40:43, 0:41, 1:41]
    np.testing.assert_allclose(all_of_n(pool, correct, n), 1 - best_of_n(pool, pool - correct, n), atol=1e-15)


@pytest.mark.parametrize(("pool", "correct", "n"), [(3, 4, 1), (3, -1, 1), (3, 1, 0), (3, 1, 4)])
def test_counts_that_cannot_be_are_refused(pool, correct, n):
    with pytest.raises(ValueError, match="needs"):
        all_of_n(pool, correct, n)


def test_a_large_pool_neither_overflows_nor_vanishes():
    assert all_of_n(10_000, 9_999, 5_000) == pytest.approx(0.5)


ANSWERS = [[1, 1, 1, 2], [3, None, 3, 3], [5, 5, 5, 5], [8, 7, 6, 5]]
GOLD = [1, 3, 5, 9]


def test_curves_from_lists_and_from_tables_agree():
    found = all_of_n_curve(ANSWERS, GOLD, ns=[1, 2, 4])
    assert found["accuracy"].tolist() == pytest.approx([2.5 / 4, 2 / 4, 1 / 4])
    one = [curve(ANSWERS, GOLD, ns=[1])["accuracy"][0] for curve in (vote_curve, best_of_n_curve)]
    assert one == pytest.approx([2.5 / 4] * 2)
    rows = [(q, i, answer, GOLD[q]) for q, given in enumerate(ANSWERS) for i, answer in enumerate(given)]
    table = pd.DataFrame(rows, columns=["question_id", "sample", "answer", "gold"])
    pd.testing.assert_frame_equal(all_of_n_curve(table, ns=[1, 2, 4]), found)


def test_the_orders_tend_to_the_exact_value_and_reach_it_at_the_pool():
    rows = [(q, i, answer, GOLD[q]) for q, given in enumerate(ANSWERS) for i, answer in enumerate(given)]
    table = pd.DataFrame(rows, columns=["question_id", "sample", "answer", "gold"])
    curves = build_curves(table, ["majority", "all_of_n"], permutations=4000)
    assert curves["method"].unique().tolist() == ["majority", "all_of_n"]
    curves = curves[curves["method"] == "all_of_n"]
    drawn = curves[curves["permutation"] != "exact"].groupby("N")["accuracy"]
    exact = curves[curves["permutation"] == "exact"].set_index("N")["accuracy"]
    assert (abs(drawn.mean() - exact) <= 5 * drawn.std() / np.sqrt(4000) + 1e-12).all()
    assert drawn.max()[4] == drawn.min()[4] == exact[4] == 0.25
