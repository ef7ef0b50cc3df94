"""What to buy: plans of one and of several models, in tokens and in money."""

import pandas as pd
import pytest

from results.summary.buying import plans_of
from results.tables.money import NO_MONEY, Money, Price
from results.words.buying import plan_table
from results.words.findings import opening
from tests.results.made_tables import PLAN


def plans(table, money=NO_MONEY):
    return list(plans_of(table, money))


def test_of_measured_choices_the_method_is_part_of_the_choice():
    """By vote 70.5 % at best; by the score 71 % for less. Forecasts of two methods stay two plans."""
    votes = pd.DataFrame(PLAN)
    scored = votes.assign(method="best_by_score", predicted=votes["predicted"] + 0.02)
    both = pd.concat([votes, scored], ignore_index=True)
    assert [plan.methods for plan in plans(both)] == [["majority"], ["best_by_score"]]
    (plan,) = plans(both.assign(predictor="measured"))
    assert plan.chosen[["method", "N", "predicted"]].tolist() == ["best_by_score", 4, 0.72]


@pytest.mark.parametrize(
    ("prices", "model", "cost"),
    [
        ({}, "other", "20 tokens per question"),
        ({"m": Price(0.5)}, "other", "20 tokens per question"),  # the other has no price
        ({"m": Price(0.5), "other": Price(4.0)}, "m", "$0.02 per 1,000 questions"),
    ],
)
def test_of_several_models_the_cheapest_is_bought(prices, model, cost):
    """The other is as good for half the tokens, and for four times the money."""
    own = pd.DataFrame(PLAN)
    other = own.assign(model="other", cost=own["cost"] / 2)
    found = plans(pd.concat([own, other]).assign(target_accuracy=0.69), Money(prices))
    assert [plan.models for plan in found] == [["m", "other"], ["m"], ["other"]]
    assert found[0].chosen[["model", "N"]].tolist() == [model, 4]
    (first,) = opening(found, None, [])
    assert cost in first


@pytest.mark.parametrize(
    ("prices", "note"),
    [
        ({"m": Price(0.5)}, "Costs are in tokens: other has no price."),
        ({"m": Price(0.5), "other": Price(0.0)}, "Costs are in tokens: other costs nothing."),
    ],
)
def test_why_models_are_compared_by_tokens_is_said(prices, note):
    own = pd.DataFrame(PLAN)
    both, *_ = plans(pd.concat([own, own.assign(model="other")]), Money(prices))
    assert plan_table(both).note == note


def test_what_is_expected_of_a_choice_moves_its_interval_on_new_questions_along():
    """Told alone the choice has 70.5 % and 68.5 … 73.5 %; it is expected to have three points less."""
    table = pd.DataFrame(PLAN)
    expected = table.assign(expected=table["predicted"] - 0.03, expected_low=0.4, expected_high=0.8)
    (plan,) = plans(expected.assign(target_accuracy=0.67))
    found = plan.chosen[["predicted", "lower", "upper", "alone"]].tolist()
    assert found == pytest.approx([0.675, 0.655, 0.705, 0.705])
    (old,) = plans(expected.drop(columns=["new_low", "new_high"]).assign(target_accuracy=0.67))
    assert old.chosen[["lower", "upper"]].tolist() == [0.4, 0.8]
