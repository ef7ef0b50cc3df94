"""Our grader against math-verify, on every gold answer of GSM8K and MATH and on real answers of models.

    source           id                          ours  theirs  why
    math/test.jsonl  test/number_theory/20.json        1202    base    (ours: no integer)

Every disagreement is a row of grader_disagreements.csv with its reason (WHY); the test fails for one that is
not there, and for a row that no longer is a disagreement.
"""

import csv
import json
import logging
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from harness.grader import read_gold
from harness.grading.integer import normalise_integer
from harness.questions.load import load_questions

math_verify = pytest.importorskip("math_verify")

TABLE = Path(__file__).with_name("grader_disagreements.csv")

WHY = {
    "base": "a number in another base: math-verify leaves the base out, and so reads another number",
    "ratio": "a ratio a:b: math-verify reads a",
    "term": "a term with a letter in it: math-verify reads its coefficient",
    "sum": "a sum with a fraction written without braces: math-verify reads one of its terms",
    "power": "an integer as a power of hundreds of digits: our grader computes nothing",
}

Disagreement = dict[str, str]


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


def check(source: str, found: list[Disagreement]) -> None:
    """Check that `found` (source, id, ours, theirs) are exactly the table's rows for that source."""
    with TABLE.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["source"] == source]
    assert {row.pop("why") for row in rows} <= set(WHY)
    new = [row for row in found if row not in rows]
    gone = [row for row in rows if row not in found]
    assert not new, f"{len(new)} disagreements without a reason, such as {new[:5]}"
    assert not gone, f"{len(gone)} reasons without a disagreement, such as {gone[:5]}"


@pytest.mark.parametrize("split", ["test", pytest.param("train", marks=pytest.mark.release)])
def test_gold_answers_of_gsm8k(data_dir: Path, split: str) -> None:
    source = f"gsm8k/{split}.jsonl"
    found = []
    for number, line in enumerate((data_dir / source).read_text(encoding="utf-8").splitlines()):
        answer = json.loads(line)["answer"]
        ours, written = read_gold(answer), answer.rsplit("####", 1)[1].strip()
        assert ours is not None
        assert not equal(written, str(int(ours) + 1))
        if not equal(written, ours):
            found.append(_row(source, f"row {number + 1}", ours, their_integer(written)))
    check(source, found)


@pytest.mark.release  # takes many seconds
def test_gold_answers_of_math(data_dir: Path) -> None:
    """For the integers among 5,000 answers, our grader reads math-verify's number, or neither reads one."""
    source = "math/test.jsonl"
    found, read = [], 0
    for line in (data_dir / source).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        written, ours = f"${row['answer']}$", normalise_integer(row["answer"])
        read += ours is not None
        theirs = their_integer(written)
        if theirs is not None if ours is None else not equal(written, ours):
            found.append(_row(source, row["unique_id"], ours, theirs))
    assert read > 3200
    check(source, found)


@pytest.mark.parametrize("subset", ["math-level1-integer", "math-level1-signed"])
def test_gold_answers_of_the_papers_subset_of_math(data_dir: Path, subset: str) -> None:
    """On the questions of `make math-samples` there is no disagreement at all."""
    file = data_dir / "math" / "test.jsonl"
    written = {
        row["problem"]: row["answer"]
        for row in map(json.loads, file.read_text(encoding="utf-8").splitlines())
        if row["level"] == "Level 1"
    }
    questions = load_questions(subset, file)
    assert all(equal(f"${written[question.problem]}$", question.gold) for question in questions)


@pytest.mark.parametrize(
    "name",
    [
        "gpt-3.5-turbo_biggsm_t0.1",
        pytest.param("gpt-3.5-turbo_biggsm_t0.5", marks=pytest.mark.release),
        pytest.param("gpt-3.5-turbo_biggsm_t0.8", marks=pytest.mark.release),
        "epoch_otis_mock_aime",
    ],
)
def test_answers_of_real_models(data_dir: Path, name: str) -> None:
    """Compare three verdicts on each answer: ours, math-verify's, and the file's."""
    source = f"samples/{name}.csv"
    with (data_dir / source).open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row.get("error") != "1"]
    found = []
    for row in rows:
        ours = normalise_integer(row["answer"])
        right = ours is not None and ours == normalise_integer(row["gold"])
        theirs = bool(row["answer"]) and equal(row["gold"], row["answer"])
        if not right == theirs == (float(row["correct"]) == 1):
            where = f"{row.get('model', '')} {row['question_id']} {row['sample']}".strip()
            found.append(_row(source, where, str(right), str(theirs)))
    assert len(rows) >= 3240
    check(source, found)


def _row(source: str, where: str, ours: str | None, theirs: str | None) -> Disagreement:
    return {"source": source, "id": where, "ours": ours or "", "theirs": theirs or ""}
