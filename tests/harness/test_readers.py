"""Readers in order, first or last of several answers, and texts that end at the token limit."""

import pytest

from harness.grader import Grader, Match
from harness.grading.places import READERS, Reader

BOXED = [
    (r"so \(\boxed{26}\).", "26", "LaTeX"),
    (r"\boxed{1{,}234}", "1234", "a comma in braces"),
    (r"\fbox{$\text{\$18 in all}$}", "18", "boxes in boxes, a unit"),
    (r"\boxed{\mathbf{\text{\textbf{18}}}}", "18", "braces of any depth"),
    (r"\boxed{your answer} \boxed{3}", "3", "a box without a digit is no answer"),
    (r"\boxed{\frac{1}{2}} \boxed{3}", r"\frac{1}{2}, 3", "an answer was given: a wrong one votes"),
    (r"\boxed{18", None, "cut off"),
    (r"[END] \boxed{18}", None, "after the end"),
    (r"so \boxed 18.", "18", "no braces"),
    (r"3 + \boxed{\phantom{4}} = 21, so \boxed{18}", "18", "the question's own blank"),
    (r"\boxed{\hspace{1cm}} is \boxed{18}", "18", "another"),
    (r"\boxed{\quad?} is \boxed{18}", "18", "another"),
    (r"\boxed{3}, \boxed{5} and \boxed{7}", "3, 5, 7", "a list, and not its first part"),
    (r"$x_1=\boxed{3}$ or $x_2=\boxed{5}$", "3, 5", "named"),
    (r"\boxed{18} \text{ or } \boxed{18}", "18", "the same"),
]

STATED = [
    ("**Final Answer:** 18", "18", "bold"),
    ("### Answer\n\n$18$ eggs", "18", "a heading"),
    ("Final Answer: The final answer is $18$. I hope it is correct.", "18", "an introduction"),
    ("Réponse finale : 18", "18", "French"),
    ("<answer> 18 </answer>", "18", "a tag"),
    ("<answer>18", "18", "that is not closed"),
    ("[[18]]", "18", "double brackets"),
    ("Answer: Let us add them: 9 + 9.", None, "a worked answer begins"),
    ("Answer: There are 15 trees and then 21 of them.", None, "another"),
    ("The answer is 9. No.\nAnswer: 18", "18", "what is stated outranks words"),
    (r"\boxed{9} is one case." + "\n\nAnswer: 18", "18", "the end outranks a box in the working"),
    (r"Answer: 9" + "\nNo: \\boxed{18}", "18", "a box at the end counts"),
    (r"\boxed{18}" + "\n\nQuestion: Next?\nAnswer: 7", "18", "a second question of the model's own"),
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


@pytest.mark.parametrize(("text", "answer", "why"), STATED)
def test_what_is_stated_is_read(text: str, answer: str | None, why: str) -> None:
    assert Grader().read(text).value == answer, why


def test_a_tag_of_ones_own_is_a_reader() -> None:
    text = "<solution>9</solution> no: <solution>18</solution>"
    assert Grader(("tag=solution",)).read(text) == ("9", "tag=solution")
    assert Grader(("tag=solution",), "last").read(text).value == "18"
    assert Grader(("tag=other", "hashes")).read(text).value is None


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
