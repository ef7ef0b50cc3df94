"""Prices of rules for a plan, on known chances."""

import numpy as np
import pytest

from results import BadInput
from results.stopping import prices_of_laws
from results.votes.multinomial import vote_accuracy


def test_known_chances_give_the_exact_vote_and_the_ruin_of_a_gambler():
    laws, tokens = [[0.6, 0.4], [0.9, 0.1]], [100.0, 10.0]
    table = prices_of_laws(laws, tokens, ["fixed:5", "lead:3"], n_max=200, draws=4000).set_index("rule")
    # P(Binomial(5, p) ≥ 3) and, with no end in sight, p³ / (p³ + q³), after 3 (2 P − 1) / (p − q) answers
    votes = np.array([0.68256, 0.99144])
    leads = np.array([0.6**3 / (0.6**3 + 0.4**3), 0.9**3 / (0.9**3 + 0.1**3)])
    answers = 3 * (2 * leads - 1) / np.array([0.2, 0.8])
    error = 4 * 0.5 / np.sqrt(2 * 4000)
    assert table.loc["fixed", "accuracy"] == pytest.approx(votes.mean(), abs=error)
    assert table.loc["lead", "accuracy"] == pytest.approx(leads.mean(), abs=error)
    assert table.loc["lead", "answers"] == pytest.approx(answers.mean(), abs=0.25)
    assert table.loc["lead", "cost"] == pytest.approx((answers * tokens).mean(), rel=0.03)


def test_there_may_be_more_kinds_of_answers_than_answers():
    law = np.array([0.3, *[0.02] * 35])
    table = prices_of_laws(law[None], [1.0], ["fixed:5"], n_max=5, draws=8000)
    exact = vote_accuracy(law[None], np.array([0]), (5,))[0, 0]
    assert table["accuracy"][0] == pytest.approx(exact, abs=4 * 0.5 / np.sqrt(8000))


def test_what_a_law_lacks_cannot_be_read():
    table = prices_of_laws([[0.5]], [1.0], ["lead:2", "fixed:1"], n_max=30, draws=4000).set_index("rule")
    assert table.loc["lead", "answers"] == pytest.approx(4.0, abs=0.1)  # two that can be read
    assert table.loc["fixed", "accuracy"] == pytest.approx(0.5, abs=0.03)


def test_an_unknown_rule_is_refused():
    with pytest.raises(BadInput, match="leed"):
        prices_of_laws([[0.5]], [1.0], ["leed:2"], n_max=4)


def test_the_error_is_that_of_the_questions_however_often_each_is_asked():
    p = np.random.default_rng(0).uniform(0.1, 0.9, 40)
    few, many = (
        prices_of_laws(np.column_stack([p, 1 - p]), np.ones(40), ["fixed:3"], n_max=3, draws=draws)
        for draws in (200, 5000)
    )
    votes = p**3 + 3 * p**2 * (1 - p)
    assert many["stderr"][0] == pytest.approx(votes.std(ddof=1) / np.sqrt(40), rel=0.02)
    assert few["stderr"][0] == pytest.approx(many["stderr"][0], rel=0.05)
