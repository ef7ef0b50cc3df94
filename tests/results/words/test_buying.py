"""What to buy: plans of one and of several models, in tokens and in money, and what the page says first."""

import pandas as pd
import pytest

from results.report.selectors import plan_choices
from results.summary.buying import plans_of
from results.words.findings import opening
from tests.results.made_tables import DIFFERENCE, PLAN

NBSP = "\N{NO-BREAK SPACE}"


def plans(table, prices=None):
    return list(plans_of(pd.DataFrame(table), prices or {}))


def test_of_measured_choices_the_method_is_part_of_the_choice():
    """By vote 70.5 % at best; by the score 71 % for less. Forecasts of two methods stay two plans."""
    votes = pd.DataFrame(PLAN)
    scored = votes.assign(method="best_by_score", predicted=votes["predicted"] + 0.02)
    both = pd.concat([votes, scored], ignore_index=True)
    assert [plan.methods for plan in plans(both)] == [["majority"], ["best_by_score"]]
    (plan,) = plan_choices(plans(both.assign(predictor="measured")))
    assert "is best by score, N = 4: 72.0" in plan.figures[0][0].replace(NBSP, " ")
    assert {row[-1] for row in plan.tables[0].rows} == {"best by score"}


@pytest.mark.parametrize(
    ("prices", "choice", "cost"),
    [
        ({}, "other, N = 4", "20 tokens per question"),
        ({"m": 0.5}, "other, N = 4", "20 tokens per question"),  # the other has no price
        ({"m": 0.5, "other": 4.0}, "m, N = 4", "$0.02 per 1,000 questions"),
    ],
)
def test_of_several_models_the_cheapest_is_bought(prices, choice, cost):
    """The other is as good for half the tokens, and for four times the money."""
    own = pd.DataFrame(PLAN)
    other = own.assign(model="other", cost=own["cost"] / 2)
    found = plans(pd.concat([own, other]).assign(target_accuracy=0.69), prices)
    names = [
        "2 models on sums, majority vote, by default (mixture)",
        "m on sums, majority",
        "other on sums, majority",
    ]
    assert all(one.name.startswith(name) for one, name in zip(plan_choices(found), names, strict=True))
    (first,) = opening(found, None, [])
    value = f"70.0{NBSP}% forecast (90{NBSP}% interval on new questions 68.0 … 73.0{NBSP}%)"
    assert f"take {choice}: {value} for {cost}" in first
    assert first == plan_choices(found)[0].figures[0][0]


def test_what_the_best_adds_is_told_beside_what_it_costs_by_price():
    """Of the other model an answer takes twice the tokens, at eight times the price."""
    own = pd.DataFrame(PLAN).assign(low=lambda rows: rows["predicted"] - 0.03)
    own["high"] = own["predicted"] + 0.03
    other = own.assign(model="other", predicted=own["predicted"] + 0.03, cost=2 * own["cost"])
    table = pd.concat([own, other])
    for prices, told in (({"m": 0.5, "other": 4.0}, "32 times the price"), ({}, "4 times the tokens")):
        first = plans(table, prices)[0]
        assert f"forecast to add 3.5 points for {told}" in opening([first], None, [])[0]


@pytest.mark.parametrize(("setting", "told"), [("10", "10 and 500"), ("500", "500")])
def test_the_first_sentence_names_the_setting_that_it_is_about(setting, told):
    """Of two settings: at the second the difference is clear at more answers."""
    first = DIFFERENCE | {"setting_a": "20", "setting_b": "20", "difference": 0.05}
    second = DIFFERENCE | {"setting_a": setting, "setting_b": "500", "N": 8}
    (sentence,) = opening([], pd.DataFrame([first, second]), [])
    assert f"majority vote, N = 8, setting {told}, the most answers" in sentence
    assert "more below" not in sentence


def test_what_to_expect_of_the_luckiest_choice_is_told_beside_its_accuracy():
    """The choice, its star and its sentence go by what is expected; the table has both, and says why."""
    table = pd.DataFrame(PLAN)
    expected = table.assign(expected=table["predicted"] - 0.03, expected_low=0.4, expected_high=0.8)
    (plan,) = plans(expected.assign(target_accuracy=0.67))
    (told,) = plan_choices([plan])[0].tables
    assert told.head[3:6] == ["N", "accuracy", "to expect"]
    assert [cell.replace(NBSP, " ") for cell in told.rows[-1][4:6]] == ["70.5 %", "67.5 %"]
    assert "lucky" in told.note
    drawn = f"interval on new questions 65.5 … 70.5{NBSP}%"  # as wide as it was, 68.5 … 73.5, about 67.5
    assert drawn in opening([plan], None, [])[0]
    old = expected.drop(columns=["new_low", "new_high"]).assign(target_accuracy=0.67, level=0.8)
    assert f"(80{NBSP}% interval on these questions 40.0 … 80.0" in opening(plans(old), None, [])[0]
    (bare,) = plan_choices(plans(PLAN))[0].tables
    assert ("to expect" in bare.head, "lucky" in bare.note) == (False, False)
