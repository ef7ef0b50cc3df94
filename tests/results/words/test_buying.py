"""What to buy: a goal that is just missed, and a budget as it was given."""

import pandas as pd
import pytest

from results.summary.buying import plans_of
from results.tables.money import NO_MONEY, Money, Price
from results.words.buying import advice
from tests.results.made_tables import PLAN


def plans(table, money=NO_MONEY):
    return list(plans_of(table, money))


@pytest.mark.parametrize(("target", "near"), [(0.7053, True), (0.71, False)])
def test_a_goal_that_is_missed_by_less_than_is_shown_is_not_said_to_be_reached(target, near):
    """The best has 70.5 %, as which 70.53 are shown, too."""
    (plan,) = plans(pd.DataFrame(PLAN).assign(target_accuracy=target))
    assert plan.chosen is None
    assert ("just below" in advice(plan)) == near


@pytest.mark.parametrize(
    ("budget", "told"),
    [(0.5, "within 0.5 t"), (9, "; the cheapest takes 10."), (40.4, "Within 40.4 t"), (12345.0, "12,345 t")],
)
def test_a_budget_is_told_as_it_was_given(budget, told):
    (plan,) = plans(pd.DataFrame(PLAN).assign(token_budget=budget))
    assert told in advice(plan)


def test_what_is_expected_of_a_choice_moves_its_interval_on_new_questions_along():
    """By itself the choice has 70.5 % (68.5 … 73.5 %); the expected value is three points lower."""
    table = pd.DataFrame(PLAN)
    expected = table.assign(expected=table["predicted"] - 0.03, expected_low=0.4, expected_high=0.8)
    (plan,) = plans(expected.assign(target_accuracy=0.67))
    found = plan.chosen[["predicted", "lower", "upper", "alone"]].tolist()
    assert found == pytest.approx([0.675, 0.655, 0.705, 0.705])
    (old,) = plans(expected.drop(columns=["new_low", "new_high"]).assign(target_accuracy=0.67))
    assert old.chosen[["lower", "upper"]].tolist() == [0.4, 0.8]
    bounds = {"expected": table["predicted"] + 0.03, "new_low": 0.0, "new_high": 1.0}  # these stay
    (open_,) = plans(expected.assign(target_accuracy=0.67, **bounds))
    assert open_.chosen[["lower", "upper"]].tolist() == [0.0, 1.0]


def test_costs_are_told_as_they_are_compared():
    table = pd.concat([pd.DataFrame(PLAN), pd.DataFrame(PLAN).assign(model="k", predicted=0.1)])
    both, *_ = plans(table.reset_index(drop=True), Money({"m": Price(2.0)}))  # k has no price
    assert (both.chosen["model"], "tokens per question" in advice(both)) == ("m", True)


def test_a_budget_that_nothing_meets_is_told_the_fewest_tokens_also_where_others_cost_less():
    table = pd.concat([pd.DataFrame(PLAN), pd.DataFrame(PLAN).assign(model="k", cost=[20.0, 40, 80, 160])])
    money = Money({"m": Price(2.0), "k": Price(0.1)})
    both, *_ = plans(table.reset_index(drop=True).assign(token_budget=9.0), money)
    assert (both.by, "the cheapest takes 10." in advice(both)) == ("usd", True)


@pytest.mark.parametrize(("predictor", "found"), [("measured", [2]), ("default", [1, 1])])
def test_only_measured_choices_are_compared_across_methods(predictor, found):
    table = pd.DataFrame(PLAN).assign(predictor=predictor)
    both = pd.concat([table, table.assign(method="best_by_score")])
    assert [len(plan.methods) for plan in plans(both)] == found


def test_plans_of_two_levels_are_two_plans():
    table = pd.DataFrame(PLAN)
    both = pd.concat([table.assign(level=0.9), table.assign(level=0.5)])
    assert [len(plan.options) for plan in plans(both)] == [len(table)] * 2


@pytest.mark.parametrize(
    ("known", "best", "brings"),
    [
        ("forecast", 0.78, "is forecast to add 8.0"),
        ("measured", 0.78, "adds 8.0"),
        ("measured", 0.71, "within a point"),
    ],
)
def test_what_the_best_adds_is_forecast_if_the_best_is(known, best, brings):
    cells = {"predicted": [0.7, best], "new_low": [0.6, 0.7], "new_high": [0.8, 0.86]}
    names = {"model": ["m", "k"], "N": [1, 8], "cost": [10.0, 80.0], "known": ["measured", known]}
    of_both, *_ = plans(pd.DataFrame(PLAN).iloc[[0, 0]].reset_index(drop=True).assign(**names, **cells))
    assert brings in advice(of_both)
