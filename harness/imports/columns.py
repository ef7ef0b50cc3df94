"""Answers sampled elsewhere, as a samples table: a CSV or JSONL file whose columns may have other names.

model,effort,question_id,sample,answer,gold,correct,completion_tokens,error      with setting=effort and
openai/gpt-5.1,low,2024-Mock-AIME-Problem-01,1,199,199,1,946,0                   tokens=completion_tokens
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from harness.grader import Grader, required_gold
from results import BadInput, as_samples
from results.tables.files import read_raw
from results.tables.schemas import SAMPLE_KEY, SAMPLES

_TEXT = ("dataset", "model", "setting", "decoding", "question_id", "answer", "gold", "finish_reason", "text")


class Imported(NamedTuple):
    """A samples table, how many answers of the file were left out of it, and what its reader should know."""

    table: pd.DataFrame
    left_out: int
    notes: tuple[str, ...] = ()


def import_table(
    file: Path,
    columns: Mapping[str, str],
    drop: Sequence[tuple[str, str]] = (),
    constants: Mapping[str, str] | None = None,
    grader: Grader | None = None,
) -> Imported:
    """The samples table in `file`, and how many of the file's rows were left out of it.

    `columns` maps a column of the samples table to the file's name for it, and replaces a column that has
    that name already. `drop` lists (column, value) of rows to leave out: a request that failed is not a wrong
    answer. `constants` fills columns that the file lacks. `grader` reads the answers in the column `text`.
    Without a column that numbers the answers to a question, they are numbered from 0 in the order of the
    rows. Raises BadInput.
    """
    rows = read_raw(file, tuple(columns.get(name, name) for name in _TEXT))
    found = f"found {', '.join(map(str, rows.columns))}"
    if len(rows.columns) == 1 and any(mark in str(rows.columns[0]) for mark in ";\t|"):
        raise BadInput(f"{file}: only one column, {found}: separate columns by commas")
    for name in ("question_id", *(("text", "gold") if grader else ("answer",))):
        if name not in columns and name not in rows:
            raise BadInput(f"{file}: no column {name!r}, {found}: say which it is with --map {name}=COLUMN")
    for column in (*columns.values(), *(column for column, _ in drop)):
        if column not in rows:
            raise BadInput(f"{file}: no column {column!r}, {found}")
    kept = rows[~_dropped(rows, drop)].reset_index(drop=True)
    if kept.empty:
        raise BadInput(f"{file}: --drop leaves out all {len(rows)} rows")
    renamed = [name for name in columns.values() if name not in columns]
    table = kept.drop(columns=renamed).assign(**{name: kept[source] for name, source in columns.items()})
    table = table.assign(**{name: text for name, text in (constants or {}).items() if name not in table})
    # Errors count the rows that were kept, and say so where that makes a difference.
    left_out = len(rows) - len(kept)
    where = Path(f"{file} (after {left_out} rows were left out)") if left_out else file
    if grader:
        table = _graded(table, grader, where)
    known = (*SAMPLES.columns, "text", "seed")
    notes = [
        f"column {name!r} is unknown and kept as it is; the known ones are {', '.join(known)}"
        for name in columns
        if name not in (*known, *columns.values())
    ]
    if "sample" not in table:
        key = [name for name in SAMPLE_KEY if name in table]
        table = table.assign(sample=table.groupby(key, dropna=False).cumcount())
        notes.append("no column 'sample': the answers to a question are numbered in the order of the rows")
    return Imported(as_samples(table, where), left_out, tuple(notes))


def _graded(table: pd.DataFrame, grader: Grader, where: Path) -> pd.DataFrame:
    """`table` with the answers that are read in its texts."""
    reasons = table["finish_reason"] if "finish_reason" in table else [None] * len(table)
    cells = []
    for number, (text, gold, reason) in enumerate(zip(table["text"], table["gold"], reasons, strict=True), 1):
        right = required_gold(_text(gold), f"{where}: row {number}")
        cells.append({"gold": right, **grader.verdict(_text(text), right, reason)})
    return table.assign(**pd.DataFrame(cells, index=table.index))


def _dropped(rows: pd.DataFrame, drop: Sequence[tuple[str, str]]) -> pd.Series[bool]:
    mask = pd.Series(False, index=rows.index)
    for column, value in drop:
        mask |= rows[column].map(_text) == value
    return mask


def _text(cell: object) -> str:
    """A cell as it would be typed on the command line: true, 1, or nothing for null."""
    if isinstance(cell, bool):
        return str(cell).lower()
    return "" if cell is None or cell is pd.NA or cell != cell else str(cell)
