"""Reads tools' files as they are: JSON arrays, compressed lines, and cells with objects and lists.

results.json         [{...}, {...}], {"results": [{...}, {...}]} or {"question 7": {...}, "question 8": {...}}
answers.jsonl.gz     and .zst, .csv.gz

choices.0.message.content     in the cell `choices`: item 0, then its field message, then its field content
completions.*.text            the field text of each item of the list: one answer each
output_tokens.*.#             the length of each item of the list
value.?                       the only field, whatever its name
doc.choices.@gold_index       the item or field of `choices` named by the field gold_index beside it
answer_*                      the list of the cells in answer_1, answer_2 … of a row, in place of these
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow

from harness.questions.load import as_objects
from results import BadInput
from results.tables.columns import refusal
from results.tables.files import inferred, read_json, read_raw
from results.tables.money import tokens_column

_PACKED = (".gz", ".zst", ".bz2")
_OF_AN_ANSWER = (
    *("answer", "text", "correct", "tokens", "finish_reason", "reasoning", "reasoning_tokens", "logprob"),
    *("prompt_tokens", "cached_tokens", "cost", "seed", "score"),
)
"""Columns with one cell per answer if a row lists several answers."""
_NAMED = 5
"""Most lists of a JSON file that an error names."""
_OF_A_ROW = ("prompt_tokens", "cached_tokens", "seed")
"""Columns of which one value may apply to all answers of a row."""


def read_any(file: Path, text_columns: tuple[str, ...]) -> pd.DataFrame:
    """All rows of a table or of a JSON file with one list of objects, unpacked first. Raises BadInput."""
    rows = _read(file, text_columns)
    for name, cells in rows.items():  # lists of Parquet are arrays
        if cells.dtype == object and cells.map(lambda cell: isinstance(cell, np.ndarray)).any():
            rows[name] = cells.map(_as_plain_list)
    return rows


def _as_plain_list(cell: Any) -> Any:
    return [_as_plain_list(item) for item in cell.tolist()] if isinstance(cell, np.ndarray) else cell


def _read(file: Path, text_columns: tuple[str, ...]) -> pd.DataFrame:
    packed = file.suffix in _PACKED and file.is_file()
    name = file.name.removesuffix(file.suffix) if packed else file.name
    if not packed and not (name.endswith(".json") and file.is_file()):
        return read_raw(file, text_columns)
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder, name)
        try:
            with pyarrow.input_stream(str(file), compression="detect" if packed else None) as stream:
                plain.write_bytes(stream.read())
        except OSError as error:
            raise BadInput(f"{file}: cannot be unpacked: {error}") from None
        try:
            if plain.suffix == ".json":
                rows = _listed(plain)
                plain = plain.with_suffix(".jsonl")
                lines = [json.dumps(row) + "\n" for row in rows]
                plain.write_text("".join(lines), encoding="utf-8")
            return read_raw(plain, text_columns)
        except BadInput as error:
            raise BadInput(error.message.replace(str(plain), str(file))) from None


def _listed(plain: Path) -> list[Any]:
    """The objects of the one list that a JSON file is or holds, or of an object, with their names as `key`.

    Raises BadInput.
    """
    content = read_json(plain)
    lists = dict(_lists(content))
    if not lists and isinstance(content, dict) and all(isinstance(row, dict) for row in content.values()):
        lists = {"": [{"key": key, **row} for key, row in content.items()]}
    if len(lists) != 1:
        named = f"{', '.join([*lists][:_NAMED])}{', …' * (len(lists) > _NAMED)}"
        several = f"several lists of objects ({named})" if lists else "no list of objects"
        raise BadInput(f"{plain}: {several}, expected one: an object for each answer")
    return next(iter(lists.values()))


def _lists(content: Any, name: str = "") -> Iterator[tuple[str, list[Any]]]:
    """The (place, list) of each list of objects in an object or, if it has none, in those within it."""
    if isinstance(content, dict):
        own = {field: rows for field, rows in content.items() if isinstance(rows, list) and any(_lists(rows))}
        for field, inside in (own or content).items():
            yield from _lists(inside, f"{name}.{field}".removeprefix("."))
    elif isinstance(content, list) and content and all(isinstance(row, dict) for row in content):
        yield name, content


def with_places(rows: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """`rows` with a column for each of `names` that is a place in other columns' cells."""
    beside = {name: _columns_like(rows, name) for name in names if "*" in name}
    rows = _as_lists(rows, {name: columns for name, columns in beside.items() if columns})
    for name in names:
        column, _, place = name.partition(".")
        if name not in rows and place and column in rows:
            cells = [at(as_objects(cell), place) for cell in rows[column]]
            if any(cell is not None for cell in cells):
                rows = rows.assign(**{name: inferred(pd.Series(cells, index=rows.index, dtype=object))})
    return rows


def _columns_like(rows: pd.DataFrame, name: str) -> list[str]:
    """The columns `answer_1`, `answer_2` … for `answer_*`."""
    pattern = re.compile(re.escape(name).replace(r"\*", "[0-9]+"))
    found = [column for column in map(str, rows) if pattern.fullmatch(column)]
    return sorted(found, key=lambda column: (len(column), column))  # 2 before 10


def _as_lists(rows: pd.DataFrame, beside: dict[str, list[str]]) -> pd.DataFrame:
    """`rows` with a list in place of the columns of each name.

    What is blank in all of them up to the end of a row is no answer: fewer were asked for.
    """
    asked = np.zeros(len(rows), np.int64)
    for columns in beside.values():
        cells = rows[columns].astype(object)
        known = (cells.notna() & (cells != "")).to_numpy(bool)
        asked = np.maximum(asked, (known * np.arange(1, len(columns) + 1)).max(axis=1))
    for name, columns in beside.items():
        given: list[list[Any]] = rows[columns].astype(object).to_numpy().tolist()
        lists = [row[:most] for row, most in zip(given, asked, strict=True)]
        rows = rows.drop(columns=columns).assign(**{name: pd.Series(lists, rows.index, dtype=object)})
    return rows


def at(cell: Any, place: str) -> Any:
    """What is at `place` within `cell`, or None. Raises BadInput for `?` if there are several fields."""
    return _at(cell, place.split("."))


def _at(cell: Any, steps: list[str], owner: Any = None) -> Any:
    cell = _as_plain_list(cell)  # within an object, lists of JSON lines are arrays, too
    if not steps:
        return cell
    step, *rest = steps
    if step == "#":
        return len(cell) if isinstance(cell, list | dict) else None
    if step == "?" and isinstance(cell, dict):
        step = _only(cell)
    elif step.startswith("@") and isinstance(owner, dict):
        named = owner.get(step[1:])
        step = str(named[0] if isinstance(named, list) and named else named)
    if isinstance(cell, list):
        if step == "*":
            return [_at(item, rest) for item in cell]
        try:
            return _at(cell[int(step)], rest, cell)
        except (ValueError, IndexError):
            return None
    return _at(cell.get(step), rest, cell) if isinstance(cell, dict) else None


def _only(cell: dict[str, Any]) -> str:
    """The name of the only field, or an empty name if there is none; raises BadInput for several."""
    if len(cell) > 1:
        raise BadInput(f"several verdicts ({', '.join(map(str, cell))})")
    return next(iter(cell), "")


def has_lists(cells: pd.Series[Any]) -> bool:
    """Whether a column has lists in it."""
    return bool(cells.map(lambda cell: isinstance(cell, list)).any())


def one_answer_a_row(
    table: pd.DataFrame, file: Path, sources: Mapping[str, str], more: Iterable[str] = ()
) -> tuple[pd.DataFrame, int, list[str]]:
    """`table` with a row for each answer; a row may have several answers, in lists of equal length.

    Also how many rows had none, and notes on columns with one value for several answers. `more`
    are further columns with one cell per answer. Raises BadInput if a column with one value for several
    answers is in `sources` or is the answer, or if a cell is neither a value nor a list of values.
    """
    scores = [name for name in map(str, table) if name.startswith("score_")]
    known = {*_OF_AN_ANSWER, *scores, *map(tokens_column, scores), *more}
    names = [name for name in map(str, table) if name in known]
    listed = [name for name in names if has_lists(table[name])]
    for name in (*listed, *(name for name in ("question_id", "gold", *names) if name in table)):
        for number, cell in enumerate(table[name]):
            parts = cell if isinstance(cell, list) else [cell]
            nested = any(isinstance(part, dict | list) for part in parts)
            if nested or (isinstance(cell, list) and name not in names):
                raise _no_value(file, number, sources.get(name, name), name, cell)
    if not listed:
        return table, 0, []
    lists = pd.DataFrame({name: table[name].map(_as_list) for name in listed})
    lengths = lists.map(len)
    answers = lengths.max(axis="columns")
    uneven = (lengths.ne(answers, axis="index") & (lengths > 0)).any(axis="columns")
    if uneven.any():
        row = int(uneven.to_numpy().argmax())
        lengths_in = ", ".join(f"{lengths[name].iloc[row]} in {sources.get(name, name)}" for name in listed)
        raise BadInput(f"{file}: row {row + 1}: lists of different lengths: {lengths_in}")
    several = answers > 1
    apart = {*listed, *_OF_A_ROW}
    whole = [name for name in names if name not in apart]
    shared = [name for name in whole if table[name][several].notna().any()]
    voted = ("answer" if "answer" in table else "text") if "gold" in table else "correct"
    for name in shared:
        if name in sources or name == voted:
            found = f"column {sources.get(name, name)!r} has one value for several answers"
            raise BadInput(f"{file}: {found}, expected a list with a value for each")
    for name in listed:
        cells = zip(lists[name], answers, strict=True)
        in_full = [cell or [None] * count for cell, count in cells]
        table = table.assign(**{name: pd.Series(in_full, table.index)})
    table = table.rename(columns={name: f"file_{name}" for name in shared})
    table = table[answers > 0].explode(listed, ignore_index=True)
    table = table.drop(columns="sample", errors="ignore")
    notes = [
        f"the file's column {name!r} has one value for several answers, and whose it is is not known: "
        f"it is kept as 'file_{name}'"
        for name in shared
    ]
    return table, int((answers == 0).sum()), notes


def _as_list(cell: Any) -> list[Any]:
    if isinstance(cell, list):
        return cell
    return [] if cell is None or cell is pd.NA or cell != cell else [cell]


def _no_value(file: Path, row: int, source: str, name: str, cell: Any) -> BadInput:
    """The error for a cell with objects in it, which suggests a place within the cell."""
    which = 0 if name == "gold" else -1  # as other tools take the first of several
    item, place = (cell[which], f"{source}.{which}") if isinstance(cell, list) and cell else (cell, source)
    fields = [str(field) for field in item] if isinstance(item, dict) else ["0"] * isinstance(item, list)
    hint = [field for field in ("content", "text", "answer") if field in fields] or fields
    kind = "an object" if isinstance(cell, dict) else "a list"
    place = ".".join([place, *hint[:1]])
    return refusal(file, row, source, cell, f"a value: it is {kind}, give --map {name}={place}")
