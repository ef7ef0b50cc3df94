"""The questions that are put to a model, each with its right answer.

    Question(question_id="gsm8k-test-0000", problem="Janet’s ducks lay 16 eggs per day. ...", gold="18")

Ids do not depend on where the rows came from. GSM8K: the position in the pinned revision. MATH: the subject
and a hash of the problem (`math-algebra-01685114`), because its rows have no id and come in different orders.
"""

import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from harness.grader import boxed, normalise_integer, required_gold
from harness.questions.hub import GSM8K, MATH, Row, dataset_rows, file_rows
from results import BadInput

TINY_FILE = Path(__file__).parents[1] / "tiny" / "test.jsonl"

DATASETS = ("gsm8k", "math-level1-integer", "math-level1-signed", "tiny")

# The paper: "problems at level 1 with integer answers, yielding a subset of 309 problems". Plain digits give
# the 309; negative integers and thousands separators make it 330.
_MATH_SUBSETS = {
    "math-level1-integer": (re.compile(r"[0-9]+"), 309),
    "math-level1-signed": (re.compile(r"-?(?:[0-9]+|[0-9]{1,3}(?:(?:,|\{,\}|,\\!)[0-9]{3})+)"), 330),
}


@dataclass(frozen=True)
class Question:
    """One problem and its right answer, an integer as the grader writes it."""

    question_id: str
    problem: str
    gold: str


def load_questions(name: str, file: Path | None = None) -> list[Question]:
    """The questions of the data set `name`, or of your own file with that name.

    `file` holds the rows of the named data set, in place of the hub. Raises BadInput: missing or unexpected
    rows, an unreachable hub.
    """
    if name == "gsm8k":
        return _questions(dataset_rows(GSM8K, file), "gsm8k-test", file or Path(GSM8K.repository))
    if name in _MATH_SUBSETS:
        return _math_level1(name, dataset_rows(MATH, file), file or Path(MATH.repository))
    if name == "tiny":
        return _questions(file_rows(file or TINY_FILE), "tiny", file or TINY_FILE)
    if file is not None:
        options = "harness questions --file, harness sample --set file="
        raise BadInput(f"a file ({options}) is for {', '.join(DATASETS)}, not for {name}")
    if Path(name).is_file():
        return _questions(file_rows(Path(name)), Path(name).stem, Path(name))
    raise BadInput(f"{name}: no such file, and not one of {', '.join(DATASETS)}")


def dataset_commit(name: str) -> str | None:
    """The pinned commit of a data set on the hub; None for questions that come from elsewhere."""
    return {"gsm8k": GSM8K.revision, **dict.fromkeys(_MATH_SUBSETS, MATH.revision)}.get(name)


def _questions(rows: list[Row], prefix: str, where: Path) -> list[Question]:
    """Questions of rows with problem (or question) and gold (or answer); ids as given, or by position."""
    questions = [_question(row, f"{prefix}-{i:04d}", f"{where}: row {i + 1}") for i, row in enumerate(rows)]
    (question_id, count), *_ = Counter(question.question_id for question in questions).most_common(1)
    if count > 1:
        raise BadInput(f"{where}: {count} rows have the question_id {question_id!r}")
    return questions


def _question(row: Row, default_id: str, where: str) -> Question:
    problem = _first(row, "problem", "question")
    answer = _first(row, "gold", "answer")
    if problem is None or answer is None:
        missing = "problem or question" if problem is None else "gold or answer"
        raise BadInput(f"{where}: no {missing}, found columns {', '.join(row)}")
    return Question(_first(row, "question_id") or default_id, problem, required_gold(answer, where))


def _first(row: Row, *columns: str) -> str | None:
    """The first of `columns` that holds something, as text."""
    for column in columns:
        cell = row.get(column)
        # 7 beside an empty cell is read as 7.0.
        text = f"{cell:.15g}" if isinstance(cell, float) else str(cell)
        if cell is not None and text.strip() not in ("", "nan"):
            return text
    return None


def _math_level1(name: str, rows: list[Row], where: Path) -> list[Question]:
    """The level-1 problems whose boxed answer is an integer, in the order of their hashes: subjects mixed."""
    pattern, expected = _MATH_SUBSETS[name]
    found = {}
    for number, row in enumerate(rows, start=1):
        for column in ("problem", "level", "type", "solution"):
            if not isinstance(row.get(column), str):
                raise BadInput(f"{where}: row {number}: no text in column {column!r}: not a row of MATH")
        *_, answer = ["", *boxed(row["solution"])]
        if row["level"] == "Level 1" and pattern.fullmatch(answer):
            digest = hashlib.sha256(" ".join(row["problem"].split()).encode()).hexdigest()[:8]
            subject = re.sub(r"[^a-z]+", "_", row["type"].lower().replace("&", "and"))
            gold = normalise_integer(answer)
            assert gold is not None, answer
            found[digest] = Question(f"math-{subject}-{digest}", row["problem"], gold)
    if len(found) != expected:
        raise BadInput(f"{where}: {len(found)} problems of {name}, expected {expected}: not the rows of MATH")
    return [found[digest] for digest in sorted(found)]
