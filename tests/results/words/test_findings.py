"""The page's opening, models on one frontier, and the effect of prices and of the order of rows."""

import pandas as pd
import pytest

from results.summary.buying import measured, measured_plans
from results.summary.panels import make_panels
from results.tables.money import Money, Price
from results.words.buying import advice, plan_table
from results.words.findings import headline, left_out, length_verdict, models_table, opening
from tests.results.made_tables import curves, twin


def test_the_page_opens_with_what_to_buy_and_has_nothing_to_say_of_the_twin():
    panels = make_panels(curves())
    assert opening([measured(panels)], pd.DataFrame(), panels) == [advice(measured(panels))]
    assert opening([], pd.DataFrame(), make_panels(twin())) == []


def test_the_order_of_the_rows_changes_no_finding():
    table = pd.concat([curves(), curves(method="best_of_n").assign(accuracy=[0.5, 0.7, 0.8, 0.9])])
    for rows in (table[::-1], table.sort_values("accuracy")):
        found = make_panels(rows.sort_values("method", ascending=False, kind="stable"))
        assert models_table(found) == models_table(make_panels(table))


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        ([1, 16], [16, 32], ["adds 14.0", "at N = 16"]),  # the expensive setting has no N = 1
        ([16, 32], [1, 16], ["adds 14.0", "at N = 16"]),
        ([1], [16], ["unknown"]),
    ],
)
def test_lengths_are_compared_at_one_number_of_answers(low, high, told):
    """Accuracies of 50 % at one answer, 60 at 16, 62 at 32; the expensive setting adds 14 points."""
    right = {1: 0.5, 16: 0.6, 32: 0.62}
    rows = [("low", n, right[n]) for n in low] + [("high", n, right[n] + 0.14) for n in high]
    setting, n, value = zip(*rows, strict=True)
    lengths = [100.0 if name == "low" else 400.0 for name in setting]
    given = {"setting": setting, "N": n, "accuracy": value, "tokens_per_answer": lengths}
    table = curves().iloc[[0] * len(rows)].assign(**given)
    (panel,) = make_panels(table.drop(columns="T"))
    assert all(words in length_verdict(panel) for words in told)
    assert ("cannot be judged" in headline(panel)) == (told == ["unknown"])
    found = models_table([panel])
    assert found is not None
    assert "one answer" not in found.head


def test_models_on_the_same_questions_share_one_frontier():
    both = make_panels(pd.concat([curves(), curves(model="large"), curves(model="m", dataset="other")]))
    plans = list(measured_plans(both, []))
    assert [plan.models for plan in plans] == [["m", "large"], ["m"], ["large"], ["m"]]
    assert [plan.models for plan in measured_plans(both, plans[1:2])] == [["m", "large"], ["large"], ["m"]]
    assert [*measured_plans(both, plans)] == []
    assert left_out(both, plans) == []
    unpriced = make_panels(curves().assign(tokens_per_answer=float("nan"), T=float("nan")))
    assert [*measured_plans(unpriced, [])] == []
    (told,) = left_out(both, plans[1:2] + plans[3:])
    assert told.startswith("large on sums is in no plan")


def test_prices_can_turn_the_joint_frontier_over():
    """Ten times the tokens and no better: never bought by tokens, always at 1 % of the price per token."""
    tables = pd.concat([curves(), curves(model="large")])
    tables["tokens_per_answer"] *= tables["model"].map({"m": 1, "large": 10})
    for prices, model, cost in (
        ({}, "m", "100"),
        ({"m": Price(10.0), "large": Price(0.1)}, "large", "$0.10"),  # 1,000 tokens, $0.1 a million
        ({"large": Price(0.1)}, "m", "100"),  # "m" has no price
    ):
        plan = measured(make_panels(tables, Money(prices)))
        assert plan.chosen["model"] == model
        assert plan_table(plan).rows[0][:2] == [model, cost]
