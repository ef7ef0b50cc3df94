"""A row of a run's samples.jsonl: one answer, and everything known about it.

    {"question_id": "tiny-0000", "setting": "40", "sample": 0, "answer": "18", "gold": "18", "correct": true,
     "reader": "hashes", "tokens": 37, "finish_reason": "stop", "prompt_tokens": 71, "seed": 3391,
     "text": "...", "dataset": "tiny", "model": "tiny", "decoding": "sample"}

The samples table declares these columns in `results.tables.schemas`; a test compares the two.
"""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    import pandas as pd

NULL = type(None)
COLUMNS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("question_id", "setting", "gold", "finish_reason", "text"), (str,)),
    **dict.fromkeys(("dataset", "model", "decoding"), (str,)),
    **dict.fromkeys(("sample", "prompt_tokens"), (int,)),
    "correct": (bool,),
    **dict.fromkeys(("answer", "reader"), (str, NULL)),
    **dict.fromkeys(("tokens", "seed"), (int, NULL)),
}
"""The types that the cells of a row may have."""
ASKED_FOR: dict[str, tuple[type, ...]] = {
    **{"reasoning": (str,), "reasoning_tokens": (int, NULL)},
    "logprob": (float, NULL),
    "cached_tokens": (int, NULL),
    "labels": (str,),
    **dict.fromkeys(("stop_rule", "shard"), (str,)),
}
"""The types of cells that only some rows have: of models that think, of questions with choices, of shards, of
servers that report cached tokens, or of runs that ask for them. Scores (`tts judge`) are numbers or
null, in columns score_NAME."""
DECODINGS = {"sample", "greedy"}
COUNTS = ("sample", "tokens", "prompt_tokens")
"""Cells that are never below 0."""
PROBLEM = ("problem", "question")
"""Columns in which an imported table may have the question's text."""

Row = dict[str, Any]
Key = tuple[str, str, str]
"""question_id, setting, decoding"""


def key_of(row: Row) -> Key:
    """The key of the group within which a row's sample index is unique."""
    return row["question_id"], row["setting"], row["decoding"]


def problem_beside(row: Mapping[Any, Any]) -> str | None:
    """The question's text, which rows of imported tables may have; None if absent or blank."""
    texts = (text for name in PROBLEM if isinstance(text := row.get(name), str))
    return next((text for text in texts if text.strip()), None)


def rows_of(table: "pd.DataFrame", columns: Sequence[str]) -> list[Row]:
    """The rows of a table with those columns; None for missing cells."""
    cells = table.reindex(columns=list(columns)).astype(object)
    rows: Any = cells.where(cells.notna(), None).to_dict("records")
    return list(rows)


def is_row(cells: Row | None) -> TypeGuard[Row]:
    """Whether an object has the cells of a row, with the right types and ranges."""
    return are_rows([cells])


def are_rows(objects: Sequence[Row | None]) -> TypeGuard[Sequence[Row]]:
    """Whether all objects are rows; checking by column takes a fifth of the time for many rows."""
    rows = [row for row in objects if row is not None]
    if len(rows) < len(objects):
        return False
    named = set[str]().union(*rows)
    if not named.issuperset(COLUMNS):
        return not rows
    for name, types in COLUMNS.items():
        if not _types(name, rows).issubset(types):
            return False
    for name in named.intersection(ASKED_FOR):
        if not _types(name, [row for row in rows if name in row]).issubset(ASKED_FOR[name]):
            return False
    if not {row["decoding"] for row in rows} <= DECODINGS:
        return False
    return all((row[name] or 0) >= 0 for name in COUNTS for row in rows)


def _types(name: str, rows: Sequence[Row]) -> set[type]:
    """The types of a column's cells; only `KeyError` if a row lacks the column."""
    try:
        return set(map(type, map(itemgetter(name), rows)))
    except KeyError:
        return {KeyError}
