"""Labels of choices, however they are given; no word is taken for a label."""

import pytest

from harness.grader import Grader, required_gold
from results import BadInput

GRADER = Grader(grader="choice")


def test_labels_are_those_of_the_question() -> None:
    assert GRADER.read("##2##", labels=["1", "2", "3"]).value == "2"
    assert GRADER.read("##(ii)##", labels=["i", "ii", "iii"]).value == "ii"
    assert GRADER.read("The answer is yes.", labels=("yes", "no")).value == "yes"
    assert GRADER.verdict("##E##", "B", "stop", ["A", "B", "C"])["answer"] == "E"  # wrong, and it votes


@pytest.mark.parametrize("text", ["The answer is B", "The answer is (B", "##B"])
def test_a_label_at_the_token_limit_may_be_the_beginning_of_a_word(text: str) -> None:
    assert GRADER.read(text, cut_off=True).value is None


def test_the_right_answer_is_a_label_of_the_question() -> None:
    assert required_gold("(b)", "here", "choice", ["A", "B", "C"]) == "B"
    for gold in ("D", "2", "Paris", "", "(A) or (B)", "A, B", "B and A"):
        with pytest.raises(BadInput, match=r"here: .*A, B, C"):
            required_gold(gold, "here", "choice", ["A", "B", "C"])


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("B", "B"),
        ("b.", "B"),
        ("(B)", "B"),
        ("**B**", "B"),
        ("B) Paris", "B"),
        ("B. Paris, since it is the capital.", "B"),
        ("Paris is the capital.\n\nB", "B"),
        ("Paris is the capital.\n\n**(B)**", "B"),
        ("A) Rome\nB) Paris\nC) Bonn", None),  # the choices said again
        ("Paris is the capital.\n\nB) Paris and its suburbs are large.", None),
        ("A or B", None),
        ("B is wrong.", None),
        ("I think that it is Paris.", None),
        ("Paris", None),
    ],
)
def test_a_label_that_stands_alone_is_an_answer(text: str, label: str | None) -> None:
    assert GRADER.read(text, labels="ABC").value == label
    assert GRADER.read(text, cut_off=True, labels="ABC").value is None
