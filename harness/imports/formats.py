"""Reads other tools' files, whose fields have fixed names and places, listed in `formats.toml`.

output-rs7.jsonl       {"id": "aime24-0", "predicted_answer": "204", "symbolic_correct": true, ...}
analysis_x_y.jsonl     {"problem_num": 0, "gold_answer": "70", "all_answers": [["70", 836], ...], ...}
results.json           {"results": [{"task_id": "make-it", "is_resolved": true, ...}, ...], ...}
model.run.json         {"resolved_ids": ["a__b-1", ...], "unresolved_ids": [...], ...}
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet

from harness.engines.token_ids import read_object
from harness.imports.nested import at
from harness.imports.reading import vote_of
from results import BadInput
from results.tables.files import inferred, json_rows, parquet, read_json
from results.tables.schemas import SAMPLES

JsonObject = dict[str, Any]

FORMATS: dict[str, JsonObject] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
FORMATS["sgl-eval"] = FORMATS["nemo-skills"]

_OPTIONS = {
    *("files", "rows", "verdicts", "each", "once", "failed", "scored", "wrong"),
    *("single", "about", "alike", "unreadable"),
}
_LONGEST_ID = 100  # characters; a longer id, such as the question's text, is replaced by its hash


def field_rows(
    kind: str,
    path: Path,
    others: Iterable[str],
    mapped: Mapping[str, str] | None = None,
    one_model: bool = False,
) -> tuple[pd.DataFrame, int]:
    """The answers in a file or folder of that format, and how many in it failed or were not scored.

    The columns are the samples-table columns that the format has, and the places `others`. `mapped` gives
    other places for columns. Several folders of one data set whose files name no model are refused unless
    `one_model` is set. Raises BadInput.
    """
    form = FORMATS[kind]
    files = [path]
    if path.is_dir():
        inside = [file for file in path.rglob("*.*") if _named(file, form) is not None]
        files = sorted(inside, key=lambda file: (len(file.parts), file))
    if not files or not path.exists():
        raise BadInput(f"{path}: no {'file of ' + kind if path.is_dir() else 'such file'}")
    places = {name: place for name, place in form.items() if name not in _OPTIONS}
    places |= {name: [name] for name in others if name not in places}
    places |= {name: [source] for name, source in (mapped or {}).items() if name in places}
    rows: list[JsonObject] = []
    left_out = 0
    copied: set[Any] = set()
    folders: dict[str, Path] = {}
    for file in files:
        content = _content(file)
        shared = _about(file, form, content)
        if (dataset := shared.get("dataset")) and not (one_model or shared.get("model")):
            first = folders.setdefault(dataset, file.parent)
            if first != file.parent:
                remedy = "two models? import each alone, or name the one with --model"
                raise BadInput(f"{path}: answers to {dataset} in {first} and in {file.parent}: {remedy}")
        for row in _answers(file, form, content):
            name = _first(row, form.get("once", ()))
            if name is not None and name in copied:
                continue
            copied.add(name)
            cells = _cells(row, places, form, file)
            failed = any(at(row, place) is not None for place in form.get("failed", ()))
            if failed or ("scored" in form and cells["correct"] in (None, "unscored")):
                left_out += 1
            else:
                rows.append(cells | shared)
    table = pd.DataFrame(rows, dtype=object).dropna(axis="columns", how="all").apply(inferred)
    if table.empty:
        raise BadInput(f"{path}: no row of {kind} in it, expected {places['question_id'][0]!r} and others")
    named = [name for name in SAMPLES.defaults if name in table]
    return table.fillna({name: SAMPLES.defaults[name] for name in named}), left_out


def _named(file: Path, form: JsonObject) -> JsonObject | None:
    """The cells that the path gives for all rows; None if no file of the format has such a path."""
    patterns = [form["files"]] if isinstance(form["files"], str) else form["files"]
    whole = file.resolve().as_posix()
    matches = (re.fullmatch(rf"(?:.*?/)??{pattern}", whole) for pattern in patterns)
    named = next((match for match in matches if match), None)
    return named and {name: text for name, text in named.groupdict().items() if text is not None}


def _content(file: Path) -> Any:
    """The rows of a table, or the content of a JSON file. Raises BadInput."""
    if file.suffix == ".parquet":
        return parquet(pyarrow.parquet.read_table, file).to_pylist()
    return read_json(file) if file.suffix == ".json" else json_rows(file)


def _about(file: Path, form: JsonObject, content: Any) -> JsonObject:
    """The cells that the file's path, the file beside it, or its own head give for all rows."""
    about: JsonObject = _named(file, form) or {}
    if "about" in form:
        beside = form["about"].get("file")
        source = read_object(file.with_name(beside)) if beside else content
        for name in ("dataset", "model"):
            cell = _first(source, form["about"].get(name, ()))
            about |= {name: cell} if isinstance(cell, str) else {}
    return about


def _answers(file: Path, form: JsonObject, content: Any) -> Iterator[JsonObject]:
    """The rows of a file, one for each answer."""
    each = form.get("each")
    for number, row in enumerate(_objects(file, form, content), start=1):
        if each is None:
            yield row
        elif isinstance(items := row.get(each), list):
            yield from ({**row, each: item} for item in items)
        else:
            raise BadInput(f"{file}: row {number}: no list {each!r}, found {', '.join(row)}")


def _objects(file: Path, form: JsonObject, content: Any) -> Iterator[JsonObject]:
    """The objects of a file: one per line, a list of objects, or lists of names by verdict."""
    if file.suffix != ".json":
        yield from content
        return
    verdicts: JsonObject = {}
    for name, verdict in form.get("verdicts", {}).items():
        verdicts |= dict.fromkeys(at(content, name) or (), verdict)
    if verdicts:
        yield from ({"key": key, "verdict": verdicts[key]} for key in sorted(verdicts))
        return
    held = next((held for place in form.get("rows", ()) if (held := _held(content, place))), [])
    yield from (row for row in held if isinstance(row, dict))


def _held(content: Any, place: str) -> list[Any] | None:
    """The list at `place`, one of the format's `rows`; None if there is none."""
    if place == "*" and isinstance(content, dict):
        return [{**row, "key": key} for key, row in content.items() if isinstance(row, dict)]
    if place == "." and isinstance(content, dict):
        return [content]
    rows = content if place == "." else at(content, place)
    return rows if isinstance(rows, list) else None


def _cells(row: JsonObject, places: JsonObject, form: JsonObject, file: Path) -> JsonObject:
    several = isinstance(text := _first(row, places.get("text", ())), list) and len(text) > 1
    unknown = form.get("single", ()) if several else ()
    cells: JsonObject = {}
    for name, found in places.items():
        try:
            cells[name] = None if name in unknown else _first(row, found)
        except BadInput as error:
            place = found[-1].removesuffix("?")
            raise BadInput(f"{file}: {error.message}: choose with --map {name}={place}NAME") from None
    for place, causes in form.get("wrong", {}).items():
        if cells["correct"] is None and at(row, place) in causes:
            cells["correct"] = False
    for pattern, replacement in form.get("alike", ()):
        for name in ("answer", "gold"):
            cells[name] = cells[name] and re.sub(pattern, replacement, str(cells[name]))
    question = cells["question_id"]
    if isinstance(question, list | dict):
        question = json.dumps(question, sort_keys=True)
    if isinstance(question, str) and len(question) > _LONGEST_ID:
        question = hashlib.sha256(question.encode()).hexdigest()[:16]
    cells["question_id"] = question
    if "answer" in form:
        answer = None if cells["answer"] in form.get("unreadable", ()) else cells["answer"]
        cells["answer"] = vote_of(answer, cells.get("gold"), cells.get("correct"))
    return cells


def _first(row: Any, places: Iterable[str]) -> Any:
    return next((cell for place in places if (cell := at(row, place)) is not None), None)
