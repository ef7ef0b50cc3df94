"""Labels of choices, however they are given; no word is taken for a label."""

import pytest

from harness.grader import Grader, required_gold
from results import BadInput

GRADER = Grader(grader="choice")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("##B##", "B"),
        ("##(b)##", "B"),
        ("## B) Paris ##", "B"),
        ("##B. Paris##", "B"),
        ("##Option B##", "B"),
        (r"\boxed{\text{B}}", "B"),
        (r"\boxed{\textbf{(B)}\ 12}", "B"),
        (r"$\boxed{\mathrm{B}}$", "B"),
        ("#### B", "B"),
        ("The answer is B", "B"),
        ("The answer is B.", "B"),
        ("The answer is (B) 12 apples.", "B"),
        ("The answer is **B**.", "B"),
        ("The answer is: **B. Paris**", "B"),
        ("The answer is B because it is larger.", "B"),
        ("The correct option is D) Rome.", "D"),
        ("The answer is A.", "A"),
        ("The answer is a.", "A"),
        ("The answer is a mystery.", None),
        ("The answer is I think not known.", None),
        ("The answer is Paris.", None),
        ("The answer is not B.", None),
        ("The answer is what I found in B.", None),
        ("The answer is B and C.", "B and C"),
        ("##B or C##", "B or C"),
        ("##Paris##", "Paris"),
        ("##letter##", None),
        ("##answer##", None),
        ("#### A plan\n##C##", "C"),
        (r"\boxed{A} … ##B##", "B"),
        ("B", None),
        ("ANSWER: **B**", "B"),
        ("**Answer**: $B$", "B"),
        ("### Final Answer\n\nB", "B"),
        ("My answer: option (b)", "B"),
        ("Respuesta: B", "B"),
        ("答案：B", "B"),
        ("[[B]]", "B"),
        ("<answer>\n(B) Rome\n</answer>", "B"),
        ("Therefore option (B) is correct.", "B"),
        ("(B) is the best choice.", "B"),
        ("We choose **B**, as it floats.", "B"),
        ("I would pick B or so", None),
        ("Option B is not correct.", None),
        ("Answer: A boat floats.", None),
        ("The answer is B) Vitamin C.", "B"),
        ("Answer: B, not C", "B"),
        (r"so \boxed{x \ll y} only there." + "\n\nAnswer: B", "B"),
        (r"\boxed{A} fits some. \boxed{C} others." + "\n\n**Answer: B**", "B"),
        ("##Paris##, that is: the answer is B", "B"),
        ("The answer is (A) or (B).", "(A) or (B)"),
        ("The answer is A or B.", "A or B"),
        ("##A, B##", "A, B"),
        ("##B/C##", "B/C"),
        ("##B. C##", "B. C"),
        ("##A) or B)##", "A) or B)"),
        (r"\boxed{A} and \boxed{B}", "A, B"),
        ("##B is wrong##", "B is wrong"),
        ("##(B) is clearly incorrect##", "(B) is clearly incorrect"),
    ],
)
def test_labels_are_read(text: str, label: str | None) -> None:
    assert GRADER.read(text).value == label


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
