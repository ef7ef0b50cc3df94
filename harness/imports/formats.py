"""Files of other tools whose rows have fixed names and places; `formats.toml` says where.

output-rs7.jsonl       {"id": "aime24-0", "predicted_answer": "204", "symbolic_correct": true, ...}
analysis_x_y.jsonl     {"problem_num": 0, "gold_answer": "70", "all_answers": [["70", 836], ...], ...}
UUID_samples.jsonl     {"sample_id": "7", "evaluation": {"is_correct": true, ...}, ...}
"""

import hashlib
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from harness.engines.tokens import read_json
from results import BadInput
from results.tables.files import json_rows

JsonObject = dict[str, Any]

FORMATS: dict[str, JsonObject] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
FORMATS["sgl-eval"] = FORMATS["nemo-skills"]

_OPTIONS = {"files", "each", "failed", "about", "alike", "unreadable"}
_LONGEST_ID = 100  # characters; a question that is named by its text gets a hash of it


def field_rows(kind: str, path: Path, others: Iterable[str]) -> tuple[pd.DataFrame, int]:
    """The answers in a file or folder of that format, and how many requests in it failed.

    The columns are those of a samples table that the format has, and the places `others`. Raises BadInput.
    """
    form = FORMATS[kind]
    files = [path]
    if path.is_dir():
        files = sorted(file for file in path.rglob("*.jsonl") if re.fullmatch(form["files"], file.name))
    if not files or not path.exists():
        raise BadInput(f"{path}: no {'file of ' + kind if path.is_dir() else 'such file'}")
    places = {name: found for name, found in form.items() if name not in _OPTIONS}
    places |= {name: [name] for name in others if name not in places}
    rows: list[JsonObject] = []
    failed = 0
    folders: dict[tuple[str | None, ...], Path] = {}
    for file in files:
        shared = _about(file, form)
        what = shared.get("dataset"), shared.get("model")
        first = folders.setdefault(what, file.parent) if what[0] else file.parent
        if first != file.parent:
            raise BadInput(
                f"{path}: answers to {what[0]} in {first} and in {file.parent}: two models? import each alone"
            )
        for row in _answers(file, form):
            if any(at(row, place) is not None for place in form.get("failed", ())):
                failed += 1
            else:
                rows.append(_cells(row, places, form) | shared)
    table = pd.DataFrame(rows, dtype=object).dropna(axis="columns", how="all").infer_objects()
    if table.empty:
        raise BadInput(f"{path}: no row of {kind} in it, expected {places['question_id'][0]!r} and others")
    return table, failed


def _about(file: Path, form: JsonObject) -> JsonObject:
    """What the file's name, and the file beside it, say of all rows."""
    about: JsonObject = {}
    if "about" in form:
        about["dataset"] = file.resolve().parent.name
        said = read_json(file.with_name(form["about"]["file"]))
        found = {name: _first(said, form["about"][name]) for name in ("dataset", "model")}
        about |= {name: cell for name, cell in found.items() if isinstance(cell, str)}
    named = re.fullmatch(form["files"], file.name)
    return about | (named.groupdict() if named else {})


def _answers(file: Path, form: JsonObject) -> Iterator[JsonObject]:
    """The rows of a file, one for each answer."""
    each = form.get("each")
    for number, row in enumerate(json_rows(file), start=1):
        if each is None:
            yield row
        elif isinstance(items := row.get(each), list):
            yield from ({**row, each: item} for item in items)
        else:
            raise BadInput(f"{file}: row {number}: no list {each!r}, found {', '.join(row)}")


def _cells(row: JsonObject, places: JsonObject, form: JsonObject) -> JsonObject:
    cells = {name: _first(row, found) for name, found in places.items()}
    for pattern, replacement in form.get("alike", ()):
        for name in ("answer", "gold"):
            cells[name] = cells[name] and re.sub(pattern, replacement, str(cells[name]))
    if isinstance(question := cells["question_id"], str) and len(question) > _LONGEST_ID:
        cells["question_id"] = hashlib.sha256(question.encode()).hexdigest()[:16]
    if cells["answer"] in ("", None, *form.get("unreadable", ())):
        # An answer that is scored right without being read votes for the right answer.
        cells["answer"] = cells.get("gold") if cells.get("correct") else None
    return cells


def _first(row: JsonObject, places: Iterable[str]) -> Any:
    return next((cell for place in places if (cell := at(row, place)) is not None), None)


def at(row: Any, place: str) -> Any:
    """What stands at `place`, or None."""
    for step in place.split("."):
        try:
            row = row[int(step) if isinstance(row, list) else step]
        except (LookupError, TypeError, ValueError):
            return None
    return row
