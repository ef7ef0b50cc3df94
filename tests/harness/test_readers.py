"""Readers in order, first or last of several answers, and texts that end at the token limit."""

import pytest

from harness.grader import READERS, Grader, Match, Reader

BOXED = [
    (r"so \(\boxed{26}\).", "26", "LaTeX"),
    (r"\boxed{1{,}234}", "1234", "a comma in braces"),
    (r"\fbox{$\text{\$18 in all}$}", "18", "boxes in boxes, a unit"),
    (r"\boxed{\mathbf{\text{\textbf{18}}}}", "18", "braces of any depth"),
    (r"\boxed{your answer} \boxed{3}", "3", "a box without a digit is no answer"),
    (r"\boxed{\frac{1}{2}} \boxed{3}", r"\frac{1}{2}", "an answer was given: a wrong one votes"),
    (r"\boxed{18", None, "cut off"),
    (r"[END] \boxed{18}", None, "after the end"),
]

LAST_NUMBER = [
    ("so it is **26**.", "26", "bold"),
    ("3 - 5 = -2", "-2", "a sign"),
    ("12-6=6", "6", "no sign"),
    ("in all $1,234.00.", "1234", "currency"),
    ("10{,}000", "10000", "LaTeX"),
    ("he has 3/4", "3/4", "not the 4"),
    ("at 6:30", "6:30", "not the 30"),
    ("2^10", "2^10", "not the 10"),
    ("9.5", "9.5", "not the 5"),
    ("none", None, "no number"),
]

# Forms in which an instruct model answers although it is asked for ##18##.
REAL = [
    (r"Thus the total is \[ \boxed{26} \]", "26", "boxed"),
    ("The answer is **26**. ", "26", "answer-is"),
    ("The answer is 26.", "26", "answer-is"),
    ("She makes $2 * 9 = $18. The answer is $1,234.00.", "1234", "answer-is"),
    ("**26**", "26", "last-number"),
    ("$1,234.00", "1234", "last-number"),
    ("The answer is ##9.6##. ", "9.6", "hashes"),
    ("We have token limits 200. The answer is ##18##. [END]", "18", "hashes"),
    (r"so \boxed{3}. Case 4: The answer is ##18##.", "18", "hashes"),
    (r"so \boxed{9} … ##9.6##", "9.6", "hashes"),
    ("none", None, None),
]


@pytest.mark.parametrize(
    ("reader", "text", "answer", "why"),
    [*(("boxed", *case) for case in BOXED), *(("last-number", *case) for case in LAST_NUMBER)],
)
def test_boxes_and_last_numbers(reader: Reader, text: str, answer: str | None, why: str) -> None:
    assert Grader((reader,)).read(text).value == answer, why


@pytest.mark.parametrize(("text", "answer", "reader"), REAL)
def test_readers_are_tried_in_order(text: str, answer: str | None, reader: Reader | None) -> None:
    assert Grader(READERS).read(text) == (answer, reader)
    before = READERS[: READERS.index(reader)] if reader else READERS
    assert Grader(before).read(text) == (None, None)


def test_the_first_reader_that_finds_an_answer_decides_whatever_it_is_worth() -> None:
    text = r"So \boxed{18}. The answer is ##18.5##."
    assert Grader().verdict(text, "18", "stop") == {"answer": "18.5", "correct": False, "reader": "hashes"}
    assert Grader(("boxed", "hashes")).read(text) == ("18", "boxed")


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("##18## … wait, let me check … ##20##", "18", "20"),
        (r"\boxed{18} no, \boxed{20}", "18", "20"),
        ("The answer is 18. No: the answer is 20.", "18", "20"),
        ("##18##, so put it in ##your answer##", "18", "18"),
        ("18 or 20", "20", "20"),
    ],
)
def test_first_or_last_of_several_answers(text: str, first: str, last: str) -> None:
    matches: tuple[Match, ...] = ("first", "last")
    assert [Grader(READERS, match).read(text).value for match in matches] == [first, last]


@pytest.mark.parametrize(
    ("text", "whole", "cut_off"),
    [
        ("The answer is 18", "18", None),
        ("The answer is ##18", "18", None),
        ("The answer is 1,", "1", None),
        ("#### 18", "18", None),
        ("The answer is 18 dollars", "18", "18"),
        ("##18##", "18", "18"),
        ("3 + 15 = 18 eggs", "18", None),
    ],
)
def test_a_number_at_the_token_limit_may_lack_digits(
    text: str, whole: str | None, cut_off: str | None
) -> None:
    grader = Grader(READERS)
    assert grader.read(text).value == whole
    answer, reader = grader.read(text, cut_off=True)
    assert answer == cut_off
    verdict = {"answer": cut_off, "correct": cut_off == "18", "reader": reader}
    assert grader.verdict(text, "18", "length") == verdict
