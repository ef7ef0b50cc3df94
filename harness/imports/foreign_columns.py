"""Imports a table of answers, whose columns may have other names, as a samples table.

model,effort,question_id,sample,answer,gold,correct,completion_tokens,error      with setting=effort and
openai/gpt-5.1,low,2024-Mock-AIME-Problem-01,1,199,199,1,946,0                   tokens=completion_tokens
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from harness.grader import Grader
from harness.imports.conditions import (
    Pairs,
    as_option,
    as_typed,
    is_value,
    matching,
    required,
    without_verdict,
)
from harness.imports.formats import FORMATS, field_rows
from harness.imports.nested import has_lists, one_answer_a_row, read_any, with_places
from harness.imports.reading import (
    as_expressions,
    graded,
    thinking_notes,
    whole_text_notes,
    with_endings,
)
from results import BadInput, as_samples
from results.tables.answers import one_spelling
from results.tables.columns import check_unique, conform, refuse, score_cells, text_cells, truth_cells
from results.tables.schemas import SAMPLE_KEY, SAMPLES, Kind
from results.terminal import plural

_TEXT = ("dataset", "model", "setting", "decoding", "question_id", "answer", "gold", "finish_reason", "text")
_PLAIN = ("csv", "jsonl", "parquet")
_OR_COLUMN = ("gold", "setting")
"""Options that name a column, or else give the value of all rows."""
_NEEDED = ("question_id", "answer", "gold", "correct", "dataset", "model", "setting")
_TRIED = 50
"""How many distinct cells of a column are tried; one must be valid in the samples table."""
_KNOWN = (*SAMPLES.columns, "text", "seed", "reasoning", "problem", "prompt", "labels")
_JUDGED = "\0"
"""Prefix of the names of the column copies that --correct-if and --drop look at."""


class Imported(NamedTuple):
    """A samples table, how many answers of the file were left out of it, and notes for the user."""

    table: pd.DataFrame
    left_out: int
    notes: tuple[str, ...] = ()


def import_table(
    file: Path,
    columns: Mapping[str, str] | None = None,
    drop: Pairs = (),
    given: Mapping[str, str] | None = None,
    correct_if: Pairs = (),
    unreadable: Collection[str] = (),
    grader: Grader | None = None,
    kind: str = "csv",
) -> Imported:
    """The samples table in `file`, and how many of the file's rows were left out of it.

    `columns` maps a column of the samples table to the file's name for it, and replaces a
    column that has that name already. `given` maps a column to the value of all rows, or, for those in
    `_OR_COLUMN`, to a column of the file if it has one of that name. `drop` lists (column, value) of rows
    to leave out: a request that failed is not a wrong answer. With `correct_if`, an answer is
    right if one of its (column, value) pairs matches. An answer in `unreadable` becomes null.
    `grader` reads the answers in the column `text`. Without a column that numbers the answers
    to a question, they are numbered from 0 in the order of the rows. `kind` has an effect only
    if it is one of FORMATS. Raises BadInput.
    """
    columns, given = dict(columns or {}), dict(given or {})
    _check_names(columns)
    used = (*columns.values(), *(column for column, _ in (*drop, *correct_if)))
    rows, failed = _rows(file, kind, columns, given, used)
    own = {name: given[name] for name in _OR_COLUMN if name in given}
    columns |= {name: text for name, text in own.items() if text in rows}
    constants = {name: text for name, text in given.items() if name not in columns}
    verdicts = bool(correct_if or {"correct", "score"} & {*rows, *columns})
    if verdicts and not grader and "answer" not in {*FORMATS.get(kind, ["answer"]), *columns}:
        rows = rows.drop(columns="gold", errors="ignore")  # the tool's file has verdicts and no answers
    _check_columns(file, rows, {*columns, *constants}, (*columns.values(), *used), grader, verdicts)

    of_answers = [pair for pair in drop if has_lists(rows[pair[0]])]
    kept = _undropped(file, rows, [pair for pair in drop if pair not in of_answers])
    judged = {f"{_JUDGED}{column}": column for column, _ in (*of_answers, *correct_if)}
    options = {f"{_JUDGED}{column}": f"--drop {column}" for column, _ in of_answers}
    options |= {f"{_JUDGED}{column}": f"--correct-if {column}" for column, _ in correct_if}
    table = _renamed(kept, columns).assign(**constants, **{name: kept[judged[name]] for name in judged})
    replaced = ["answer", "correct"] if grader else ["correct"] * bool(correct_if)
    table = table.drop(columns=replaced, errors="ignore")
    table, without, shared = one_answer_a_row(table, file, columns | options, judged)
    table, unknown, dropped = _judged(file, table, judged, of_answers, correct_if)
    left_out = len(rows) - len(kept) + failed + without + unknown + dropped
    # Row numbers in errors count the rows that were kept, and say so if any were left out.
    where = Path(f"{file} (after {left_out} rows were left out)") if left_out else file
    table, notes = _own_columns_apart(table, {*columns, *given})
    notes += shared
    if unknown:
        notes.append(f"left out: {plural(unknown, 'answer')} without a verdict, as unknown is not wrong")
    table = with_endings(_with_settings(_scored(file, table, columns)))
    if not correct_if and "correct" in table:
        _check_truths(file, columns.get("correct", "correct"), table["correct"])
    if grader:
        table = graded(table, grader, where)
        notes += thinking_notes(table)
    else:
        table = _with_nulls(file, table, unreadable)
    notes += [
        f"no column {constants[name]!r}: it is the {name} of all rows"
        for name in _OR_COLUMN
        if name in constants
    ]
    if not grader and kind in _PLAIN:
        table, compared = as_expressions(table)
        notes += compared
    table, numbered = _numbered(table)
    if "gold" in constants:
        answers, golds = (one_spelling(text_cells(table[name])[0]) for name in ("answer", "gold"))
        if not (answers == golds).any():
            refused = f"--gold {constants['gold']}: no column of that name, and no answer is this"
            raise BadInput(f"{file}: {refused}: columns {', '.join(map(str, rows.columns))}")
    samples = as_samples(table, where)
    return Imported(samples, left_out, (*notes, *numbered, *whole_text_notes(table)))


def _check_names(columns: Mapping[str, str]) -> None:
    """Raise BadInput if --map names a column that no samples table has."""
    for name, source in columns.items():
        if name in _KNOWN or name.startswith("score_"):
            continue
        if source in _KNOWN:
            turned = shlex.quote(f"{source}={name}")
            raise BadInput(f"--map {name}={source}: the file's own name comes second: give --map {turned}")
        known = f"expected one of {', '.join(_KNOWN)}, or score_NAME"
        raise BadInput(f"--map: no samples table has a column {name!r}, {known}")


def _rows(
    file: Path, kind: str, columns: Mapping[str, str], given: Mapping[str, str], used: Sequence[str]
) -> tuple[pd.DataFrame, int]:
    """The rows of the file that are not blank, and how many others it has."""
    if kind in FORMATS:
        places = (*used, *given.values())
        rows, failed = field_rows(kind, file, places, columns, one_model="model" in given)
    else:
        texts = tuple(columns.get(name, given.get(name, name)) for name in _TEXT)
        rows, failed = with_places(read_any(file, texts), (*used, *given.values())), 0
    check_unique(rows, file)
    blank = (rows.isna() | (rows == "")).all(axis="columns")
    if blank.all():
        raise BadInput(f"{file}: no answers in it")
    return rows[~blank], failed + int(blank.sum())


def _check_columns(
    file: Path,
    rows: pd.DataFrame,
    named: Collection[str],
    used: Sequence[str],
    grader: Grader | None,
    verdicts: bool,
) -> None:
    """Raise BadInput, with the options that help, if a required column or one of `used` is absent.

    `named` are the columns that options give; `verdicts`: the rows have verdicts
    already.
    """
    ways = {name: f"--map {name}=COLUMN" for name in ("question_id", "text" if grader else "answer")}
    if "answer_1" in rows and not grader:
        ways["answer"] = "--map 'answer=answer_*'"
    if "text" in (*rows, *named) and not grader:
        ways["answer"] += " or --grade auto"
    if verdicts and "gold" not in (*rows, *named) and not grader:
        del ways["answer"]
    elif grader or not verdicts:
        ways["gold"] = "--gold COLUMN (or the right answer itself)"
        ways["gold"] += "" if grader else " or --correct-if COLUMN=VALUE"
    needed = {name: way for name, way in ways.items() if name not in (*rows, *named)}
    absent = [*needed, *dict.fromkeys(name for name in used if name not in rows)]
    columns = f"found: {', '.join(map(str, rows.columns))}"
    if absent:
        message = f"{file}: no column {', '.join(map(repr, absent))}; {columns}"
        hint = f"; name yours with {' '.join(needed.values())}" if needed else ""
        raise BadInput(message + hint)


def _undropped(file: Path, rows: pd.DataFrame, drop: Pairs) -> pd.DataFrame:
    """The rows that `drop` leaves. Raises BadInput if none is left, or if a value is found nowhere."""
    dropped = pd.Series(False, index=rows.index)
    for column, value in drop:
        dropped |= required(file, f"--drop {column}={value}", rows[column], is_value(rows[column], value))
    if dropped.all():
        raise BadInput(f"{file}: --drop leaves out all {len(rows)} rows")
    return rows[~dropped].reset_index(drop=True)


def _judged(
    file: Path, table: pd.DataFrame, judged: Mapping[str, str], drop: Pairs, correct_if: Pairs
) -> tuple[pd.DataFrame, int, int]:
    """`table` with verdicts by `correct_if`; how many answers have no verdict, and how many are dropped.

    `judged` maps the copies of the columns that the options look at, which are removed, to the
    file's names. Raises BadInput as `_undropped` does.
    """
    cells = table[[*judged]].rename(columns=judged)
    cells[_JUDGED] = range(len(cells))
    kept = _undropped(file, cells, drop)
    for column, value in correct_if:
        asked = as_option("--correct-if", column, value)
        required(file, asked, kept[column], matching(kept, [(column, value)]))
    verdicts, unknown = matching(kept, correct_if), without_verdict(kept, correct_if)
    table = table.drop(columns=[*judged]).iloc[kept[_JUDGED]].reset_index(drop=True)
    if correct_if:
        table = table.assign(correct=verdicts)
    return table[~unknown].reset_index(drop=True), int(unknown.sum()), len(cells) - len(kept)


def _renamed(rows: pd.DataFrame, columns: Mapping[str, str]) -> pd.DataFrame:
    """The rows with the samples table's column names; a column mapped to two names appears twice."""
    foreign = [source for source in columns.values() if source not in (*columns, *_KNOWN)]
    return rows.drop(columns=foreign).assign(**{name: rows[source] for name, source in columns.items()})


def _with_settings(table: pd.DataFrame) -> pd.DataFrame:
    """`table` with the default setting in blank cells; 1.0 in a CSV becomes 1, as in other formats."""
    if "setting" not in table:
        return table
    told = table["setting"].map(as_typed).str.strip()
    whole = told.str.fullmatch(r"-?\d+\.0")
    settings = table["setting"].mask(whole, told.str.removesuffix(".0"))
    return table.assign(setting=settings.mask(told == "", SAMPLES.defaults["setting"]))


def _with_nulls(file: Path, table: pd.DataFrame, unreadable: Collection[str]) -> pd.DataFrame:
    """`table` with null for the answers in `unreadable`. Raises BadInput if one of these is found nowhere."""
    if unreadable and "answer" not in table:
        raise BadInput(f"{file}: no column 'answer', in which --unreadable looks")
    for word in unreadable:
        answers = table["answer"].astype(object)  # as floats, which allow nulls, they would be rounded
        found = required(file, f"--unreadable {word}", answers, is_value(table["answer"], word))
        table = table.assign(answer=answers.mask(found, None))
    return table


def _numbered(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """`table` with a number for each answer to a question, and notes on what the file lacks."""
    notes = []
    if "sample" not in table:
        key = [text_cells(table[name])[0] for name in SAMPLE_KEY if name in table]  # 1 is "1"
        table = table.assign(sample=table.groupby(key, dropna=False).cumcount())
        notes.append("no column 'sample': the answers to a question are numbered in the order of the rows")
    if unnamed := [name for name in ("dataset", "model") if name not in table]:
        options = " ".join(f"--{name} NAME" for name in unnamed)
        notes.append(f"no {' and no '.join(unnamed)} in the file: name it with {options}")
    return table, notes


def _own_columns_apart(table: pd.DataFrame, named: Collection[str]) -> tuple[pd.DataFrame, list[str]]:
    """`table` with columns that only share a name with one of ours renamed, and notes on them.

    Such a column is named by no option and holds no valid cell, for example a `source`
    with names of books.
    """
    unnamed = [name for name in SAMPLES.columns if name in table and name not in named]
    blank = [name for name in unnamed if name in SAMPLES.defaults and table[name].isna().all()]
    table = table.drop(columns=blank)
    renamed = {}
    for name in unnamed:
        if name in table and name not in _NEEDED:
            cells = table[name].dropna().drop_duplicates()
            if len(cells) and not any(_conforms(cells.iloc[[place]]) for place in range(len(cells[:_TRIED]))):
                renamed[name] = f"file_file_{name}" if f"file_{name}" in table else f"file_{name}"
    first = {name: as_typed(table[name].dropna().iloc[0]) for name in renamed}
    notes = [
        f"the file's column {name!r} (such as {first[name]!r:.40}) is not that of a samples table, which is "
        f"{SAMPLES.columns[name].kind.value}: it is kept as {other!r}; if it is meant, correct it, or give "
        f"--map {name}=COLUMN"
        for name, other in renamed.items()
    ]
    return table.rename(columns=renamed), notes


def _conforms(cell: pd.Series[Any]) -> bool:
    """Whether one cell is valid in the samples table's column of the same name."""
    try:
        conform(cell.to_frame(), SAMPLES, "")
    except BadInput:
        return False
    return True


def _scored(file: Path, table: pd.DataFrame, columns: Mapping[str, str]) -> pd.DataFrame:
    """`table` with its columns score_NAME as numbers. Raises BadInput if a mapped one has other cells.

    An unmapped column of that name with other cells is one of the file's own and stays as it
    is.
    """
    for name in [name for name in map(str, table) if name.startswith("score_")]:
        cells, bad = score_cells(table[name])
        if not bad.any():
            table = table.assign(**{name: cells})
        elif name in columns:
            refuse(bad, file, table[name].map(as_typed).rename(columns[name]), Kind.SCORE.value)
    return table


def _check_truths(file: Path, source: str, cells: pd.Series[Any]) -> None:
    """Raise BadInput, with the option that helps, if a cell of the column `source` is not a truth value."""
    _, bad = truth_cells(cells)
    numbers = pd.to_numeric(cells[bad].map(as_typed), errors="coerce").notna().head(1).any()
    option = f"--correct-if '{source}>=NUMBER'" if numbers else f"--correct-if {source}=VALUE"
    expected = f"true or false (or 1 or 0): say with {option} what a right answer has here"
    refuse(bad, file, cells.map(as_typed).rename(source), expected)
