"""Groups, cut pools and replicates."""

import numpy as np
import pandas as pd
import pytest

from predict.curves.intervals import replicate_curves, replicate_samples
from predict.groups import chosen_answers, first_answers, grid, group_of_pools, groups_of_samples
from predict.protocol import Pool
from results.votes.exact import AnswerPools, answer_pools
from tests.predict.conftest import simulated_samples


def toy_pool() -> Pool:
    """Two questions with 5 and 4 answers."""
    votes = np.array([0, 1, 2, 1, -1, 3, 0, 1, 2])
    return Pool("s", 2.0, AnswerPools(["a", "b"], np.array([0, 5, 9]), votes, np.full(9, 10.0)))


def test_first_answers_are_kept_in_order_and_renumbered() -> None:
    cut = first_answers(toy_pool(), 3)
    assert cut.answers.votes.tolist() == [0, 1, 2, 2, 0, 1]
    assert cut.answers.starts.tolist() == [0, 3, 6]
    assert cut.T == 2.0


def test_chosen_answers_follow_the_order_given() -> None:
    cut = chosen_answers(toy_pool(), np.array([4, 3, 8, 7, 0, 1, 2, 5, 6]), 2)
    counts = cut.answers.counts()
    assert counts.nulls.tolist() == [1, 0]
    assert counts.correct.tolist() == [0, 0]
    assert counts.pools.tolist() == [2, 2]
    assert (counts.wrong > 0).all()


def test_grid_holds_small_n_powers_of_two_the_pool_and_what_is_asked() -> None:
    assert grid(5).tolist() == [1, 2, 3, 4, 5]
    assert grid(40, (10, 99)).tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 10, 16, 32, 40]


def test_the_length_of_a_setting_is_tokens_per_answer() -> None:
    group = groups_of_samples(simulated_samples(), "majority")[0]
    frame = simulated_samples()
    cheapest = frame[frame["setting"] == "40"]
    assert group.points.settings()[0][0] == "40"
    assert group.points.settings()[0][1] == pytest.approx(cheapest["tokens"].mean())


def test_greedy_answers_are_left_out() -> None:
    frame = simulated_samples(questions=6, answers=4)
    greedy = frame[frame["sample"] == 0].assign(decoding="greedy", correct=True)
    with_greedy = groups_of_samples(pd.concat([frame, greedy]), "majority")[0]
    assert with_greedy.accuracy == pytest.approx(groups_of_samples(frame, "majority")[0].accuracy)


def test_replicates_have_the_spread_of_the_standard_error_and_are_seeded() -> None:
    frame = simulated_samples(questions=80)
    pools = [
        Pool(str(name), 1.0 + i, answer_pools(part))
        for i, (name, part) in enumerate(frame.groupby("setting"))
    ]
    group = group_of_pools("llm", "d", "m", "majority", pools)
    copies = replicate_samples(group.points, group.pools, "majority", 2000, 1)
    assert copies.mean(axis=0) == pytest.approx(group.accuracy, abs=0.01)
    assert copies.std(axis=0) == pytest.approx(group.stderr, rel=0.12)
    assert np.array_equal(copies, replicate_samples(group.points, group.pools, "majority", 2000, 1))
    drawn = replicate_curves(group.accuracy, group.stderr, 4000, 1)
    assert drawn.std(axis=0) == pytest.approx(group.stderr, rel=0.1)
    assert len(replicate_curves(group.accuracy, np.full(len(group.points), np.nan), 10, 1)) == 0
