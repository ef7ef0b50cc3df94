"""Equal expressions share one vote, right or wrong, in any order; hostile text cannot hang a run."""

import json
import random
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from harness.grader import Grader, required_gold
from harness.grading import expression
from harness.grading.expression import equal, read_value
from results import BadInput
from results.canonical import canonical
from results.commandline import EXTRAS

math_verify = pytest.importorskip("math_verify")

GRADER = Grader(grader="math")

CLASSES = [
    [r"\frac{1}{2}", "1/2", "0.5", ".50", r"\dfrac12", r"\frac{50}{100}", r"$\tfrac{1}{2}$", r"x = \frac12"],
    [r"\frac{1}{3}", "2/6", r"\dfrac{2}{6}", r"\frac13"],
    [r"2\sqrt{3}", r"\sqrt{12}", "2*sqrt(3)", r"\frac{6}{\sqrt3}", "sqrt(12)"],
    ["(x+1)^2", "x^2+2x+1", "1 + 2x + x^2", "x**2 + 2*x + 1", r"\left(x+1\right)^2"],
    [r"\frac{3}{x+1}", "3/(x+1)", r"\dfrac{6}{2x+2}"],
    [r"12\pi", "12pi", r"\pi \cdot 12", r"12 \pi\text{ cm}^2"],
    ["1, 2", "2, 1", r"\{1,2\}", "1 and 2", r"1 \text{ or } 2"],
    ["(1, 2)", r"\left(1,2\right)"],
    ["[1, 2)", r"\left[1, 2\right)"],
    [r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix} 1 \\ \frac{4}{2} \end{pmatrix}"],
    ["x > 5", "5 < x"],
    ["(-2, 5]", "]-2,5]", r"\left]-2;5\right]"],
    [r"(-\infty, 2] \cup (3, \infty)", r"x \le 2\text{ or }x > 3", r"]-\infty,2]\cup]3,\infty["],
    [r"\text{east}", "East", r"\text{ East }"],
    ["12", "12.0", "$12", "12 cm", r"12\text{ cm}", "12 apples", r"12^\circ", "+12", "012", r"3\cdot 4"],
    ["12 dozen", r"12 \text{ dozen}"],
    ["1,234", "1{,}234", "1234", "1.234e3"],
    ["10^{-3}", "10⁻³", "0.001", r"\frac{1}{1000}"],
    ["19, 46, and 82", "82, 19 and 46", r"\{46,82,19\}"],
    ["a=1,b=2", "b = 2, a = 1", r"a=1 \text{ and } b=2"],
    ["a=2,b=1"],
    ["1011_2", r"1011_{\text{two}}", "1011 base 2"],
    ["1011_3"],
    ["50%", r"50\%"],
    ["1 and all odd primes", r"1 \text{ and all odd primes}"],
    ["1 and all even numbers"],
    ["7 is prime"],
    ["7 is not prime"],
    [r"\sqrt{\frac{1}{7}}", r"\frac{1}{\sqrt7}", r"\frac{\sqrt{7}}{7}"],
    [r"\log_2 8", "3", r"\log_{2}{8}"],
    ["2 + 2 = 5"],  # without an unknown, and not one answer with another that is as false
    ["3 + 3 = 7"],
]


@pytest.mark.parametrize("same", CLASSES)
def test_equal_expressions_have_one_text(same: list[str]) -> None:
    (form,) = {read_value(text) for text in same}
    assert read_value(form) == canonical(form) == form


def test_different_expressions_have_different_texts() -> None:
    forms = [read_value(same[0]) for same in CLASSES]
    assert len({*forms}) == len(forms)


def test_an_answers_text_depends_on_no_other_answer() -> None:
    texts = [text for same in CLASSES for text in same]
    before = {text: read_value(text) for text in texts}
    random.Random(0).shuffle(texts)
    expression._value.cache_clear()
    assert {text: read_value(text) for text in texts} == before


SMALL = st.fractions(max_denominator=10**12).filter(lambda number: number != 0)


@given(SMALL, st.integers(-3, 3), st.integers(0, 9))
@settings(max_examples=40, deadline=None)
def test_fractions_are_equal_where_exact_arithmetic_says_so(number: Fraction, off: int, zeros: int) -> None:
    gold = number / 10**zeros
    answer = gold * Fraction(1000 + off, 1000)
    texts = [rf"\frac{{{value.numerator}}}{{{value.denominator}}}" for value in (gold, answer)]
    right = required_gold(texts[0], "here", "math")
    assert GRADER.verdict(f"##{texts[1]}##", right, "stop")["correct"] == (off == 0)


@pytest.mark.parametrize("number", ["0.25", "0.99", "1", "1.5", "50"])
def test_a_number_below_one_is_a_share_and_others_may_be_per_cent(number: str) -> None:
    for gold, text in ((number, f"{number}%"), (f"{number}%", number)):
        right = required_gold(gold, "here", "math")
        assert GRADER.verdict(f"##{text}##", right, "stop")["correct"] == (float(number) >= 1)


def _spellings(number: Fraction) -> list[str]:
    """Ways in which people and models write `number`."""
    top, bottom = number.numerator, number.denominator
    texts = [f"{top}/{bottom}", rf"\dfrac{{{3 * top}}}{{{3 * bottom}}}", f"x = {top}/{bottom}"]
    texts += [rf"$\frac{{{top}}}{{{bottom}}}$", rf"{top} \div {bottom}"]
    if 10**9 % bottom == 0:
        texts += [f"{Decimal(top) / bottom:f}", rf"{Decimal(100 * top) / bottom:f}\%"]
    return [*texts, f"{top:,} units"] if bottom == 1 else texts


BOTTOMS = st.sampled_from([1, 2, 3, 5, 7, 8, 20, 10**4, 10**7])
NUMBERS = st.builds(Fraction, st.integers(-999, 999), BOTTOMS)
STEPS = st.sampled_from([Fraction(0), Fraction(1), Fraction(1, 3), Fraction(1, 10**3), Fraction(1, 10**8)])


@given(NUMBERS, STEPS, st.data())
@settings(max_examples=60, deadline=None)
def test_spellings_are_equal_where_numbers_are(number: Fraction, step: Fraction, data: st.DataObject) -> None:
    other = number + step
    gold = data.draw(st.sampled_from(_spellings(number)))
    answer = data.draw(st.sampled_from(_spellings(other)))
    rounded = step == Fraction(1, 10**8) and 10**9 % number.denominator
    assume(not rounded)  # 0.33333334 equals 1/3, as in math-verify
    right = required_gold(gold, "here", "math")
    assert equal(right, read_value(answer)) == (number == other), (gold, answer)


def test_what_is_cut_off_within_an_expression_is_no_answer() -> None:
    assert GRADER.read(r"The answer is \frac{1", cut_off=True).value is None
    assert GRADER.read("The answer is $x + 1$ as", cut_off=True).value == "x + 1"


@given(
    st.lists(st.sampled_from([*"0159xy+-^/(){},= ", "\\frac", "\\sqrt", "\\pi", "\\text", "&", "\\\\"])).map(
        "".join
    )
)
@settings(max_examples=60, deadline=None)
def test_a_form_that_is_read_again_is_itself(text: str) -> None:
    value = read_value(text)
    assert read_value(value) == read_value(f"  {value} ") == value == canonical(value)


def test_without_math_verify_it_is_said_before_anything_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expression, "find_spec", lambda _name: None)
    Grader().check_installed()
    with pytest.raises(ModuleNotFoundError) as missing:
        GRADER.check_installed()
    assert EXTRAS[missing.value.name or ""] == "math"


def test_golds_of_math_have_stable_forms_that_are_right(data_dir: Path) -> None:
    rows = [json.loads(line) for line in (data_dir / "math" / "test.jsonl").read_text().splitlines()][::50]
    for row in rows:
        gold = required_gold(row["solution"], row["unique_id"], "math")
        value = read_value(gold)
        assert read_value(value) == value == canonical(value)
        verdict = GRADER.verdict(f"##{gold}##", gold, "stop")
        assert verdict == {"answer": gold, "correct": True, "reader": "hashes"}


LONG_TO_READ = [
    "9^{9^{9^{9^9}}}",
    "(9!)!!!!",
    r"\int_0^{10^9} x^{x^x} dx",
    "(x+y+z)^{99999}",
    "{" * 400,
    r"\sqrt{" * 60 + "2" + "}" * 60,
    "((((" * 100,
    "1e999999999999",
    "10^{10^{10}}",
]
"""Texts that each end the worker; the next worker takes seconds to start."""
QUICK = [
    "}{",
    r"\frac{" * 60,
    r"\input{/etc/passwd}",
    "__import__('os').system('true')",
    "1" * 5000,
    "x" * 5000,
    "\\",
    "\x00\ud800",
    r"\begin{pmatrix}" * 20,
]


@pytest.fixture
def _short_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Limit the worker to a quarter of a second of processor time for each request."""
    worker = tmp_path / "worker.py"
    source = expression._WORKER.read_text(encoding="utf-8")
    assert source.count("SECONDS = 3.0") == 1
    worker.write_text(source.replace("SECONDS = 3.0", "SECONDS = 0.25"), encoding="utf-8")
    monkeypatch.setattr(expression, "_WORKER", worker)
    expression._worker.stop()
    expression._value.cache_clear()
    yield
    expression._worker.stop()
    expression._value.cache_clear()
    expression.equal.cache_clear()


@pytest.mark.integration
@pytest.mark.usefixtures("_short_limit")
@pytest.mark.parametrize("most", [1, pytest.param(None, marks=pytest.mark.release)])
def test_hostile_text_votes_as_it_is_written(most: int | None) -> None:
    for text in [*QUICK, *LONG_TO_READ[:most]]:
        value = read_value(text)
        assert value
        assert not equal(r"\frac{1}{3}", value)
    assert read_value(r"\frac{2}{6}") == r"\frac{1}{3}"  # by a new worker
    process = expression._worker._process
    assert process is not None
    process.communicate(timeout=60)  # it reads requests until there are no more
    assert process.returncode == 0
    expression._worker._process = None


@pytest.mark.integration  # many seconds
@pytest.mark.parametrize("number", [20, pytest.param(40, marks=pytest.mark.release)])
def test_forms_agree_with_math_verify_on_pairs_of_golds(number: int, data_dir: Path) -> None:
    """Forms and math-verify agree on which golds with a fraction are equal."""
    rows = [json.loads(line) for line in (data_dir / "math" / "test.jsonl").read_text().splitlines()]
    golds = [required_gold(row["solution"], "", "math") for row in rows if "\\frac" in row["answer"]][:number]
    for a, b in combinations(golds, 2):
        assert (read_value(a) == read_value(b)) == equal(a, read_value(b)), (a, b)


def test_a_worker_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import no_such_module")
    monkeypatch.setattr(expression, "_WORKER", broken)
    expression._worker.stop()
    with pytest.raises(BadInput, match="no_such_module"):
        expression._worker.ask("form", "1/7")
