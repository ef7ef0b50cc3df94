"""The order of readers, the first or last of several answers, any text; grading/kin.jsonl has more cases."""

import signal
import time
from collections.abc import Callable

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.grader import GRADERS, Grader, GraderName, Match, read_gold, readers_that_read
from harness.grading import choice, integer
from harness.grading.integer import normalise_integer
from harness.grading.places import READERS, Reader
from results.canonical import canonical

# Forms in which an instruct model answers although it is asked for ##18##.
REAL = [
    (r"Thus the total is \[ \boxed{26} \]", "26", "boxed"),
    ("She makes $2 * 9 = $18. The answer is $1,234.00.", "1234", "answer-is"),
    ("$1,234.00", "1234", "last-number"),
    ("The answer is ##9.6##. ", "9.6", "hashes"),
    ("We have token limits 200. The answer is ##18##. [END]", "18", "hashes"),
    (r"so \boxed{3}. Case 4: The answer is ##18##.", "18", "hashes"),
    ("none", None, None),
]


def read(reader: Reader, text: str) -> str | None:
    return Grader((reader,)).read(text).value


def read_value(grader: GraderName, text: str) -> str:
    return integer.read_value(text) if grader == "integer" else choice.read_value(text)


@pytest.mark.parametrize(("text", "answer", "reader"), REAL)
def test_readers_are_tried_in_order(text: str, answer: str | None, reader: Reader | None) -> None:
    assert Grader(READERS).read(text) == (answer, reader)
    before = READERS[: READERS.index(reader)] if reader else READERS
    assert Grader(before).read(text) == (None, None)


def test_the_first_reader_that_finds_an_answer_decides() -> None:
    assert Grader(("boxed", "hashes")).read(r"So \boxed{18}. The answer is ##18.5##.") == ("18", "boxed")
    text = "<solution>9</solution> no: <Solution>18</SOLUTION> or so"
    assert Grader(("tag=solution",)).read(text) == ("9", "tag=solution")
    assert Grader(("tag=solution",), "last").read(text).value == "18"
    assert Grader(("tag=other", "hashes")).read(text).value is None


def test_readers_are_tried_on_texts_of_the_whole_table() -> None:
    rows = [{"text": text} for text in ("##18##", r"\boxed{18}") for _ in range(600)]
    assert readers_that_read(pd.DataFrame(rows), Grader())[0] == ("hashes", "boxed")


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


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("#### 4 is wrong.\n#### 1,018", "1018"),
        (" 1,018 ", "1018"),
        ("A B", None),
        ("18 ####", None),
        ("9" * 5000, "9" * 5000),  # more digits than int() takes
    ],
)
def test_right_answers_are_read_alone_or_after_their_solution(text: str, gold: str | None) -> None:
    assert read_gold(text) == gold


# The grader's own symbols, so that random texts resemble answers.
PIECES = [*"0159#.,-+$*\\{}[]:xn\n½²１٣ ", "####", "[END]", "The answer is ", "\\text", "apples", *"ABb()"]
GRAMMAR = st.lists(st.sampled_from(PIECES)).map("".join)


@given(st.one_of(st.text(), GRAMMAR))
def test_any_text_is_no_integer_or_a_normal_one(text: str) -> None:
    answer = normalise_integer(text)
    assert answer is None or answer == str(int(answer))


@pytest.mark.parametrize("grader", ["integer", "choice"])
@given(text=st.one_of(st.text(), GRAMMAR), cut_off=st.booleans())
def test_any_text_is_read_as_nothing_or_as_canonical_text(
    grader: GraderName, text: str, cut_off: bool
) -> None:
    for reader in READERS:
        for match in ("first", "last"):
            answer, by = Grader((reader,), match, grader).read(text, cut_off)
            assert (answer is None) == (by is None)
            assert answer is None or answer == canonical(answer) != ""


@pytest.mark.parametrize("grader", ["integer", "choice"])
@given(text=st.one_of(st.text(), GRAMMAR), markup=st.sampled_from(["**{}**", "`{}`", "${}$"]))
def test_an_answer_that_is_read_again_is_itself_with_spaces_and_markup_around_it(
    grader: GraderName, text: str, markup: str
) -> None:
    answer = read_value(grader, text)
    assert read_value(grader, answer) == read_value(grader, f"\t {answer} \n") == answer
    if answer.isalnum() and answer.isascii():
        assert read_value(grader, markup.format(answer)) == answer


WAYS: list[Callable[[int], str]] = [
    str,
    "{:+d}".format,
    "{:,}".format,
    "${:,}".format,
    "{:,}.00".format,
    "{}.".format,
    "**{}**".format,
    "$\\boxed{{{}}}$".format,
    " {} ".format,
    "{} apples".format,
    "{}%".format,
    lambda n: f"{n:,}".replace(",", "{,}"),
    lambda n: f"{n}".replace("-", "\u2212"),
    lambda n: f"{n}".translate({ord("0") + digit: 0xFF10 + digit for digit in range(10)}),
]


@given(st.integers(), st.sampled_from(WAYS), st.text(st.characters(exclude_characters="#[0123456789")))
def test_every_accepted_way_of_writing_an_integer_reads_back(
    n: int, way: Callable[[int], str], noise: str
) -> None:
    assert normalise_integer(way(n)) == str(n)
    assert read("hashes", f"{noise}\nThe answer is ##{way(n)}##. {noise}") == str(n)
    assert read("answer-is", f"So it is. The answer is {way(n)}. {noise}") == str(n)


ADVERSARIAL: list[Callable[[int], str]] = [
    lambda n: "#" * n,
    lambda n: "## " * (n // 3),
    lambda n: "#### " * (n // 5),
    lambda n: "####" + " " * n,
    lambda n: "##" + "{" * n + "##",
    lambda n: "##1" + " a" * (n // 2) + "##",
    lambda n: "##1" + "a" * n + "-##",
    lambda n: "##" + "1," * (n // 2) + "##",
    lambda n: "##" + "1" + ",234" * (n // 4) + ",5##",
    lambda n: "##1" + "." * n + "##",
    lambda n: "the answer is " * (n // 14),
    lambda n: "the" + " " * n,
    lambda n: "the answer is 1" + " or" * (n // 3),
    lambda n: "^ " * (n // 2),
    lambda n: "the answer is 1 " + "cm ^ " * (n // 5),
    lambda n: "the answer is 1 m" + " " * n,
    lambda n: "##1" + ",\\! " * (n // 4) + "##",
    lambda n: "\\boxed{" * (n // 7),
    lambda n: "\\boxed{1}" * (n // 9) + "\\boxed{" + "{}" * n,
    lambda n: "\\boxed" + " " * n,
    lambda n: "1" + "{,}" * (n // 3),
    lambda n: "1." * (n // 2) + "x",
    lambda n: "1" * n + "x",
    lambda n: "-" * n + "1",
    lambda n: "##" + "\\text{" * (n // 6) + "1##",
    lambda n: "##1 " + "sqrt(" * (n // 5) + "##",
    lambda n: "##1 \\text{" + "a " * (n // 2) + "}##",
    lambda n: "the answer is $" + "x" * n,
    lambda n: "the answer is \\(" + "\\" * n,
    lambda n: "the answer is (" + "B " * (n // 2),
    lambda n: "##" + "B and " * (n // 6) + "##",
    lambda n: "##" + "answer " * (n // 7) + "##",
    lambda n: "##1" + "**2" * (n // 3) + "##",
    lambda n: "##" + "*`" * (n // 2) + "1##",
    lambda n: "##1" + "\\ " * (n // 2) + "x##",
    lambda n: "##1" + "~" * n + "x##",
    lambda n: "##1" + "\\text{m}" * (n // 8) + "x##",
    lambda n: "##1" + "\\color{" * (n // 7) + "##",
    lambda n: "<answer" * (n // 7),
    lambda n: "<a_think>" * (n // 9),
]


FEW, MANY = 2_500, 40_000
"""Lengths of a text in characters; the second is 16 times the first."""


def processor_seconds(read: Callable[[], object], limit: float = 0) -> float:
    """The CPU seconds that `read` takes; raises TimeoutError after `limit` of them (0: no limit)."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit)
    start = time.process_time()
    try:
        read()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return time.process_time() - start


@pytest.mark.parametrize("grader", GRADERS)
@pytest.mark.parametrize("make", ADVERSARIAL)
def test_a_long_answer_is_read_in_linear_time(make: Callable[[int], str], grader: GraderName) -> None:
    """A text 16 times as long takes about 16 times as long: the limit is 40; quadratic time would be 256.

    Comparing two times on one machine makes its speed irrelevant; if it was busy with something else,
    the test tries again. Anything under half a second passes.
    """

    def read(text: str) -> None:
        Grader(READERS, "first", grader).read(text)
        Grader(READERS, "last", grader).read(text, cut_off=True)

    many = make(MANY)
    for tries_left in (2, 1, 0):
        few = make(FEW - 10 * tries_left)  # a new text each time, as some results are cached
        short = processor_seconds(lambda: read(few))  # noqa: B023
        try:
            processor_seconds(lambda: read(many), limit=max(0.5, 40 * short))
        except TimeoutError:
            if not tries_left:
                pytest.fail(f"{FEW} characters take {short:.2f} s, and {MANY} more than 40 times that")
        else:
            return
