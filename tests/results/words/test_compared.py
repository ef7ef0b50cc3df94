"""What a comparison says: its rows in words, its figures and its sentence."""

import re

import numpy as np
import pandas as pd
import pytest

from results.words.cells import cells_of
from results.words.compared import COLUMNS, both_ways, quoted, verdict
from tests.results.made_tables import DIFFERENCE


def test_what_would_decide_is_told_in_questions_and_answers():
    once = DIFFERENCE | {"low": -0.05, "answers_needed": 1_200.0}
    never = once | {"low": None, "questions_needed": None, "answers_needed": None}
    cells = [cell for row in cells_of(both_ways(pd.DataFrame([once, never])), COLUMNS) for cell in row]
    assert {"40 questions or 1,200 answers to each", "no difference seen"} <= {*cells}


@pytest.mark.parametrize(
    ("differences", "words"),
    [
        ([0.01, 0.08], "large beats small by 8.0 points (3.0 … 13.0), majority vote, N = 4, the"),
        ([0.08, 0.06, 0.01], "large beats small by 6.0 points (1.0 … 11.0), majority vote, N = 4, the"),
        ([0.06, 0.08, -0.07], "small beats large by 7.0 points (2.0 … 12.0), majority vote, N = 6, but"),
        ([-0.06, -0.08], "small beats large"),
        ([0.01, -0.04], "large against small is undecided: no difference at equal N is clear"),
    ],
)
def test_the_verdict_on_runs_follows_their_intervals(differences, words):
    """Each with an interval of ± 5 points, at N = 2, 4, …: that of the most answers, the luckiest or not."""
    rows = [DIFFERENCE | {"N": 2 * i + 2, "difference": d} for i, d in enumerate(differences)]
    found = pd.DataFrame(rows).assign(low=lambda t: t["difference"] - 0.05)
    assert words in verdict(found.assign(high=found["difference"] + 0.05))


def test_of_several_settings_the_dearest_is_told_in_any_order_of_rows():
    of_x, of_y = (
        {"setting_a": name, "setting_b": name, "cost": cost} for name, cost in (("x", 9), ("y", 70))
    )
    rows = pd.DataFrame([DIFFERENCE | of_x, DIFFERENCE | of_y])
    for table in (rows, rows.iloc[::-1]):
        assert "N = 4, setting y" in verdict(table)
        assert "N = 4, setting x" in verdict(table.assign(cost=-table["cost"]))


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (-0.09, -0.01, "at equal cost in US$ the other way round: large − small is −5.0"),
    ],
)
def test_a_lead_at_equal_n_is_never_told_without_what_it_is_at_equal_cost(low, high, words):
    at_cost = {"difference_at_cost": None if low is None else (low + high) / 2, "low_at_cost": low}
    row = DIFFERENCE | at_cost | {"high_at_cost": high, "level": 0.95, "cost_unit": "US$"}
    sentence = verdict(pd.DataFrame([row]))
    assert "large beats small by 8.0 points" in sentence.split("; ")[0]
    assert words in sentence.split("; ")[1]
    assert "equal cost" not in verdict(pd.DataFrame([row | {"cost": None, "difference_at_cost": None}]))


@pytest.mark.parametrize(
    ("answers", "setting", "words"),
    [
        (0.04, "x", "too few are compared: give large first, and small 100 or more"),
        (100.0, "x", "costs as much as 25 of large, of which too few are compared: give large 100 or more"),
        (float("nan"), "x", "what the answers of large cost"),
        (0.0, "x", "what the answers of small cost"),
    ],
)
def test_what_is_not_known_at_equal_cost_says_why_and_what_would_tell(answers, setting, words):
    row = DIFFERENCE | {"difference_at_cost": None, "N_at_cost": answers, "setting_b": setting}
    assert words in verdict(pd.DataFrame([row]))
    assert words in verdict(pd.DataFrame([row | {"low": -0.01}]))
    assert "equal cost" not in verdict(pd.DataFrame([row | {"low": -0.01, "cost": None}]))


def test_a_lead_at_an_n_that_has_no_equal_cost_is_told_with_one_that_has():
    """The dearer run affords no answer for the price of four of the other, but one for that of sixteen."""
    unknown = dict.fromkeys(["difference_at_cost", "low_at_cost", "high_at_cost"])
    lead = DIFFERENCE | unknown | {"level": 0.95, "cost_unit": "US$"}
    paid = DIFFERENCE | {"N": 16, "difference": 0.06, "level": 0.95, "cost_unit": "US$"}
    sentence = verdict(pd.DataFrame([lead, paid | {"low": -0.01}]))
    assert "by 8.0 points (3.0 … 13.0), majority vote, N = 4" in sentence.split("; ")[0]
    assert "undecided: large − small is −1.0 (−5.0 … +3.0) (majority vote, N = 16)" in sentence.split("; ")[1]


def test_every_difference_of_the_sentence_stands_in_a_row_that_it_quotes():
    """In 200 comparisons with clear and unclear rows, by two methods, at costs known for some."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        rows = pd.DataFrame([DIFFERENCE | {"N": n} for n in (1, 2, 4, 8)] * 2)
        rows["method"] = ["majority"] * 4 + ["best_of_n"] * 4
        for end in ("", "_at_cost"):
            middle, half = rng.uniform(-0.1, 0.1, 8).round(3), rng.uniform(0.02, 0.12, 8).round(3)
            own = {"difference": middle, "low": middle - half, "high": middle + half}
            rows = rows.assign(**{name + end: values for name, values in own.items()})
        rows.loc[rng.random(8) < 0.4, "difference_at_cost"] = None
        told = re.findall(r"(?:\(|… |by |is )[+−]?(\d+\.\d)", verdict(rows))
        cells = " ".join(" ".join(row) for row in cells_of(both_ways(rows.loc[quoted(rows)]), COLUMNS))
        assert len(told) >= 3 or "undecided" in verdict(rows)
        assert set(told) <= set(re.findall(r"\d+\.\d", cells))


def test_what_a_lead_is_at_equal_cost_is_not_taken_from_another_method():
    unknown = dict.fromkeys(["difference_at_cost", "low_at_cost", "high_at_cost"])
    lead = DIFFERENCE | unknown | {"level": 0.95, "cost_unit": "US$"}
    best = DIFFERENCE | {"method": "best_of_n", "low": -0.01, "level": 0.95, "cost_unit": "US$"}
    assert "not known" in verdict(pd.DataFrame([lead, best])).split("; ")[1]


def test_a_single_answer_is_held_against_the_vote_at_equal_cost():
    """It is no best of several, though its difference by that method ends in another digit."""
    unknown = dict.fromkeys(["difference_at_cost", "low_at_cost", "high_at_cost"])
    single = DIFFERENCE | unknown | {"N": 1}
    best = single | {"method": "best_of_n", "difference": DIFFERENCE["difference"] + 1e-16}
    assert best["difference"] > single["difference"]
    paid = DIFFERENCE | {"N": 16, "difference": 0.0, "low": -0.1, "high": 0.1}
    sentence = verdict(pd.DataFrame([single, paid, best, paid | {"method": "best_of_n"}]))
    assert "(majority vote, N = 16)" in sentence.split("; ")[1]
