"""The compiled replay against plain Python, and against exact probabilities on small pools."""

import itertools
from functools import cache
from math import comb

import numpy as np
import pytest
from scipy import special

from results.stopping.replay import Replay
from results.stopping.rules import RULES
from results.votes.exact import accuracy_by_question
from results.votes.permutations import random_orders
from tests.results.paired.made import pools as drawn
from tests.results.paired.made import varied_laws
from tests.results.stopping.by_hand import check_replay
from tests.results.stopping.pools import pools_of


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize("most", [5, 14])
def test_every_rule_ends_where_plain_python_ends_it(rule, most):
    check_replay(rule, most)


def first_to_lead(right: int, wrong: int, k: int, most: int) -> tuple[float, float]:
    """The probability of a right outcome, and the mean number of answers, when a lead of k ends the vote.

    Two answers drawn without replacement: an exact recursion over the numbers (right, wrong) drawn so far.
    """

    @cache
    def onwards(i: int, j: int) -> tuple[float, float]:
        lead, left = i - j, most - i - j
        if abs(lead) >= k or abs(lead) > left or left == 0:
            return (1.0 if lead > 0 else 0.5 if lead == 0 else 0.0), 0.0
        rest = right + wrong - i - j
        more = [(onwards(i + 1, j), (right - i) / rest), (onwards(i, j + 1), (wrong - j) / rest)]
        taken, answers = (sum(end[part] * chance for end, chance in more if chance) for part in (0, 1))
        return taken, 1 + answers

    return onwards(0, 0)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize(("right", "wrong", "most"), [(5, 3, 8), (5, 4, 7), (3, 5, 6)])
def test_a_lead_on_two_answers_is_exact_over_all_orders(right, wrong, most, k):
    pools = pools_of([[0] * right + [1] * wrong])
    places = itertools.combinations(range(right + wrong), right)
    orders = []
    for chosen in places:
        zeros, ones = iter(range(right)), iter(range(right, right + wrong))
        orders.append([next(zeros) if i in chosen else next(ones) for i in range(right + wrong)])
    assert len(orders) == comb(right + wrong, right)
    replay = Replay(pools, np.array(orders, np.int32), most)
    outcome = replay.outcome(replay.stop(RULES["lead"], k))
    taken, answers = first_to_lead(right, wrong, k, most)
    assert outcome.accuracy[0] == pytest.approx(taken, abs=1e-6)
    assert outcome.answers[0] == pytest.approx(answers, abs=1e-9)
    mode = special.betainc(wrong, right, 0.5)  # P(the right answer's share > 1/2), Beta law
    assert outcome.agreement[0] == pytest.approx(taken * mode + (1 - taken) * (1 - mode), abs=1e-6)


def test_a_fixed_number_is_the_exact_vote_over_all_orders():
    votes = [0, 0, 1, 1, 2, -1]
    pools = pools_of([votes])
    orders = np.array(list(itertools.permutations(range(6))), np.int32)
    replay = Replay(pools, orders, 6)
    exact = accuracy_by_question(pools.counts(), "majority", np.arange(1, 7))[0]
    for n in range(1, 7):
        stops = replay.stop(RULES["fixed"], n)
        assert (stops.asked == n).all()
        assert replay.outcome(stops).accuracy[0] == pytest.approx(exact[n - 1], abs=1e-6)


def test_an_unreadable_answer_costs_and_casts_no_vote():
    tokens = [[5.0, 7.0, 7.0, 100.0, 100.0, 100.0]]
    pools = pools_of([[-1, 0, 0, 1, 1, 1]], tokens)
    replay = Replay(pools, np.arange(6, dtype=np.int32)[None], 6)
    stops = replay.stop(RULES["lead"], 2)
    assert stops.asked.tolist() == [[3]]
    outcome = replay.outcome(stops)
    assert outcome.tokens.tolist() == [19.0]
    assert outcome.agreement[0] == pytest.approx(5 / 16)  # P(Beta(2, 3) > 1/2)
    assert outcome.false_stops[0] == pytest.approx(11 / 16)
    all_asked = Replay(pools, np.arange(6, dtype=np.int32)[None], 3)  # no rule has ended it
    assert all_asked.outcome(all_asked.stop(RULES["lead"], 2)).false_stops.tolist() == [0.0]


def test_an_answer_costs_one_where_the_tokens_of_some_are_unknown():
    pools = pools_of([[1, 0, 0, 1]], [[9.0, np.nan, 2.0, 8.0]])
    replay = Replay(pools, np.arange(4, dtype=np.int32)[None], 4)
    assert replay.outcome(replay.stop(RULES["lead"], 2)).tokens.tolist() == [4.0]


@pytest.mark.parametrize("pool", [16, 32])
def test_the_agreement_told_is_that_with_the_mode_of_the_law(pool):
    """Simulated with known laws; agreement with the pool's own vote would be 4 to 10 points too high."""
    rng = np.random.default_rng(0)
    laws = varied_laws(600, rng)
    pools = drawn(laws, pool, rng)
    replay = Replay(pools, random_orders(pools, 10, seed=0), 16)
    stops = replay.stop(RULES["lead"], 4)
    ended = []
    for order, asked in zip(replay.orders, stops.asked, strict=True):
        for law, start, n in zip(laws, pools.starts, asked, strict=False):
            votes = np.bincount(pools.votes[start + order[start : start + n]], minlength=4)
            taken = votes == votes.max()
            ended.append(taken[law.argmax()] / taken.sum())
    assert replay.outcome(stops).agreement.mean() == pytest.approx(np.mean(ended), abs=0.02)
