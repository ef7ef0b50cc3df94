"""Single questions: counts, votes and texts match the input, are bounded, and are safe to show."""

import json
import re

import pandas as pd
import pytest

from results.figures.offline import in_script
from results.report.one_question import LONGEST, MOST_ANSWERS, MOST_TEXTS, question_data
from results.tables.contract import as_samples
from results.votes.curves import curves_and_votes
from results.votes.exact import majority_curve
from tests.results.report.test_inputs import samples

MOST_QUESTIONS = 30


def data(table):
    """The data on a table's questions that the page gets."""
    return question_data(table, curves_and_votes(table, "majority", permutations=0)[1])


def test_counts_and_votes_are_those_of_the_answers():
    ((model),) = data(as_samples(samples("ABBCA-AA", settings=("10",), questions=("q",))))
    (question,) = model["questions"]
    (setting,) = question["settings"]
    assert setting["answers"] == [["A", 4, True], ["B", 2, False], ["C", 1, False]]
    assert (setting["pool"], setting["unreadable"], setting["others"]) == (8, 1, 0)
    exact = majority_curve(4, [2, 1], 1)
    assert setting["vote"] == [[n, pytest.approx(exact[n - 1], abs=1e-4)] for n in (1, 2, 4, 8)]
    assert question["right"] == 0.5
    assert question["gain"] == pytest.approx(exact[7] - exact[0], abs=1e-4)
    assert question["margin"] == 0.25


def test_untrusted_text_is_spelled_out_and_cut():
    evil = "</script><script>alert(1)</script>\u202e\x00\x1b[2J\n" + "x" * 1_000_000
    (model,) = data(as_samples(samples("AB", questions=("q\u202e",), text=evil)))
    (question,) = model["questions"]
    assert question["id"] == "q\\u202e"
    _, _, text, length = question["texts"][0]
    assert "\\u202e\\x00\\x1b[2J\n" in text
    assert len(text) < 2 * LONGEST
    assert length == len(evil)
    page = in_script([model])
    assert "<" not in page
    assert len(page) < 50_000
    assert json.loads(page) == [model]


def test_no_string_hides_anything_wherever_a_model_or_a_name_puts_it():
    table = samples("AB", ("10",), ("q\x07",), text="t\u200b", reasoning="r\x1b[2J", model="m\u2066")
    table["answer"] = table["answer"] + "\u202e\x00"
    told = json.dumps(data(as_samples(table.assign(dataset="d\u2028"))), ensure_ascii=False)
    assert told.isprintable()
    assert not re.search(r"(?<!\\)(\\\\)*\\u", told)  # where JSON spells out a control character itself


def test_numbers_are_bounded_and_totals_told():
    letters = "".join(chr(ord("A") + i % 20) for i in range(40))
    table = samples(letters, questions=("q",))
    table.loc[table["sample"] % 4 == 0, "text"] = None  # no text was kept
    (model,) = data(as_samples(table))
    (question,) = model["questions"]
    assert len(question["texts"]) == MOST_TEXTS
    assert {text[0] for text in question["texts"]} == {"10", "20"}
    assert question["texts_total"] == 60
    (first, _) = question["settings"]
    assert len(first["answers"]) == MOST_ANSWERS
    assert sum(count for _, count, _ in first["answers"]) + first["others"] == 40


def test_of_many_questions_those_worth_a_look_are_kept(monkeypatch):
    monkeypatch.setattr("results.report.one_question.MOST_QUESTIONS", MOST_QUESTIONS)
    easy = samples("AAA", ("10",), [f"easy{i}" for i in range(2 * MOST_QUESTIONS)])
    table = pd.concat([easy, samples("ABBB", ("10",), ("lost",)), samples("BBB", ("10",), ("never",))])
    (model,) = data(as_samples(table))
    kept = {one["id"] for one in model["questions"]}
    assert {"lost", "never"} <= kept
    assert len(kept) <= MOST_QUESTIONS
    assert model["total"] == 2 * MOST_QUESTIONS + 2
    hard = samples("BBB", ("10",), [f"hard{i}" for i in range(MOST_QUESTIONS)])
    (model,) = data(as_samples(pd.concat([hard, samples("AB", ("10",), ("z, a close call",))])))
    assert "z, a close call" in {one["id"] for one in model["questions"]}


def test_a_question_is_judged_by_its_dearest_setting_also_where_another_lacks_it():
    cheap, dear = samples("BBBB", ("10",), ("q",)), samples("ABAA", ("20",), ("q",))
    only = samples("AABB", ("10",), ("only",))
    for table in (pd.concat([cheap, dear, only]), pd.concat([only, dear, cheap])):
        ((model),) = data(as_samples(table))
        found = {one["id"]: (one["right"], one["margin"]) for one in model["questions"]}
        assert (found, model["total"]) == ({"q": (0.75, 0.5), "only": (0.5, 0.0)}, 2)
