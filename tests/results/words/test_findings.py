"""Sentences that answer the page's questions, with data on both sides of where each one flips."""

import re
from dataclasses import replace

import pandas as pd
import pytest

from results.cli.report import CACHED
from results.report.choices import cost_choices, with_most_first
from results.summary.buying import measured, plans_of
from results.summary.panels import make_panels
from results.tables.contract import read_table
from results.tables.money import Paid
from results.words.buying import bought, budget_table, which_model
from results.words.findings import answer, answers_verdict, fewer_questions, findings, length_verdict
from results.words.values import value_table
from tests.results.made_tables import ACCURACY, curves, twin

NBSP = "\N{NO-BREAK SPACE}"
FLAT = {("low", 1): 0.5, ("low", 16): 0.5, ("high", 1): 0.5, ("high", 16): 0.5}


def test_the_title_is_answered_by_counts_of_clear_gains():
    """Of +4, 0 and −10 points by the vote one is a gain, of +20, 0 and +2 by length too (clear from 2.8)."""
    loses = curves({("low", 1): 0.6, ("low", 16): 0.7, ("high", 1): 0.62, ("high", 16): 0.52}, model="loses")
    best = curves(method="best_of_n").assign(accuracy=[0.5, 0.6, 0.5, 0.99])
    told = answer(make_panels(pd.concat([best, curves(), curves(FLAT, model="flat"), loses])))
    assert "again pays in 1 of 3 cases (−10.0 to +4.0 p" in told
    assert "longer pays in 1 of 3 cases (+0.0 to +20.0 p" in told
    assert answer(make_panels(curves(FLAT))).count("makes no clear difference (+0.0 ± 2.8 p") == 2
    assert "Asking again pays (+4.0 ± 2.8 p" in answer(make_panels(curves()))
    assert answer(make_panels(twin())) == ""
    assert "thinking" not in answer(make_panels(curves(setting="one", permutation=["exact", *"012"])))


def told(table, method="majority"):
    """The card of one model, its spaces plain, and the sentences above the figures of one method."""
    panels = make_panels(table)
    (card,) = findings(panels)
    plain = [tuple(part.replace(NBSP, " ") for part in tile) for tile in card.tiles]
    (panel,) = (panel for panel in panels if panel.key.method == method)
    return card, plain, answers_verdict(panel).replace(NBSP, " "), length_verdict(panel)


def test_a_card_tells_first_last_and_cheapest_good_choice():
    """64 and 73.5 % at N = 4: the one within a point of the best, for a quarter of its tokens."""
    accuracy = {**ACCURACY, ("low", 4): 0.64, ("high", 4): 0.735}
    table = pd.concat([curves(accuracy), curves(method="best_of_n").assign(accuracy=[0.5, 0.6, 0.7, 0.65])])
    card, tiles, answers, longer = told(table)
    assert tiles[0] == ("One answer", "50.0 % → 70.0 %", "setting “low” → “high”")
    assert tiles[1] == ("Vote over 16", "74.0 %", "+4.0 ± 2.8 points")
    assert [tile[1] for tile in tiles[2:]] == ["65.0 %", "100 → 400"]
    assert card.about == "200 questions, 2 settings, up to 16 answers per question"
    choice = "N = 4, setting “high”, used 400 tokens: 73.5 % (90 % interval 71.9 … 75.1 %) for 1,600 tokens"
    assert choice in card.notes[0].replace(NBSP, " ")
    assert "over 16 answers adds 4.0 ± 2.8 points (setting “high”, used 400 tokens)" in answers
    assert "from 100 to 400 tokens per answer (setting “low” → “high”) adds 20.0 ± 2.8 points" in longer
    assert "judge of 16 answers loses 5.0 ± 2.8 points" in told(table, "best_of_n")[2]
    synthetic = make_panels(twin(setting=["1", "1", "4", "4"], tokens_per_answer=[1, 1, 4, 4]))[0]
    assert "adds 4.0 ± 2.8 points (4 steps)" in answers_verdict(synthetic)
    assert "from 1 to 4 steps per answer adds" in length_verdict(synthetic)


@pytest.mark.parametrize(
    ("accuracy", "method", "first", "last", "headline"),
    [
        ([0.7, 0.6], "majority", "Majority vote, N = 4", "−10.0 ± 2.8 points", "Voting hurts."),
        ([0.7, 0.8], "best_of_n", "Best of N, N = 4", None, "Asking again with a perfect judge pays."),
        ([0.7, 0.2], "all_of_n", "All of N, N = 4", None, "One measurement"),
        ([0.7], "majority", "Majority vote, N = 4", None, "One measurement"),
    ],
)
def test_a_card_of_one_setting_claims_nothing_about_lengths(accuracy, method, first, last, headline):
    given = dict(zip([("high", 4), ("high", 16)], accuracy, strict=False))
    card, tiles, answers, _ = told(curves(given, method=method), method)
    assert tiles[0] == (first, "70.0 %", "no vote")
    assert (last is None) == ("Vote over" not in tiles[1][0])
    assert last is None or tiles[1] == ("Vote over 16", "60.0 %", last)
    assert card.headline.startswith(headline)
    about = f"200 questions, setting “high”, up to {4 if len(accuracy) == 1 else 16} answers per question"
    assert card.about == about
    assert "high" not in answers + "".join(card.notes)


@pytest.mark.parametrize("unknown", [{"stderr": None}, {"stderr": None, "questions": 1}, {"questions": 5}])
def test_what_is_not_known_is_not_zero(unknown):
    """No standard error, one question, or five: +80 points that nothing can be said of."""
    card, tiles, answers, longer = told(curves({**FLAT, ("low", 1): 0.1, ("high", 16): 0.9}, **unknown))
    panels = make_panels(curves(**unknown))
    for sentence in (card.headline, tiles[1][2], answers, longer, answer(panels)):
        assert not re.search("pays|adds|hurts|loses", sentence)
        assert re.search("judged|noise|no clear difference|standard error", sentence)


def test_all_of_n_stands_beside_the_vote_and_the_best():
    methods = {"majority": None, "best_of_n": [0.5, 0.6, 0.7, 0.9], "all_of_n": [0.5, 0.1, 0.7, 0.2]}
    tables = [
        curves(method=name).assign(**{"accuracy": value} if value else {}) for name, value in methods.items()
    ]
    card, tiles, answers, _ = told(pd.concat(tables), "all_of_n")
    assert [tile[:2] for tile in tiles[1:4]] == [
        ("Vote over 16", "74.0 %"),
        ("Best of 16", "90.0 %"),
        ("All of 16", "20.0 %"),
    ]
    assert card.headline == "Thinking longer pays; voting pays."
    assert "all 16 answers be right loses 50.0 ± 2.8 points" in answers
    panels = make_panels(pd.concat(tables))
    assert answer(panels) == answer(panels[:1])
    assert [choice.name for choice in cost_choices(panels[2:])] == []


def test_settings_without_a_name_are_not_named():
    card, _, answers, _ = told(curves({("default", 1): 0.5, ("default", 4): 0.6}, unreadable=0.2))
    assert card.about == "200 questions, up to 4 answers per question"
    assert "default" not in "".join([answers, *card.notes])


def test_paired_standard_errors_turn_noise_into_a_gain():
    table = curves(stderr=0.03)
    assert told(table)[1][1][2].endswith("within the noise")
    paired = (table["N"] == 16).map({True: 0.01, False: None})
    assert told(table.assign(stderr_vs_first_n=paired))[1][1][2] == "+4.0 ± 2.0 points"


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
    (card,) = findings(panels)
    said = asked.replace(" ", " and "), "149 and 224"
    assert all(word in card.first[0] for word in said) if told else not card.first
    for sentence in (card.headline, length_verdict(panels[0]), answer(panels)):
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
        assert findings(found) == findings(make_panels(table))
        assert answer(found) == answer(make_panels(table))


def test_models_on_the_same_questions_share_one_frontier():
    both = make_panels(pd.concat([curves(), curves(model="large"), curves(model="m", dataset="other")]))
    names = ["2 models on sums", "m on sums", "large on sums", "m on other"]
    assert [choice.name for choice in cost_choices(both)] == names


def told_of(panels):
    return which_model(measured(panels))


def test_prices_can_turn_the_joint_frontier_over():
    """Ten times the tokens and no better: never bought by tokens, always at a hundredth of the price."""
    tables = pd.concat([curves(), curves(model="large")])
    tables["tokens_per_answer"] *= tables["model"].map({"m": 1, "large": 10})
    assert told_of(make_panels(tables)).startswith("m is the one")
    priced, half = make_panels(tables, {"m": 10.0, "large": 0.1}), make_panels(tables, {"large": 0.1})
    assert told_of(priced).startswith("large is the one")
    assert told_of(half).startswith("m is the one")  # m has no price
    # 1,000 tokens a question at 0.1 dollars a million
    assert budget_table(measured(priced)).rows[0] == ["large", "$0.10", "low", "1,000", "1", f"50.0{NBSP}%"]
    assert [cells[1] for cells in budget_table(measured(priced)).rows] == ["$0.10", "$0.40", "$6.40"]
    assert "m has no price" in budget_table(measured(half)).note
    table = budget_table(measured(make_panels(tables, {"m": 10.0})))  # all of it are m's choices
    assert ("large has no price" in table.note, table.rows[0][:3]) == (True, ["m", "100", "low"])
    assert [("price" in budget_table(measured([panel])).note.lower()) for panel in half] == [False, True]
    better = make_panels(tables.assign(accuracy=tables["accuracy"] + 0.2 * (tables["model"] == "large")))
    assert "from 100 tokens m, from 4,000 tokens large" in told_of(better)
    noisy = make_panels(tables.assign(accuracy=tables["accuracy"] + 0.01 * (tables["model"] == "large")))
    assert told_of(noisy).startswith("m is the cheapest to ask, and no other is clearly better")
    better = [replace(panel, paid=Paid(price)) for panel, price in zip(better, (1.0, 0.2), strict=True)]
    assert "1,000 questions: from $0.10 m, from $0.20 large" in told_of(better)


def test_lost_answers_and_questions_stand_beside_the_accuracy_they_touch():
    lost = {"unreadable": [0, 0, 0.031, 0.031], "cut_off": [0.2, 0.2, 0, 0]}
    panels = make_panels(curves(questions=[200, 200, 120, 120], **lost))
    (card,) = findings(panels)
    assert fewer_questions(panels[0]) == "m on sums: 120 of 200 questions (setting “high”)."
    told = [(note[6:10], note.split("“")[1][:4]) for note in card.notes if "of the answers" in note]
    assert told == [("3.1" + NBSP, "high"), ("20.0", "low”")]
    assert value_table(panels[0]).rows == [
        ["low", "100", "200", "0.0", "20.0", "50.0 ± 1.6", "62.0 ± 1.6"],
        ["high", "400", "120", "3.1", "0.0", "70.0 ± 1.6", "74.0 ± 1.6"],
    ]
    few = make_panels(curves(unreadable=0.009, cut_off=0.01))
    (card,) = findings(few)
    assert fewer_questions(few[0]) == ""
    assert [f"1.0{NBSP}%" in note for note in card.notes] == [False, True]


def test_the_card_and_a_plan_table_of_the_same_choices_give_the_same_advice():
    panels = make_panels(read_table(CACHED / "tiny.csv", "curves"))
    choices = measured(panels[:1]).options.assign(known="measured", predictor="measured")
    (plan,) = plans_of(choices, {})
    (card,) = findings(panels)
    assert bought(plan.chosen) in card.notes[0]


def test_risk_is_called_an_error_that_falls():
    table = twin(method="ensemble", risk=[60.0, 40.0, 50.0, 31.5]).drop(columns="accuracy")
    (panel,) = make_panels(table)
    assert "cuts the error from 50 to 31.5" in answers_verdict(panel)
    assert "cuts the error from 60 to 50" in length_verdict(panel)
    (worse,) = make_panels(table.assign(risk=[60.0, 40.0, 50.0, 55.0]))
    assert "raises the error from 50 to 55" in answers_verdict(worse)
    assert value_table(panel).rows[1][2:] == ["50.00 ± 0.02", "31.50 ± 0.02"]
    assert findings([panel]) == []
