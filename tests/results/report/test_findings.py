"""Sentences that answer the page's questions, with data on both sides of where each one flips."""

import pandas as pd
import pytest

from predict.groups import read_groups
from predict.planning.plan import plan
from predict.protocol import Options
from results.cli.report import CACHED
from results.figures.panels import make_panels
from results.report.choices import cost_choices, with_most_first
from results.report.findings import answer, findings, joint_verdict
from results.report.tables import frontier_table
from results.tables.contract import read_table
from tests.results.made_tables import ACCURACY, curves, twin

FLAT = {("low", 1): 0.5, ("low", 16): 0.5, ("high", 1): 0.5, ("high", 16): 0.5}


def test_the_title_is_answered_by_counts_of_clear_gains():
    both = make_panels(pd.concat([curves(), curves(FLAT, model="flat")]))
    for words in (
        "again clearly pays in 1 of 2 cases (all: +0.0 to +4.0 p",
        "longer clearly pays in 1 of 2 cases (all: +0.0 ",
    ):
        assert words in answer(both)
    assert answer(make_panels(curves(FLAT))).count("does not clearly pay") == 2
    assert answer(make_panels(twin())) == ""
    assert "thinking" not in answer(make_panels(curves(setting="one", permutation=["exact", *"012"])))


def test_paired_standard_errors_turn_noise_into_a_gain():
    table = curves(stderr=0.03)
    (card,) = findings(make_panels(table))
    assert card.tiles[1][2].endswith("within the noise")
    after = table["N"] == 16
    (card,) = findings(make_panels(table.assign(stderr_vs_first_n=after.map({True: 0.01, False: None}))))
    assert card.tiles[1][2] == "+4.0 ± 1.6 points"


@pytest.mark.parametrize(
    ("column", "share", "words"),
    [("unreadable", 0.031, "3.1"), ("cut_off", 0.2, "20.0"), ("unreadable", 0.009, None)],
)
def test_lost_answers_stand_beside_the_accuracy_they_touch(column, share, words):
    table = curves()
    (card,) = findings(make_panels(table.assign(**{column: share * (table["setting"] == "high")})))
    told = [note for note in card.notes if "of the answers" in note]
    assert len(told) == (words is not None)
    assert words is None or (words in told[0] and "“high”" in told[0])


@pytest.mark.parametrize(
    ("asked", "used", "told"),
    [("20 500", (149, 224), True), ("20 500", (20, 400), False), ("low high", (1, 2), False)],
)
def test_budgets_that_do_not_set_the_length_are_told_first(asked, used, told):
    """Asked for 25 times as many tokens, a model that keeps to it uses at least √25 times as many."""
    names = dict(zip(("low", "high"), asked.split(), strict=True))
    lengths = dict(zip(("low", "high"), used, strict=True))
    table = curves().assign(tokens_per_answer=lambda rows: rows["setting"].map(lengths))
    (card,) = findings(make_panels(table.assign(setting=table["setting"].map(names))))
    assert all(word in card.first[0] for word in ("20 and 500", "149 and 224")) if told else not card.first


def test_toys_come_after_real_models_and_runs_without_lengths_last():
    tables = [
        curves(model="sums"),
        curves({key: 0.5 for key in ACCURACY if key[1] == 1}, model="small"),
        curves(model="real"),
        curves(model="bare").drop(columns=["T", "tokens_per_answer"]),
    ]
    panels = with_most_first(make_panels(pd.concat(tables)))
    assert [panel.model for panel in panels] == ["real", "small", "sums", "bare"]


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


def test_prices_can_turn_the_joint_frontier_over():
    """Ten times the tokens and no better: never bought by tokens, always at a hundredth of the price."""
    tables = pd.concat(
        [curves(), curves(model="large").assign(tokens_per_answer=lambda t: 10 * t["tokens_per_answer"])]
    )
    assert joint_verdict(make_panels(tables)).startswith("m is the one")
    priced = make_panels(tables, {"m": 10.0, "large": 0.1})
    assert joint_verdict(priced).startswith("large is the one")
    assert joint_verdict(make_panels(tables, {"large": 0.1})).startswith("m is the one")  # m has no price
    # 1,000 tokens a question at 0.1 dollars a million
    assert frontier_table(priced).rows[0][:3] == ["large", "1,000", "0.10"]


def test_the_report_and_the_plan_give_the_same_advice():
    """On the small model's curves, with every N measured."""
    (group,) = read_groups([CACHED / "tiny.csv"], "majority")
    chosen = plan(group, "joint", 64, Options(replicates=2)).chosen
    table = read_table(CACHED / "tiny.csv", "curves")
    (card,) = findings(make_panels(table))
    for word in (
        f"asked for {chosen['setting']} tokens",
        f"N = {chosen['N']}:",
        f"{chosen['cost']:,.0f} tokens",
    ):
        assert word in card.notes[0]


def test_a_setting_with_fewer_questions_is_told():
    table = curves()
    (card,) = findings(make_panels(table.assign(questions=[200, 200, 120, 120])))
    assert card.partial == ["120 of 200 questions (setting “high”)."]
    (card,) = findings(make_panels(table), {"m on sums": "12 of 20 planned answers"})
    assert card.partial == ["12 of 20 planned answers"]


@pytest.mark.parametrize(
    ("more", "words"), [(0.2, ("from 100 tokens m,", "from 4,000 tokens large")), (0.0, ("m is the one",))]
)
def test_the_model_to_ask_follows_the_joint_frontier(more, words):
    """The large model costs ten times the tokens; it is worth them only where it reaches more."""
    large = curves({key: value + more for key, value in ACCURACY.items()}, model="large")
    large["tokens_per_answer"] *= 10
    told = joint_verdict(make_panels(pd.concat([curves(), large])))
    assert all(word in told for word in words), told
