"""What the grader reads, and why: a table of traps, then properties of every text."""

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.grader import GRADERS, Grader, GraderName, read_gold
from harness.grading import choice, integer
from harness.grading.integer import normalise_integer
from harness.grading.places import READERS, Reader
from results.canonical import canonical

HASHES = [
    # text, answer, why
    ("21 - 15 = 6. The answer is ##6##. [END]", "6", "the format asked for"),
    ("the final answer is ##6##", "6", "the marks decide, not the words before them"),
    ("##6##. [END]", "6", "all that fits into the smallest budget"),
    ("#### 18.0", "18", "a whole number written with a decimal"),
    ("####18", "18", "GSM8K's own form without a space"),
    (
        "so he has $18.\n#### 18\n\nQ: Next?\nA: It is 7.\n#### 7",
        "18",
        "a second question of the model's own",
    ),
    ("#### 18 … Q: … #### 7", "18", "the same in one line"),
    ("The answer is ##18##. Problem: Next? The answer is ##7##.", "18", "the same in the format asked for"),
    ("Put it like ##your answer##. The answer is ##18##.", "18", "the format quoted has no digit"),
    ("##answer##", None, "the format quoted and nothing else"),
    ("The answer is ##18.5##. The answer is ##7##.", "18.5", "an answer was given: a wrong one votes"),
    ("The answer is ##1/2##.", "1/2", "so does this"),
    ("The answer is ##12 + 6##.", "12 + 6", "and an expression, which is not worked out"),
    ("##-5##", "-5", "the sign belongs to it"),
    ("##$1,234##", "1234", "currency and thousands"),
    ("##**18**##", "18", "bold"),
    ("**##18##**", "18", "bold around the marks"),
    ("##72, in total, as said##", "72", "words after the number"),
    ("##1,234##", "1234", "thousands"),
    ("##6 apples##", "6", "a unit"),
    ("## 6 ##", "6", "spaces"),
    ("##-0##", "0", "there is one zero"),
    ("##１８##", "18", "full-width digits"),
    ("##" + "9" * 5000 + "##", "9" * 5000, "more digits than int() takes"),
    ("## Step 1: add\n3 + 3 = 6\n## Step 2: say\nThe answer is ##6##.", "6", "headings are not closed"),
    ("#### Step 1\n3 + 3 = 6\n##6##", "6", "nor is a heading of four hashes a number"),
    ("#### 1. Add\n3 + 3 = 6\n##6##", "6", "nor a numbered one"),
    ("####18####", "18", "four hashes on both sides"),
    ("The answer is [END] ##6##.", None, "after the end"),
    ("The answer is ##18", None, "cut off: more digits may have been on their way"),
    ("The answer is ##18\n##.", None, "the marks are in one line"),
    ("The answer is 18.", None, "not the format asked for"),
    ("", None, "nothing"),
]

PLAIN = [
    ("3 + 2 = 5. The answer is 5.", "5", "the examples' own words"),
    ("So the answer is $1,234.00.", "1234", "capitals, currency, cents"),
    ("The answer is 72, in total, as said.", "72", "words after the number"),
    ("The answer is 18.\n\nQ: Next?\nA: The answer is 7.", "18", "a second question of the model's own"),
    ("The answer is not clear yet. The answer is 18.", "18", "a place without a digit is no answer"),
    ("The answer is 18.5. The answer is 7.", "18.5", "an answer was given: a wrong one votes"),
    ("The answer is 9 * 2 = 18.", "9 * 2 = 18", "neither 9 nor 18 is sure to be meant"),
    ("The answer is 2 hours and 30 minutes.", "2 hours and 30 minutes", "not 2"),
    ("The answer is 6 million.", "6 million", "not 6"),
    ("The answer is: **18**.", "18", "colon and bold"),
    ("The answer is \\boxed{18}.", "18", "LaTeX"),
    ("The final answer is $18$.", "18", "LaTeX again"),
    ("The answer is -5. [END] The answer is 7.", "-5", "after the end"),
    ("The answer is\n18", None, "not in the same line"),
    ("#### 18", None, "not the words asked for"),
    ("He has 18.", None, "no answer said"),
    ("He has 3. [END] The answer is 7.", None, "after the end"),
]

INTEGERS = [
    ("18.", "18"),
    ("+18", "18"),
    ("007", "7"),
    ("\u22125", "-5"),
    ("–5", "-5"),
    ("-$5", "-5"),
    ("$-5", "-5"),
    ("\\$5", "5"),
    ("5\\%", "5"),
    ("90^\\circ", "90"),
    ("90^{\\circ}", "90"),
    ("10{,}000", "10000"),
    ("25,\\!000", "25000"),
    ("\\boxed{18}", "18"),
    ("11,\\! 111,\\! 100", "11111100"),
    ("6\\text{ cm}", "6"),
    ("440\\text{ cm}^2", "440"),
    ("144 \\mbox{ m}^{3}", "144"),
    ("6 cm²", "6"),
    ("6 cm^{2} in all", "6"),
    ("6 cm^4", None),
    ("6 cm^23", None),
    ("6 x^2", None),
    ("6t^2", None),
    ("6^2", None),
    ("6²", None),
    ("500ml", "500"),
    ("5 m", "5"),
    ("6 km/h", "6"),
    ("4 p.m.", "4"),
    ("5x", None),
    ("2 x", None),
    ("10k", None),
    ("2 pi", None),
    ("6 and a half", None),
    ("6½", None),
    ("6 ½", None),
    ("5²", None),
    ("2*3", None),
    ("2{3}", None),
    ("2^{10}", None),
    ("\\frac{1}{2}", None),
    ("1e3", None),
    ("6:30", None),
    ("1,23", None),
    ("1,2,3", None),
    ("1. Add", None),
    ("x = 5", None),
    ("about 5", None),
    ("--5", None),
    (".5", None),
    ("٣", None),
    ("-", None),
    ("", None),
]


def read(reader: Reader, text: str) -> str | None:
    return Grader((reader,)).read(text).value


def read_value(grader: GraderName, text: str) -> str:
    return integer.read_value(text) if grader == "integer" else choice.read_value(text)


@pytest.mark.parametrize(
    ("reader", "text", "answer", "why"),
    [*(("hashes", *case) for case in HASHES), *(("answer-is", *case) for case in PLAIN)],
)
def test_every_reader_has_its_own_traps(reader: Reader, text: str, answer: str | None, why: str) -> None:
    assert read(reader, text) == answer, why


@pytest.mark.parametrize(("text", "answer"), INTEGERS)
def test_integers_are_normalised(text: str, answer: str | None) -> None:
    assert normalise_integer(text) == answer


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("He has 2 + 3 = 5.\n#### 5", "5"),
        ("#### 4 is wrong.\n#### 1,018", "1018"),
        (" 1,018 ", "1018"),
        ("A B", None),
        ("18 ####", None),
    ],
)
def test_right_answers_are_read_alone_or_after_their_solution(text: str, gold: str | None) -> None:
    assert read_gold(text) == gold


# Letters of the grader's own grammar, so that random text comes near it.
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


FEW, MANY = 6_250, 100_000
"""Characters of a text: the second is 16 times the first."""


def processor_seconds(read: Callable[[], object], limit: float = 0) -> float:
    """Seconds for which `read` keeps the processor busy; TimeoutError after `limit` of them (0: no limit)."""

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
    """A text 16 times as long takes 16 times as long: 40 times is the limit, and quadratic is 256.

    The machine is its own measure, so its speed does not matter; where it was busy with something
    else, the reading is tried again. What takes less than half a second is not looked at.
    """

    def read(text: str) -> None:
        Grader(READERS, "first", grader).read(text)
        Grader(READERS, "last", grader).read(text, cut_off=True)

    many = make(MANY)
    for tries_left in (2, 1, 0):
        few = make(FEW - 25 * tries_left)  # another text each time: some readings are kept
        short = processor_seconds(lambda: read(few))  # noqa: B023
        try:
            processor_seconds(lambda: read(many), limit=max(0.5, 40 * short))
        except TimeoutError:
            if not tries_left:
                pytest.fail(f"{FEW} characters take {short:.2f} s, and {MANY} more than 40 times that")
        else:
            return


@pytest.mark.parametrize("split", ["test", "train"])
def test_every_gsm8k_answer_reads(data_dir: Path, split: str) -> None:
    rows = [json.loads(line) for line in (data_dir / "gsm8k" / f"{split}.jsonl").read_text().splitlines()]
    golds = [row["answer"].rsplit("#### ", 1)[1].replace(",", "") for row in rows]
    assert [read("hashes", row["answer"]) for row in rows] == [str(int(gold)) for gold in golds]
    assert [normalise_integer(gold) for gold in golds] == [str(int(gold)) for gold in golds]
