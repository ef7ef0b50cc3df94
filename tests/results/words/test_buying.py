"""What to buy: plans for one and for several models, in tokens and in money."""

import pandas as pd
import pytest

from results.summary.buying import plans_of
from results.tables.money import NO_MONEY, Money, Price
from results.words.buying import advice, plan_table
from results.words.findings import opening
from tests.results.made_tables import PLAN


def plans(table, money=NO_MONEY):
    return list(plans_of(table, money))


def test_of_measured_choices_the_method_is_part_of_the_choice():
    """The vote reaches 70.5 %, the score more for less. Forecasts by two methods remain two plans."""
    votes = pd.DataFrame(PLAN)
    scored = votes.assign(method="best_by_score", predicted=votes["predicted"] + 0.02)
    both = pd.concat([votes, scored], ignore_index=True)
    assert [plan.methods for plan in plans(both)] == [["majority"], ["best_by_score"]]
    (plan,) = plans(both.assign(predictor="measured"))
    assert plan.chosen[["method", "N", "predicted"]].tolist() == ["best_by_score", 4, 0.72]
    (plan,) = plans(both.assign(predictor="measured", setting=[*votes["setting"], *["20"] * len(votes)]))
    assert "used 10 with its score" in advice(plan)  # which takes a part of them
    assert "tokens/answer with score" in plan_table(plan).head


@pytest.mark.parametrize(("target", "near"), [(0.7053, True), (0.71, False)])
def test_a_goal_that_is_missed_by_less_than_is_shown_is_not_said_to_be_reached(target, near):
    """The best has 70.5 %, as which 70.53 are shown, too."""
    (plan,) = plans(pd.DataFrame(PLAN).assign(target_accuracy=target))
    assert plan.chosen is None
    assert ("just below" in advice(plan)) == near


@pytest.mark.parametrize(
    ("budget", "told"), [(0.5, "within 0.5 t"), (40.4, "Within 40.4 t"), (12345.0, "12,345 t")]
)
def test_a_budget_is_told_as_it_was_given(budget, told):
    (plan,) = plans(pd.DataFrame(PLAN).assign(token_budget=budget))
    assert told in advice(plan)


@pytest.mark.parametrize(
    ("prices", "model", "cost"),
    [
        ({}, "other", "20 tokens per question"),
        ({"m": Price(0.5)}, "other", "20 tokens per question"),  # "other" has no price
        ({"m": Price(0.5), "other": Price(4.0)}, "m", "$0.02 per 1,000 questions"),
    ],
)
def test_of_several_models_the_cheapest_is_bought(prices, model, cost):
    """The other is as good for half the tokens, but for four times the money."""
    own = pd.DataFrame(PLAN)
    other = own.assign(model="other", cost=own["cost"] / 2)
    found = plans(pd.concat([own, other]).assign(target_accuracy=0.69), Money(prices))
    assert [plan.models for plan in found] == [["m", "other"], ["m"], ["other"]]
    assert found[0].chosen[["model", "N"]].tolist() == [model, 4]
    (first,) = opening(found, pd.DataFrame(), [])
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
    """By itself the choice has 70.5 % (68.5 … 73.5 %); the expected value is three points lower."""
    table = pd.DataFrame(PLAN)
    expected = table.assign(expected=table["predicted"] - 0.03, expected_low=0.4, expected_high=0.8)
    (plan,) = plans(expected.assign(target_accuracy=0.67))
    found = plan.chosen[["predicted", "lower", "upper", "alone"]].tolist()
    assert found == pytest.approx([0.675, 0.655, 0.705, 0.705])
    (old,) = plans(expected.drop(columns=["new_low", "new_high"]).assign(target_accuracy=0.67))
    assert old.chosen[["lower", "upper"]].tolist() == [0.4, 0.8]
