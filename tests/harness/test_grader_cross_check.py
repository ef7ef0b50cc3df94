"""Our grader against math-verify, on every gold answer of GSM8K and MATH and on real answers of models.

    source           id                          ours  theirs  why
    math/test.jsonl  test/number_theory/20.json        1202    base    (ours: no integer)

Every disagreement is a row of grader_disagreements.csv with its reason (WHY), in the order of the source.
"""

import csv
import json
import logging
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from harness.grader import read_gold
from harness.grading.integer import normalise_integer
from harness.questions.load import load_questions

math_verify = pytest.importorskip("math_verify")

WHY = {
    "base": "a number in another base: math-verify leaves the base out, and so reads another number",
    "ratio": "a ratio a:b: math-verify reads a",
    "term": "a term with a letter in it: math-verify reads its coefficient",
    "sum": "a sum with a fraction written without braces: math-verify reads one of its terms",
    "power": "an integer as a power of hundreds of digits: our grader computes nothing",
}


def table(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as lines:
        return [*csv.DictReader(lines)]


KNOWN = {
    (row["id"], row["ours"], row["theirs"]): WHY[row["why"]]
    for row in table(Path(__file__).with_name("grader_disagreements.csv"))
}
Gold = tuple[str, str, str | None]
"""Where it stands, how it is written there, and the integer that we read."""


@pytest.fixture(autouse=True, scope="module")
def quiet() -> Iterator[None]:
    """Silence math-verify, which warns at each call without time limits; these would need signals."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


@cache
def parsed(text: str) -> list[Any]:
    found: list[Any] = math_verify.parse(text, parsing_timeout=None)
    return found


@cache
def equal(gold: str, answer: str) -> bool:
    """Whether math-verify considers the two equal."""
    return bool(math_verify.verify(parsed(gold), parsed(answer), timeout_seconds=None))


def their_integer(text: str) -> str | None:
    """The integer that math-verify reads in `text`, or None."""
    value = parsed(text)[0] if parsed(text) else None
    if not (getattr(value, "is_number", False) and getattr(value, "is_integer", False)):
        return None
    digits = str(value) if abs(value) < 10**30 else None
    return digits or f"above 10^{(len(str(int(value))) - 1) // 100 * 100}"


def rows_of(file: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def gsm8k(file: Path) -> Iterator[Gold]:
    for number, row in enumerate(rows_of(file)):
        written = row["answer"].rsplit("####", 1)[1].strip()
        yield f"row {number + 1}", written, read_gold(row["answer"])


def math(file: Path) -> Iterator[Gold]:
    for row in rows_of(file):
        yield row["unique_id"], f"${row['answer']}$", normalise_integer(row["answer"])


def papers_subset(file: Path) -> Iterator[Gold]:
    """The questions of `make math-samples` and those with a sign or commas."""
    answers = {row["problem"]: row["answer"] for row in rows_of(file)}
    for question in load_questions("math-level1-signed", file):
        yield question.question_id, f"${answers[question.problem]}$", question.gold


@pytest.mark.parametrize(
    ("source", "golds", "least"),
    [
        ("gsm8k/test.jsonl", gsm8k, 1319),
        pytest.param("gsm8k/train.jsonl", gsm8k, 7473, marks=pytest.mark.release),
        pytest.param("math/test.jsonl", math, 3201, marks=pytest.mark.release),  # takes many seconds
        ("math/test.jsonl", papers_subset, 330),
    ],
)
def test_in_a_right_answer_both_read_one_integer_or_none(
    data_dir: Path, source: str, golds: Callable[[Path], Iterator[Gold]], least: int
) -> None:
    found, read = [], 0
    for where, written, ours in golds(data_dir / source):
        read += ours is not None
        assert ours is None or not equal(written, str(int(ours) + 1))
        theirs = their_integer(written)
        if theirs is not None if ours is None else not equal(written, ours):
            found.append((where, ours or "", theirs or ""))
    assert read >= least
    assert found == ([*KNOWN] if golds is math else [])


@pytest.mark.parametrize(
    "name",
    [
        "gpt-3.5-turbo_biggsm_t0.1",
        pytest.param("gpt-3.5-turbo_biggsm_t0.5", marks=pytest.mark.release),
        pytest.param("gpt-3.5-turbo_biggsm_t0.8", marks=pytest.mark.release),
        "epoch_otis_mock_aime",
    ],
)
def test_our_verdict_on_a_real_model_s_answer_is_theirs_and_the_file_s(data_dir: Path, name: str) -> None:
    rows = [row for row in table(data_dir / "samples" / f"{name}.csv") if row.get("error") != "1"]
    assert len(rows) >= 3240
    for row in rows:
        ours = normalise_integer(row["answer"])
        right = ours is not None and ours == normalise_integer(row["gold"])
        theirs = bool(row["answer"]) and equal(row["gold"], row["answer"])
        assert right == theirs == (float(row["correct"]) == 1), row
