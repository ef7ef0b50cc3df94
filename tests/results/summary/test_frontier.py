"""The Pareto frontier, checked by comparing every pair of choices."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from results import build_curves
from results.normal import Z90
from results.summary.buying import Plan, best_choice, measured, measured_plans, pareto_frontier
from results.summary.expected import given_all
from results.summary.panels import make_panels
from tests.results.made_tables import curves


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(-2, 6)), min_size=1, max_size=12))
@settings(max_examples=200, deadline=None)
def test_it_is_what_no_cheaper_or_equally_dear_choice_equals(points):
    choices = pd.DataFrame(points, columns=["cost", "gain"], dtype=float)
    kept = pareto_frontier(choices, "gain")
    expected = {
        (cost, gain)
        for cost, gain in points
        if not any((c <= cost and g > gain) or (c < cost and g >= gain) for c, g in points)
    }
    assert list(map(tuple, kept.to_numpy())) == sorted(expected)


def test_steps_that_would_read_as_no_gain_and_choices_without_a_value_are_left_off():
    values = [0.5, 0.5003, 0.5004, np.nan, 0.5011]
    choices = pd.DataFrame({"cost": [1.0, 2, 3, 3.5, 4], "value": values})
    assert pareto_frontier(choices, "value")["cost"].tolist() == [1, 4]


@pytest.mark.parametrize(
    ("goal", "cost"),
    [
        ({}, 2.0),  # 0.595 is within a point of 0.6, 0.588 is not
        ({"target": 0.5}, 1.0),
        ({"target": 0.7}, None),
        ({"budget": 1.0}, 1.0),
        ({"budget": 3.5}, 2.0),  # the next costs more and is no better
        ({"budget": 0.5}, None),
        ({"budget": 9.0}, 4.0),  # the dearest is better by 0.0 points
    ],
)
def test_the_best_choice_meets_its_goal(goal, cost):
    values = [0.6003, 0.6, 0.595, 0.59, 0.595, 0.588, 0.5, np.nan]
    choices = pd.DataFrame({"cost": [8.0, 4.0, 3.0, 2.0, 2.0, 1.5, 1.0, 0.4], "value": values})
    found = best_choice(choices, "value", **goal)
    assert (None if found is None else found["cost"]) == cost
    assert cost != 2.0 or found["value"] == 0.595


@pytest.mark.parametrize(("goal", "cost"), [({}, 1.0), ({"budget": 0.9}, 0.9 + 1e-15)])
def test_a_last_digit_keeps_no_choice_from_its_goal(goal, cost):
    """In floating point 0.13 − 0.01 exceeds 0.12, and a mean of 0.9 tokens may be one ulp above 0.9."""
    choices = pd.DataFrame({"cost": [0.9 + 1e-15, 1.0, 2.0], "value": [0.02, 0.12, 0.13]})
    found = best_choice(choices, "value", **goal)
    assert found is not None
    assert found["cost"] == cost


@pytest.mark.parametrize(
    ("goal", "bought"),
    [
        ({}, "small, long"),  # within a point of the best at a fifth of its price
        ({"target": 0.5}, "small, short"),
        ({"budget": 150.0}, "large"),  # the best for up to 150, not the cheapest
        ({"budget": 80.0}, "small, short"),
        ({"budget": 1000.0}, "small, longest"),  # the cheaper of two equally good ones
    ],
)
def test_a_price_tells_what_is_cheap_and_tokens_are_what_a_budget_allows(goal, bought):
    choices = pd.DataFrame(
        [
            ("large", 100.0, 500.0, 0.702),
            ("large, twice", 200.0, 1000.0, 0.71),
            ("small, short", 80.0, 8.0, 0.50),
            ("small, long", 900.0, 90.0, 0.702),
            ("small, longest", 1000.0, 100.0, 0.71),
        ],
        columns=["name", "cost", "price", "value"],
    )
    found = best_choice(choices, "value", **goal, by="price")
    assert found is not None
    assert found["name"] == bought


def test_a_plan_goes_by_what_is_expected_of_each_option_given_all():
    alone = {"cost": [1.0, 2.0, 3.0], "predicted": [0.5, 0.9, 0.8], "low": 0.4, "high": 0.95}
    together = {"expected": [0.5, 0.7, 0.75], "expected_low": [0.4, 0.6, 0.74], "expected_high": 0.8}
    options = pd.DataFrame(alone | together)
    by_luck = Plan(pd.DataFrame(alone))
    assert by_luck.chosen[["cost", "predicted", "alone"]].tolist() == [2.0, 0.9, 0.9]
    found = Plan(options)
    assert found.chosen[["cost", "predicted", "low", "high", "alone"]].tolist() == [3.0, 0.75, 0.74, 0.8, 0.8]
    assert found.frontier["predicted"].tolist() == [0.5, 0.7, 0.75]
    assert found.best["cost"] == 3.0
    assert found.cautious["cost"] == 3.0
    assert Plan(options, target_accuracy=0.7).chosen["cost"] == 2.0


def test_what_was_asked_of_fewer_questions_is_no_choice():
    table = curves()
    (panel,) = make_panels(table.assign(questions=table["questions"].where(table["N"] == 1, 150)))
    assert set(measured([panel]).options["N"]) == {1}


def test_measured_plans_are_of_models_that_have_none():
    panels = make_panels(pd.concat([curves(), curves(model="k"), curves(model="all", method="all_of_n")]))
    found = [sorted(plan.models) for plan in measured_plans(panels, [measured(panels[:1])])]
    assert found == [["k", "m"], ["k"]]
    assert list(measured_plans(panels, [measured(panels[:2])])) == []


def test_of_equal_choices_the_best_is_the_cheapest():
    assert Plan(pd.DataFrame({"cost": [1.0, 2.0, 3.0], "predicted": 0.0})).best["cost"] == 1.0


def test_of_two_equal_models_the_cheap_one_is_bought_in_95_of_100_cases():
    """The expensive one is bought if better by more than 1.96 standard errors: 2.5 of 100 by chance."""
    stderr = np.sqrt(2 * 0.7 * 0.3 / 200)
    for apart, bought in ((0.99, "mini"), (1.01, "maxi")):
        right = np.array([0.7, 0.7 + apart * 1.959964 * stderr])
        options = pd.DataFrame({"model": ["mini", "maxi"], "predicted": right, "cost": [1.0, 9.0]})
        told = options.assign(stderr=stderr / np.sqrt(2))
        assert Plan(told).chosen["model"] == bought
        half = Z90 * stderr / np.sqrt(2)
        ends = {"new_low": right - half, "new_high": right + half}
        forecast = options.assign(low=right - 0.01, high=right + 0.01, **ends)
        assert Plan(forecast).chosen["model"] == bought


def test_what_is_expected_of_measured_settings_goes_by_the_luck_of_one_of_them():
    """Differences by question have the noise of two settings; all the settings are equally good."""
    rng = np.random.default_rng(6)
    right = rng.random((40, 5, 8)) < rng.uniform(0.1, 0.9, (40, 1, 1))
    rows = [
        (f"q{q}", "abcde"[place], i, "r" if hit else "a", hit, 10.0 * (place + 1))
        for (q, place, i), hit in np.ndenumerate(right)
    ]
    names = ["question_id", "setting", "sample", "answer", "correct", "tokens"]
    whose = {"source": "llm", "dataset": "d", "model": "m", "decoding": "sample"}
    samples = pd.DataFrame(rows, columns=names).assign(**whose)
    options = measured(make_panels(build_curves(samples, ["majority"], [1], permutations=0))).options
    apart = np.diff(right.mean(axis=2)[:, [0, 1, 0, 2, 0, 3, 0, 4]])[:, ::2]
    luck = np.sqrt(apart.var(axis=0, ddof=1).mean() / 40 / 2)
    expected, _ = given_all(right.mean(axis=(0, 2)), np.full(5, luck))
    np.testing.assert_allclose(options.sort_values("setting")["expected"], expected)
