"""The questions that a model is asked, each with its right answer.

    Question(question_id="gsm8k-test-0000", problem="Janet’s ducks lay 16 eggs per day. ...", gold="18")

Ids do not depend on where the rows came from. GSM8K: the position in the pinned revision.
MATH: the subject and a hash of the problem (`math-algebra-01685114`), because its rows have
no id and come in different orders; MATH-500, which is a subset of it, has the same ids.

If a question has choices, they are added to it, one per line:

    {"question": "Which of these floats?", "choices": ["A nail", "A cork", "A coin"], "gold": "B"}
    -> "Which of these floats?\n\nA. A nail\nB. A cork\nC. A coin", labels A B C, gold B

The gold is a label or the text of one choice. A number that is neither is refused: some
data sets count choices from 0, others from 1.
"""

import ast
import hashlib
import json
import re
import string
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from harness.grader import GraderName, required_gold
from harness.grading.choice import labels_in
from harness.grading.integer import normalise_integer
from harness.grading.marks import last_box
from harness.questions.hub_rows import GSM8K, MATH, MATH_500, HubDataset, SourceRow, dataset_rows, file_rows
from results import BadInput

_GOLD = ("gold", "answer", "answerKey")
_BESIDE = re.compile(r"(['\"])\s+\1")
"""Strings with no comma between them, as NumPy prints a list: Python would join them."""
_LABEL = re.compile(r"\w{1,20}")


def choices_of(cell: Any, where: str) -> dict[str, str]:
    """Label and text of each choice in a cell of the column `choices`. Raises BadInput naming `where`."""
    listed = as_objects(cell)
    if isinstance(listed, dict) and {*listed} == {"label", "text"}:
        labels, texts = as_objects(listed["label"]), as_objects(listed["text"])
        each_once = len({*map(str, labels)}) == len(labels) == len(texts)
        listed = dict(zip(labels, texts, strict=True)) if each_once else None
    elif isinstance(listed, list) and len(listed) <= len(string.ascii_uppercase):
        listed = dict(zip(string.ascii_uppercase, listed, strict=False))
    if not isinstance(listed, dict) or len(listed) < 2:
        raise BadInput(f"{where}: choices is {str(cell)[:60]!r}, expected a list of 2 to 26 texts")
    if isinstance(cell, dict):  # a row with fewer choices than others has nulls
        listed = {label: text for label, text in listed.items() if text is not None}
    choices = {str(label): " ".join(str(text).split()) for label, text in listed.items()}
    if bad := next((label for label in choices if not _LABEL.fullmatch(label)), None):
        raise BadInput(f"{where}: a choice has the label {bad[:60]!r}, expected letters or digits")
    return choices


def label_of(gold: str, choices: dict[str, str]) -> str:
    """The label equal to `gold`, or that of the only choice with this text; else `gold` itself."""
    if gold in choices:
        return gold
    meant = [label for label, text in choices.items() if text == " ".join(gold.split())]
    return meant[0] if len(meant) == 1 else gold


def as_objects(cell: Any) -> Any:
    """The value of a cell: Parquet arrays as lists; JSON, or Python as pandas writes it in a CSV, parsed."""
    if isinstance(cell, np.ndarray):
        return cell.tolist()
    if isinstance(cell, str) and cell.lstrip()[:1] in ("{", "["):
        with suppress(ValueError):
            return json.loads(cell)
        if not _BESIDE.search(cell):
            with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
                return ast.literal_eval(cell.lstrip())
    return cell


TINY_FILE = Path(__file__).parents[1] / "tiny" / "test.jsonl"


@dataclass(frozen=True)
class Question:
    """One problem, its right answer in the grader's form, and the labels of its choices, if any."""

    question_id: str
    problem: str
    gold: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class _MathProblems:
    """A subset of MATH: the data set that contains it, its number of problems, and its filter."""

    source: HubDataset
    count: int
    integer: re.Pattern[str] | None = None
    """If given, only level-1 problems whose boxed answer matches it."""


# The paper: "problems at level 1 with integer answers, yielding a subset of 309 problems". Plain digits give
# the 309; negative integers and thousands separators make it 330.
_MATH = {
    "math-level1-integer": _MathProblems(MATH, 309, re.compile(r"[0-9]+")),
    "math-level1-signed": _MathProblems(
        MATH, 330, re.compile(r"-?(?:[0-9]+|[0-9]{1,3}(?:(?:,|\{,\}|,\\!)[0-9]{3})+)")
    ),
    "math": _MathProblems(MATH, 5000),
    "math-500": _MathProblems(MATH_500, 500),
}

DATASETS = ("gsm8k", *_MATH, "multiple-choice", "tiny")
_NEEDED: dict[str, GraderName] = {"math": "math", "math-500": "math", "multiple-choice": "choice"}
"""The grader of data sets with other answers than integers; `math` takes integers as expressions, too."""


def load_questions(name: str, file: Path | None = None, grader: GraderName | None = None) -> list[Question]:
    """The questions of the data set `name`, or of your own file at that path.

    `file` holds the rows of the named data set, in place of the hub. `grader` is for the
    right answers of your own file: by default labels if its rows have choices, else
    integers. Raises BadInput for missing or unexpected rows, an unreachable hub, and right
    answers of another kind.
    """
    needed: GraderName | None = _NEEDED.get(name)
    if name in DATASETS and grader and grader != (needed or "integer") and (needed or grader == "choice"):
        raise BadInput(f"{name}: its right answers are for grader {needed or 'integer'}, not {grader}")
    if name == "gsm8k":
        return _questions(dataset_rows(GSM8K, file), "gsm8k-test", file or Path(GSM8K.repository))
    if name in _MATH:
        source = _MATH[name].source
        return _math(name, dataset_rows(source, file), file or Path(source.repository))
    if name == "tiny":
        return _questions(file_rows(file or TINY_FILE), "tiny", file or TINY_FILE)
    if name == "multiple-choice":
        if file is None:
            raise BadInput(f"{name}: needs a file: tts questions --file, tts sample --set file=")
        return _questions(file_rows(file), file.stem, file, "choice")
    if file is not None:
        options = "tts questions --file, tts sample --set file="
        raise BadInput(f"a file ({options}) is for {', '.join(DATASETS)}, not for {name}")
    if Path(name).is_file():
        rows = file_rows(Path(name))
        labelled = {"choices", "labels"} & rows[0].keys() or _choices(rows[0], name) is not None
        default: GraderName = "choice" if labelled else "integer"
        return _questions(rows, Path(name).stem, Path(name), grader or default)
    raise BadInput(f"{name}: no such file, and not one of {', '.join(DATASETS)}")


def dataset_commit(name: str) -> str | None:
    """The pinned commit of a data set on the hub; None for questions that come from elsewhere."""
    pinned = {"gsm8k": GSM8K, **{key: problems.source for key, problems in _MATH.items()}}
    return pinned[name].revision if name in pinned else None


def _questions(
    rows: list[SourceRow], prefix: str, where: Path, grader: GraderName = "integer"
) -> list[Question]:
    """Questions from rows with problem (or question) and gold (or answer); ids as given, or by position."""
    if any({"gold", "answer"} <= {*_filled(row)} for row in rows):
        rows = [row | {"answer": None} for row in rows]  # beside a gold, these are somebody's answers
    questions = [
        _question(row, f"{prefix}-{i:04d}", f"{where}: row {i + 1}", grader) for i, row in enumerate(rows)
    ]
    (question_id, count), *_ = Counter(question.question_id for question in questions).most_common(1)
    if count > 1:
        raise BadInput(f"{where}: {count} rows have the question_id {question_id!r}")
    return questions


def _question(row: SourceRow, default_id: str, where: str, grader: GraderName) -> Question:
    """The question of a row, with its choices or, if they are in the problem, their `labels`."""
    problem, answer = _needed(row, where, "problem", "question"), _needed(row, where, *_GOLD)
    labels, ids = tuple[str, ...](), ["question_id"]
    if grader == "choice":
        ids.append("id")
        labels = labels_in(as_objects(row.get("labels")))
        if (cell := _choices(row, where)) is not None:
            choices = choices_of(cell, where)
            problem = "\n".join([problem, "", *map(". ".join, choices.items())])
            labels, answer = tuple(choices), label_of(answer, choices)
    gold = required_gold(answer, where, grader, labels)
    return Question(first_filled(row, where, *ids) or default_id, problem, gold, labels)


def _choices(row: SourceRow, where: str) -> Any:
    """The choices of a row, in `choices`, `options` or the columns A, B, …; None for none."""
    listed = next((row[name] for name in ("choices", "options") if row.get(name) is not None), None)
    each = {label: text for label in string.ascii_uppercase if (text := first_filled(row, where, label))}
    return each if listed is None and len(each) > 1 else listed


def _needed(row: SourceRow, where: str, *columns: str) -> str:
    """As `first_filled`, but raises BadInput if all the columns are empty."""
    if (text := first_filled(row, where, *columns)) is None:
        found = f"columns {', '.join(_filled(row))}" if _filled(row) else "nothing"
        raise BadInput(f"{where}: no {' or '.join(columns[:2])}, found {found}")
    return text


def _filled(row: SourceRow) -> list[str]:
    """The columns that are not empty."""
    return [column for column, cell in row.items() if str(cell).strip() not in ("", "nan", "None")]


def first_filled(row: SourceRow, where: str | Path, *columns: str) -> str | None:
    """The first of `columns` that is not empty, as text. Raises BadInput if it holds a list."""
    for column in (name for name in columns if name in _filled(row)):
        cell = row[column]
        if isinstance(cell, list | dict | np.ndarray):
            raise BadInput(f"{where}: {column} is {str(cell)[:60]!r}, expected a text or a number")
        # 7 in a column with an empty cell is read as 7.0.
        return f"{cell:.15g}" if isinstance(cell, float) else str(cell)
    return None


def _math(name: str, rows: list[SourceRow], where: Path) -> list[Question]:
    """The problems of the MATH subset `name`, ordered by their hashes, which mixes the subjects."""
    meant = _MATH[name]
    fields = {}
    for number, row in enumerate(rows, start=1):
        place = f"{where}: row {number}"
        subject = "subject" if meant.source is MATH_500 else "type"
        for column in ("problem", subject, "solution"):
            if not isinstance(row.get(column), str):
                raise BadInput(f"{place}: no text in column {column!r}: not a row of MATH")
        answer = last_box(row["solution"]) or ""
        if meant.integer and not (_level(row, place) == 1 and meant.integer.fullmatch(answer)):
            continue
        digest = hashlib.sha256(" ".join(row["problem"].split()).encode()).hexdigest()[:8]
        field = re.sub(r"[^a-z]+", "_", row[subject].lower().replace("&", "and"))
        gold = normalise_integer(answer) if meant.integer else required_gold(row["solution"], place, "math")
        assert gold is not None, answer
        fields[digest] = Question(f"math-{field}-{digest}", row["problem"], gold)
    if len(fields) != meant.count:
        wrong = f"{len(fields)} problems of {name}, expected {meant.count}: not the rows of MATH"
        raise BadInput(f"{where}: {wrong}")
    return [fields[digest] for digest in sorted(fields)]


def _level(row: SourceRow, where: str) -> int:
    """The number in `Level 1`; 0 for `Level ?`, which MATH has for a problem without a level."""
    level = re.fullmatch(r"(?:Level )?([0-9]|\?)", str(row.get("level")))
    if level is None:
        raise BadInput(f"{where}: no level in column 'level': not a row of MATH")
    return int(level[1]) if level[1] != "?" else 0
