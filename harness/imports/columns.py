"""Answers sampled elsewhere, as a samples table: a table whose columns may have other names.

model,effort,question_id,sample,answer,gold,correct,completion_tokens,error      with setting=effort and
openai/gpt-5.1,low,2024-Mock-AIME-Problem-01,1,199,199,1,946,0                   tokens=completion_tokens
"""

from __future__ import annotations

import operator
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from harness.grader import AUTO, Grader, readers_that_read, required_gold
from harness.grading import choice, expression
from harness.grading.thoughts import OPEN, closes, only_thinks, opens
from harness.imports.formats import FORMATS, field_rows
from harness.imports.nested import one_answer_a_row, read_any, with_places
from results import BadInput, as_samples
from results.tables.columns import conform, refusal, score_cells, truth_cells
from results.tables.schemas import SAMPLE_KEY, SAMPLES, Kind

Pairs = Sequence[tuple[str, str]]

_TEXT = ("dataset", "model", "setting", "decoding", "question_id", "answer", "gold", "finish_reason", "text")
_LONG = 60  # characters, from which on an answer that is the whole text was not read from it
_THRESHOLD = re.compile(r"(>=|<=|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*")
_COMPARISONS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
_PLAIN = ("csv", "jsonl", "parquet")
_EXPRESSION = re.compile(r"\\[a-zA-Z]|\d\s*/\s*\d|\bsqrt\b|\^|\d%")
_NEEDED = ("question_id", "answer", "gold", "correct", "dataset", "model", "setting")
_MOST = 0.5
_FEW = 0.05
_TRIED = 50
"""Different cells of a column of which one must be what its name says."""
_NAMED = 5
"""Cells of a column that an error names."""
_KNOWN = (*SAMPLES.columns, "text", "seed")


class Imported(NamedTuple):
    """A samples table, how many answers of the file were left out of it, and what its reader should know."""

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

    `columns` maps a column of the samples table to the file's name for it, and replaces a column that has
    that name already. `given` does so too, or holds the value of all rows where the file has no column of
    that name. `drop` lists (column, value) of rows to leave out: a request that failed is not a wrong answer.
    An answer is right where a (column, value) of `correct_if` is found, if there are any, and null where it
    is one of `unreadable`. `grader` reads the answers in the column `text`. Without a column that numbers
    the answers to a question, they are numbered from 0 in the order of the rows. `kind` is one of FORMATS,
    or tells nothing. Raises BadInput.
    """
    columns, given = dict(columns or {}), dict(given or {})
    if unknown := [name for name in columns if name not in _KNOWN and not name.startswith("score_")]:
        raise BadInput(_unknown(unknown[0], columns[unknown[0]]))
    told = [column for column, _ in (*drop, *correct_if)]
    if kind in FORMATS:
        places = (*columns.values(), *given.values(), *told)
        rows, failed = field_rows(kind, file, places, columns, one_model="model" in given)
    else:
        rows, failed = read_any(file, tuple(columns.get(name, given.get(name, name)) for name in _TEXT)), 0
        rows = with_places(rows, (*columns.values(), *given.values(), *told))
    blank = (rows.isna() | (rows == "")).all(axis="columns")
    if blank.all():
        raise BadInput(f"{file}: no answers in it")
    rows, failed = rows[~blank], failed + int(blank.sum())
    columns |= {name: text for name, text in given.items() if text in rows}
    constants = {name: text for name, text in given.items() if text not in rows}
    ways = {name: f"--map {name}=COLUMN" for name in ("question_id", "text" if grader else "answer")}
    if "text" in rows and not grader:
        ways["answer"] += " or --grade READERS"
    verdicts = correct_if or {"correct", "score"} & {*rows, *columns}
    if verdicts and not grader and not {"answer"} & {*FORMATS.get(kind, ways), *columns}:
        rows = rows.drop(columns="gold", errors="ignore")  # the tool's file has verdicts and no answers
    if verdicts and "gold" not in (*rows, *columns, *constants) and not grader:
        del ways["answer"]
    elif grader or not verdicts:
        ways["gold"] = "--gold COLUMN (or the right answer itself)"
        ways["gold"] += "" if grader else " or --correct-if COLUMN=VALUE"
    absent = {name: way for name, way in ways.items() if name not in (*rows, *columns, *constants)}
    asked = [name for name in (*columns.values(), *told) if name not in rows]
    found = f"found: {', '.join(map(str, rows.columns))}"
    if len(rows.columns) == 1 and any(mark in str(rows.columns[0]) for mark in ";\t|"):
        raise BadInput(f"{file}: only one column, {found}; separate columns by commas")
    if absent or asked:
        said = f"{file}: no column {', '.join(map(repr, (*absent, *asked)))}; {found}"
        raise BadInput(f"{said}; name yours with {' '.join(absent.values())}" if absent else said)
    for column, value in drop:
        _must_be_found(file, f"--drop {column}={value}", value, rows[column])
    unscored = _without_number(rows, correct_if)
    kept = rows[~_matching(rows, drop) & ~unscored].reset_index(drop=True)
    if kept.empty:
        raise BadInput(f"{file}: --drop leaves out all {len(rows)} rows")
    for column, value in correct_if:
        _must_be_found(file, f"--correct-if {column}={value}", value, kept[column])
    left_out = len(rows) - len(kept) + failed
    renamed = [name for name in columns.values() if name not in (*columns, *_KNOWN)]
    table = kept.drop(columns=renamed).assign(**{name: kept[source] for name, source in columns.items()})
    table = table.assign(**constants)
    if correct_if:
        table["correct"] = _matching(kept, correct_if)
    table, notes = _own_columns_apart(one_answer_a_row(table, file, columns), {*columns, *given})
    if unscored.any():
        notes.append(f"{int(unscored.sum())} answers without a score are left out: they are not wrong ones")
    table = _scored(file, table, columns)
    if "setting" in table and table.columns.is_unique:
        unset = table["setting"].map(_text).str.strip() == ""
        table["setting"] = table["setting"].mask(unset, SAMPLES.defaults["setting"])
    if not correct_if and "correct" in table and table.columns.is_unique:
        _check_truths(file, columns.get("correct", "correct"), table["correct"])
    # Errors count the rows that were kept, and say so where that makes a difference.
    where = Path(f"{file} (after {left_out} rows were left out)") if left_out else file
    if grader:
        table = graded(table, grader, where)
        notes += thinking_notes(table)
    elif unreadable:
        for word in unreadable:
            _must_be_found(file, f"--unreadable {word}", word, table["answer"])
            table["answer"] = table["answer"].mask(_is(table["answer"], word), None)
    notes += [
        f"no column {constants[name]!r}: it is the {name} of all rows"
        for name in ("gold", "setting")
        if name in constants
    ]
    if not grader and kind in _PLAIN and not correct_if:
        table, compared = _as_expressions(table)
        notes += compared
    if "sample" not in table:
        key = [name for name in SAMPLE_KEY if name in table]
        table = table.assign(sample=table.groupby(key, dropna=False).cumcount())
        notes.append("no column 'sample': the answers to a question are numbered in the order of the rows")
    if unnamed := [name for name in ("dataset", "model") if name not in table]:
        options = " ".join(f"--{name} NAME" for name in unnamed)
        notes.append(f"no {' and no '.join(unnamed)} in the file: name what was sampled with {options}")
    samples = as_samples(table, where)
    if "gold" in constants and not (samples["answer"] == samples["gold"]).any():
        said = f"--gold {constants['gold']}: no column of that name, and no answer is this"
        raise BadInput(f"{file}: {said}: columns {', '.join(map(str, rows.columns))}")
    return Imported(samples, left_out, (*notes, *whole_text_notes(table)))


def _unknown(name: str, source: str) -> str:
    """What is wrong with --map NAME=SOURCE, where no samples table has a column NAME."""
    if source in _KNOWN:
        turned = shlex.quote(f"{source}={name}")
        return f"--map {name}={source}: the file's own name comes second: give --map {turned}"
    known = f"expected one of {', '.join(_KNOWN)}, or score_NAME"
    return f"--map: no samples table has a column {name!r}, {known}"


def graded(table: pd.DataFrame, grader: Grader, where: Path) -> pd.DataFrame:
    """`table` with the answers that are read in its texts, and its golds as the grader writes them."""
    grader.check_installed()
    if grader.readers == (AUTO,):
        grader = replace(grader, readers=readers_that_read(table["text"].map(_text).tolist(), grader)[0])
    cells = []
    columns = table.reindex(columns=["question_id", "text", "gold", "finish_reason", "labels"]).astype(object)
    opened = _opened(table)
    rows = enumerate(zip(columns.itertuples(index=False), opened, strict=True), start=1)
    for number, ((question, text, gold, reason, labels), thinks) in rows:
        place, names = f"{where}: row {number}, question {question}", _text(labels).split()
        right = required_gold(_text(gold), place, grader.grader, names)
        said = f"{OPEN}{_text(text)}" if thinks else _text(text)
        cells.append({"gold": right, **grader.verdict(said, right, reason, names)})
    return table.assign(**pd.DataFrame(cells, index=table.index))


def _opened(table: pd.DataFrame) -> list[bool]:
    """Whose thinking a prompt has opened and nothing in the text closes: it is all thought.

    A prompt says so itself; without prompts, most of the other texts do, which close what they never opened.
    """
    texts = table["text"].map(_text)
    silent = ~texts.map(lambda text: closes(text) or OPEN in text)
    if "prompt" in table:
        return (silent & table["prompt"].map(_text).map(opens)).tolist()
    closed_only = texts.map(lambda text: closes(text) and OPEN not in text and "<|channel|>" not in text)
    return (silent & bool(closed_only.mean() > _MOST)).tolist()


def thinking_notes(table: pd.DataFrame) -> list[str]:
    """How many texts end while they think."""
    thinking = table["text"].map(_text).map(only_thinks) | pd.Series(_opened(table), index=table.index)
    count = int(thinking.sum())
    return [f"{count} of {len(table)} texts end within their thinking: nothing was answered"] if count else []


def unread_note(table: pd.DataFrame) -> list[str]:
    """What readers would find in the texts whose answers were not read, where these are many."""
    if "text" not in table:
        return []
    unread = table["answer"].isna() | ("gold" not in table)
    golds = table.get("gold", pd.Series(dtype=object)).dropna()
    labels = len(golds) > 0 and golds.isin(choice.LETTERS).all()
    grader = Grader((AUTO,), grader="choice" if labels else "integer")
    texts = table["text"][unread].map(_text)
    if unread.mean() <= _FEW or not (texts != "").any():
        return []
    _, told = readers_that_read(texts.tolist(), grader)
    return [
        f"{len(texts)} of {len(table)} answers were not read; {told}: --grade with these, or auto, reads them"
    ]


def _as_expressions(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """`table` with equal expressions in one spelling, where answers are to be held against golds; notes."""
    if not {"answer", "gold"} <= {*table} or "correct" in table or not table.columns.is_unique:
        return table, []
    texts = [table[name].map(_text) for name in ("answer", "gold")]
    if not any(cells.drop_duplicates().str.contains(_EXPRESSION).any() for cells in texts):
        return table, []
    try:
        expression.require()
    except ModuleNotFoundError:
        return table, ["some answers are expressions, compared as text here: pip install '.[math]' first"]
    said = {}
    for answer, gold in {*zip(*texts, strict=True)}:
        value = expression.read_value(answer) if answer else None
        right = expression.as_written(gold)
        said[answer, gold] = right if value and right and expression.equal(right, value) else value
    answers = [said[pair] for pair in zip(*texts, strict=True)]
    golds = texts[1].map(lambda gold: expression.as_written(gold) or None)
    note = "answers and golds are compared as expressions: .5, 1/2 and \\frac{1}{2} are one answer"
    return table.assign(answer=pd.Series(answers, index=table.index, dtype=object), gold=golds), [note]


def whole_text_notes(table: pd.DataFrame) -> tuple[str, ...]:
    """A warning if answers are whole texts, as scorers leave them that look for the gold in the text."""
    if not {"answer", "text"} <= {*table}:
        return ()
    answers, texts = (table[name].fillna("").astype(str) for name in ("answer", "text"))
    whole = int(((answers.str.len() > _LONG) & (answers.str.lower() == texts.str.strip().str.lower())).sum())
    note = f"the answer is the whole text {whole} times: no two will be equal, so a vote needs --grade"
    return (f"{note} or a scorer that reads the answer",) if whole else ()


def _own_columns_apart(table: pd.DataFrame, named: Collection[str]) -> tuple[pd.DataFrame, list[str]]:
    """`table` with the file's own columns, which only share a name with ours, under another; and notes.

    Such is a column that nobody has named and that holds nothing of the kind: a `source` with names of books.
    """
    unnamed = [name for name in SAMPLES.columns if name in table and name not in named]
    blank = [name for name in unnamed if name in SAMPLES.defaults and table[name].isna().all()]
    table = table.drop(columns=blank)
    renamed = {}
    for name in unnamed:
        if name in table and name not in _NEEDED and table.columns.is_unique:
            cells = table[name].dropna().drop_duplicates()
            words = len(cells) and pd.to_numeric(cells.map(_text), errors="coerce").isna().all()
            if words and not any(_conforms(cells.iloc[[place]]) for place in range(len(cells[:_TRIED]))):
                renamed[name] = f"file_{name}"
    first = {name: table[name].dropna().iloc[0] for name in renamed}
    notes = [
        f"the file's column {name!r} (such as {first[name]!r:.40}) is not that of a samples table: it is "
        f"kept as {other!r}; if it is meant, correct it, or give --map {name}=COLUMN"
        for name, other in renamed.items()
    ]
    return table.rename(columns=renamed), notes


def _conforms(cell: pd.Series[Any]) -> bool:
    """Whether one cell of a column is what the samples table has in the column of that name."""
    try:
        conform(cell.to_frame(), SAMPLES, "")
    except BadInput:
        return False
    return True


def _scored(file: Path, table: pd.DataFrame, columns: Mapping[str, str]) -> pd.DataFrame:
    """`table` with its columns score_NAME as numbers. Raises BadInput where a mapped one has another cell.

    A column that is called so and has other cells is one of the file's own, and stays as it is.
    """
    for name in [name for name in map(str, table) if name.startswith("score_")]:
        cells, bad = score_cells(table[name])
        if not bad.any():
            table = table.assign(**{name: cells})
        elif name in columns:
            row = int(bad.argmax())
            raise refusal(file, row, columns[name], _text(table[name].iloc[row]), Kind.SCORE.value)
    return table


def _check_truths(file: Path, source: str, cells: pd.Series[Any]) -> None:
    """Raise BadInput, with the option that helps, where a cell of the column `source` is no truth value."""
    _, bad = truth_cells(cells)
    if bad.any():
        row = int(bad.argmax())
        found = _text(cells.iloc[row])
        option = f"--correct-if {source}=VALUE"
        raise refusal(
            file,
            row,
            source,
            found,
            f"true or false (or 1 or 0): say with {option} what a right answer has here",
        )


def _must_be_found(file: Path, option: str, value: str, cells: pd.Series[Any]) -> None:
    """Raise BadInput, naming some of what there is, where no cell of a column is `value`."""
    found = cells.map(_text)
    if not _is(cells, value).any():
        first = [f"{text!r:.40}" for text in found[found != ""].drop_duplicates()[:_NAMED]]
        raise BadInput(f"{file}: {option}: no row has this, found {', '.join(first) or 'nothing'}")


def _matching(rows: pd.DataFrame, pairs: Pairs) -> pd.Series[bool]:
    """Which rows hold the value of one of the (column, value) pairs, or are beyond one such as >=0.75."""
    mask = pd.Series(False, index=rows.index)
    for column, value in pairs:
        mask |= _is(rows[column], value)
    return mask


def _without_number(rows: pd.DataFrame, pairs: Pairs) -> pd.Series[bool]:
    """Which rows have nothing to hold against the thresholds among the pairs, and no other pair."""
    columns = [column for column, value in pairs if _THRESHOLD.fullmatch(value)]
    if len(columns) < len(pairs) or not columns:
        return pd.Series(False, index=rows.index)
    blank = [rows[column].map(_text).isin(["", "nan", "NaN", "None", "null"]) for column in columns]
    return pd.concat(blank, axis="columns").all(axis="columns")


def _is(cells: pd.Series[Any], value: str) -> pd.Series[bool]:
    """Which cells are the value: as it would be typed, in whatever case a truth is, and as a number."""
    found = cells.map(_text)
    if threshold := _THRESHOLD.fullmatch(value):
        compare = _COMPARISONS[threshold[1]]
        return pd.Series(
            compare(pd.to_numeric(found, errors="coerce"), float(threshold[2])), index=cells.index
        )
    same = found == value
    if value.lower() in ("true", "false"):
        same |= found.str.lower() == value.lower()
    with suppress(ValueError):
        numbers = found.replace({"true": "1", "false": "0"}) if cells.dtype in (bool, object) else found
        same |= pd.to_numeric(numbers, errors="coerce") == float(value)  # 1 beside a null is 1.0
    return same


def _text(cell: Any) -> str:
    """A cell as it would be typed on the command line: true, 1, or nothing for null."""
    if isinstance(cell, bool | np.bool_):
        return str(cell).lower()
    return "" if cell is None or cell is pd.NA or cell != cell else str(cell)
