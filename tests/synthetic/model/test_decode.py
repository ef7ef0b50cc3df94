"""Algorithms 1 and 2 and Definition 2, on cases small enough to work out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthetic.model import decode


def test_clip_norm_drops_negatives_and_sums_to_one():
    np.testing.assert_allclose(decode.clip_norm(np.array([3.0, -5.0, 1.0])), [0.75, 0, 0.25])


def test_clip_norm_of_no_positive_entry_is_uniform():
    np.testing.assert_allclose(decode.clip_norm(np.array([-1.0, 0.0, -2.0, -1.0])), [0.25] * 4)


def test_sample_support_draws_without_replacement_in_proportion():
    rng = np.random.default_rng(0)
    draws = 20_000
    scores = np.array([0.5, -1.0, 0.3, 0.2])
    counts = sum(decode.sample_support(scores, 2, rng) for _ in range(draws))
    # P(i is drawn) = p_i + Σ_{j≠i} p_j p_i / (1 − p_j)
    p = np.array([0.5, 0, 0.3, 0.2])
    expected = [p[i] + sum(p[j] * p[i] / (1 - p[j]) for j in range(4) if j != i) for i in range(4)]
    np.testing.assert_allclose(counts / draws, expected, atol=4 * 0.5 / np.sqrt(draws))


def test_sample_support_completes_a_short_draw_uniformly():
    rng = np.random.default_rng(1)
    draws = np.array([decode.sample_support(np.array([-1.0, 2.0, -3.0, -1.0]), 2, rng) for _ in range(9000)])
    assert draws[:, 1].all()
    np.testing.assert_allclose(draws.mean(axis=0)[[0, 2, 3]], 1 / 3, atol=4 * 0.5 / np.sqrt(9000))


def test_greedy_takes_the_k_largest_and_the_lowest_index_in_a_tie():
    np.testing.assert_array_equal(decode.greedy_support(np.array([0.1, 0.5, 0.5, -1]), 1), [0, 1, 0, 0])
    np.testing.assert_array_equal(decode.greedy_support(np.array([-2.0, -1.0, 3.0]), 2), [1, 0, 1])
    np.testing.assert_array_equal(decode.greedy_support(np.array([-2.0, -1.0, -3.0]), 1), [1, 0, 0])


@pytest.mark.parametrize("sign", [-1, 1])
def test_linear_noise_has_the_mean_its_sign_says(sign):
    rng = np.random.default_rng(2)
    w = np.array([1.0, -2.0])
    draws = np.array([decode.linear_noise(w, 0.3, sign, rng) for _ in range(40_000)])
    stderr = draws.std(axis=0) / 200
    assert np.all(abs(draws.mean(axis=0) - (1 + sign * 0.3) * w) < 4 * stderr)


def test_constant_noise_has_the_variance_asked_for():
    rng = np.random.default_rng(3)
    draws = np.array([decode.constant_noise(np.zeros(2), 0.25, rng) for _ in range(40_000)])
    np.testing.assert_allclose(draws.var(axis=0), 0.25, rtol=4 * np.sqrt(2 / 40_000))


def test_best_of_n_keeps_the_nearest_and_ensemble_the_mean():
    paths, w_star = np.array([[0.0, 0.0], [1.0, 1.0], [4.0, 2.0]]), np.array([1.0, 2.0])
    np.testing.assert_array_equal(decode.best_of_n(paths, w_star), [1, 1])
    np.testing.assert_allclose(decode.ensemble_mean(paths), [5 / 3, 1])


def test_vote_shares_ties_or_gives_them_to_the_first():
    assert decode.majority_vote(["7", "3", "3"]) == {"3": 1.0}
    assert decode.majority_vote(["7", "3", "3", "7", "1"]) == {"7": 0.5, "3": 0.5}
    assert decode.majority_vote(["7", "3", "3", "7", "1"], ties="first") == {"7": 1.0}


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=12))
def test_the_shares_of_a_vote_sum_to_one(answers):
    assert sum(decode.majority_vote(answers).values()) == pytest.approx(1)


def test_both_tie_rules_have_the_same_expectation():
    rng = np.random.default_rng(4)
    shared = first = 0.0
    for _ in range(20_000):
        answers = list(rng.choice(["a", "b", "c"], size=4, p=[0.4, 0.4, 0.2]))
        shared += decode.majority_vote(answers).get("a", 0.0)
        first += decode.majority_vote(answers, ties="first").get("a", 0.0)
    assert abs(shared - first) / 20_000 < 4 * 0.5 / np.sqrt(20_000)


def test_support_text_lists_coordinates_in_rising_order():
    assert decode.support_text(np.array([7, 3])) == "3+7"
    assert decode.support_text([3]) == "3"
