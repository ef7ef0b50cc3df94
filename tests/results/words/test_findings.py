"""Sentences that answer the page's questions, with data on both sides of where each one flips."""

import re

import pandas as pd
import pytest

from results.methods import METHODS
from results.report.selectors import plan_choices, with_most_first
from results.summary.buying import measured, measured_plans
from results.summary.panels import make_panels
from results.words.buying import advice, plan_table
from results.words.findings import (
    answers_verdict,
    headline,
    left_out,
    length_verdict,
    model_notes,
    models_table,
    opening,
)
from results.words.values import value_table
from tests.results.made_tables import ACCURACY, curves, twin

NBSP = "\N{NO-BREAK SPACE}"
FLAT = {("low", 1): 0.5, ("low", 16): 0.5, ("high", 1): 0.5, ("high", 16): 0.5}


def test_the_page_opens_with_what_to_buy_or_with_what_pays():
    panels = make_panels(pd.concat([curves(), curves(FLAT, model="flat")]))
    assert opening([], None, panels) == ["Thinking longer pays; voting pays."]
    assert opening([measured(panels)], None, panels) == [advice(measured(panels))]
    assert opening([], None, make_panels(twin())) == []


def told(table, method="majority"):
    """The cells of one model by column, and the sentences above the figures of one method."""
    panels = make_panels(table)
    shown = models_table(panels)
    (cells,) = shown.rows
    plain = dict(zip(shown.head, (cell.replace(NBSP, " ") for cell in cells), strict=True))
    (panel,) = (panel for panel in panels if panel.key.method == method)
    return plain, answers_verdict(panel).replace(NBSP, " "), length_verdict(panel)


def test_all_of_n_and_thinking_longer_are_told_with_their_intervals():
    every = curves(method="all_of_n").assign(accuracy=[0.5, 0.1, 0.7, 0.2])
    _, answers, longer = told(pd.concat([curves(), every]), "all_of_n")
    assert "all 16 answers be right loses 50.0 ± 2.8 points" in answers
    assert "from 100 to 400 tokens per answer (setting “low” → “high”) adds 20.0 ± 2.8 points" in longer


@pytest.mark.parametrize(
    ("accuracy", "method", "pays"),
    [
        ([0.7, 0.6], "majority", "Voting hurts."),
        ([0.7, 0.8], "best_of_n", "Asking again with a perfect judge pays."),
        ([0.7, 0.2], "all_of_n", "One measurement"),
        ([0.7], "majority", "One measurement"),
    ],
)
def test_a_row_of_one_setting_claims_nothing_about_lengths(accuracy, method, pays):
    given = dict(zip([("high", 4), ("high", 16)], accuracy, strict=False))
    cells, answers, _ = told(curves(given, method=method), method)
    assert cells["pays"].startswith(pays)
    most = 4 if len(accuracy) == 1 else 16
    assert cells[METHODS[method].words] == f"{100 * accuracy[-1]:.1f} % (N = {most})"
    assert "one answer" not in cells
    assert "high" not in answers


@pytest.mark.parametrize("unknown", [{"stderr": None}, {"stderr": None, "questions": 1}, {"questions": 5}])
def test_what_is_not_known_is_not_zero(unknown):
    """No standard error, one question, or five: +80 points that nothing can be said of."""
    cells, answers, longer = told(curves({**FLAT, ("low", 1): 0.1, ("high", 16): 0.9}, **unknown))
    for sentence in (cells["pays"], answers, longer):
        assert not re.search("pays|adds|hurts|loses", sentence)
        assert re.search("judged|noise|no clear difference|standard error", sentence)


def test_settings_without_a_name_are_not_named():
    table = curves({("default", 1): 0.5, ("default", 4): 0.6}, unreadable=0.2)
    cells, answers, _ = told(table)
    assert "default" not in " ".join([answers, *cells.values(), *model_notes(make_panels(table))])


def test_paired_standard_errors_turn_noise_into_a_gain():
    table = curves(stderr=0.03)
    assert "no clear difference" in told(table)[1]
    paired = (table["N"] == 16).map({True: 0.01, False: None})
    assert "adds 4.0 ± 2.0 points" in told(table.assign(stderr_vs_first_n=paired))[1]


@pytest.mark.parametrize(
    ("asked", "used", "told"),
    [
        ("20 500", (149, 224), True),
        ("80 200", (149, 224), True),
        ("20 500", (20, 400), False),
        ("low high", (1, 2), False),
    ],
)
def test_budgets_that_do_not_set_the_length_are_told_first(asked, used, told):
    """Asked for 25 times as many tokens, a model that keeps to it uses at least √25 times as many.

    The smaller budget is named first.
    """
    names = dict(zip(("low", "high"), asked.split(), strict=True))
    lengths = dict(zip(("low", "high"), used, strict=True))
    table = curves().assign(tokens_per_answer=lambda rows: rows["setting"].map(lengths))
    panels = make_panels(table.assign(setting=table["setting"].map(names)))
    notes = model_notes(panels)
    said = asked.replace(" ", " and "), "149 and 224"
    assert all(word in notes[0] for word in said) if told else not notes
    for sentence in (headline(panels[0]), length_verdict(panels[0])):
        assert ("prompt" in sentence) == told  # what changed may be the prompt, so it is not called thinking
        assert not (told and re.search("hinking longer|Going from", sentence))


def test_toys_come_after_real_models_and_runs_without_lengths_last():
    bare = curves(model="bare").drop(columns=["T", "tokens_per_answer"])
    small = curves({key: 0.5 for key in ACCURACY if key[1] == 1}, model="small")
    panels = make_panels(pd.concat([curves(model="sums"), small, curves(model="real"), bare]))
    assert [panel.key.model for panel in with_most_first(panels)] == ["real", "small", "sums", "bare"]


def test_the_order_of_the_rows_changes_no_finding():
    table = pd.concat([curves(), curves(method="best_of_n").assign(accuracy=[0.5, 0.7, 0.8, 0.9])])
    for rows in (table[::-1], table.sort_values("accuracy")):
        found = make_panels(rows.sort_values("method", ascending=False, kind="stable"))
        assert models_table(found) == models_table(make_panels(table))


def test_models_on_the_same_questions_share_one_frontier():
    both = make_panels(pd.concat([curves(), curves(model="large"), curves(model="m", dataset="other")]))
    plans = list(measured_plans(both, []))
    names = ["2 models on sums", "m on sums", "large on sums", "m on other"]
    ends = ", majority vote, as measured"
    assert [choice.name.removesuffix(ends) for choice in plan_choices(plans)] == names
    assert [plan.models for plan in measured_plans(both, plans[1:2])] == [["m", "large"], ["large"], ["m"]]
    assert [*measured_plans(both, plans)] == []
    assert left_out(both, plans) == []
    (told,) = left_out(both, plans[1:2] + plans[3:])
    assert told.startswith("large on sums is in no plan")


def test_prices_can_turn_the_joint_frontier_over():
    """Ten times the tokens and no better: never bought by tokens, always at a hundredth of the price."""
    tables = pd.concat([curves(), curves(model="large")])
    tables["tokens_per_answer"] *= tables["model"].map({"m": 1, "large": 10})
    bought = lambda panels: measured(panels).chosen["model"]  # noqa: E731
    priced, half = make_panels(tables, {"m": 10.0, "large": 0.1}), make_panels(tables, {"large": 0.1})
    assert [*map(bought, (make_panels(tables), priced, half))] == ["m", "large", "m"]  # m has no price
    # 1,000 tokens a question at 0.1 dollars a million
    table = plan_table(measured(priced))
    assert table.rows[0] == ["large", "$0.10", "low", "1,000", "1", f"50.0{NBSP}%"]
    assert [cells[1] for cells in table.rows] == ["$0.10", "$0.40", "$6.40"]
    assert "m has no price" in plan_table(measured(half)).note
    table = plan_table(measured(make_panels(tables, {"m": 10.0})))  # all of it are m's choices
    assert ("large has no price" in table.note, table.rows[0][:3]) == (True, ["m", "100", "low"])
    assert [("price" in plan_table(measured([panel])).note.lower()) for panel in half] == [False, True]


def test_risk_is_called_an_error_that_falls():
    table = twin(method="ensemble", risk=[60.0, 40.0, 50.0, 31.5]).drop(columns="accuracy")
    (panel,) = make_panels(table)
    assert "cuts the error from 50 to 31.5" in answers_verdict(panel)
    assert "cuts the error from 60 to 50" in length_verdict(panel)
    (worse,) = make_panels(table.assign(risk=[60.0, 40.0, 50.0, 55.0]))
    assert "raises the error from 50 to 55" in answers_verdict(worse)
    assert value_table(panel).rows[1][2:] == ["50.00 ± 0.02", "31.50 ± 0.02"]
    assert models_table([panel]) is None
