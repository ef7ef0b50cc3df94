"""results.votes.permutations: its rules against plain counting, its mean against the exact expectation."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from results.votes.exact import accuracy_by_question
from results.votes.permutations import prefix_accuracy, random_orders
from tests.by_hand import pools_of, voted

questions_of_six = st.lists(st.lists(st.integers(-1, 3), min_size=6, max_size=6), min_size=1, max_size=4)


@settings(max_examples=50, deadline=None)
@given(questions_of_six, st.integers(0, 1000))
def test_prefixes_are_voted_on_by_the_plain_rule(questions, seed):
    pools = pools_of(questions)
    orders = random_orders(pools, 3, seed)
    ns = [1, 2, 5, 6]
    found = prefix_accuracy(pools, orders, ns)
    for p, (q, answers), (k, n) in itertools.product(range(3), enumerate(questions), enumerate(ns)):
        first = [answers[i] for i in orders[p, 6 * q : 6 * q + n]]
        assert found["majority"][p, q, k] == voted(first, right=0, null=-1)
        assert found["best_of_n"][p, q, k] == (0 in first)
        assert found["all_of_n"][p, q, k] == (set(first) == {0})


@pytest.mark.parametrize("answers", [[0, 0, 1, 1, -1, 2], [0, 1, 1, 2, 2, 2], [0, 0, 0, 1, 1, -1]])
def test_mean_over_every_order_is_the_exact_expectation(answers):
    pools = pools_of([answers])
    orders = np.array(list(itertools.permutations(range(6))), np.int32)
    ns = np.arange(1, 7)
    found = prefix_accuracy(pools, orders, ns)
    for method, values in found.items():
        expected = accuracy_by_question(pools.counts(), method, ns)
        np.testing.assert_allclose(values.mean(axis=0), expected, rtol=0, atol=1e-12)


def test_orders_are_permutations_within_each_question_whatever_its_neighbours():
    orders, alone = (random_orders(pools_of([[0] * 8] * many), 5, seed=7) for many in (2, 1))
    assert np.array_equal(np.sort(orders, axis=1), np.tile(np.arange(8).repeat(2), (5, 1)))
    assert np.array_equal(orders[:, :8], alone)
    assert np.array_equal(np.sort(alone, axis=1), np.tile(np.arange(8), (5, 1)))
    assert not np.array_equal(orders[:, 8:], alone)


def test_order_depends_on_the_seed_and_the_answers_and_more_orders_extend_the_list():
    pools = pools_of([[0] * 12])
    orders = random_orders(pools, 5, seed=0)
    assert not np.array_equal(orders, random_orders(pools, 5, seed=1))
    assert not np.array_equal(orders, random_orders(pools_of([[0] * 11 + [1]]), 5, seed=0))
    assert np.array_equal(orders, random_orders(pools, 50, seed=0)[:5])


@pytest.mark.parametrize("ns", [[0], [2, 1], [1, 1], [4]])
def test_prefixes_refuse_impossible_n(ns):
    pools = pools_of([[0, 1, 0], [0, 0, 1, 1]])
    with pytest.raises(ValueError, match=r"smallest pool \(3\)"):
        prefix_accuracy(pools, random_orders(pools, 1, seed=0), ns)
