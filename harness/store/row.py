"""A row of a run's samples.jsonl: one answer, and everything that is known of it.

    {"question_id": "tiny-0000", "setting": "40", "sample": 0, "answer": "18", "gold": "18", "correct": true,
     "reader": "hashes", "tokens": 37, "finish_reason": "stop", "prompt_tokens": 71, "seed": 3391,
     "text": "...", "dataset": "tiny", "model": "tiny", "decoding": "sample"}

What the samples table declares of these columns is in `results.tables.schemas`; a test compares the two.
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
"""Those of the cells that only some rows have: of models that think, of questions with choices, of shards, of
servers that tell what they had cached, or of runs that ask for them. Scores (`tts judge`) are numbers or
null, in columns score_NAME."""
DECODINGS = {"sample", "greedy"}
COUNTS = ("sample", "tokens", "prompt_tokens")
"""Cells that are never below 0."""
PROBLEM = ("problem", "question")
"""Where an imported table may have the text of the question."""

Row = dict[str, Any]
Key = tuple[str, str, str]
"""question_id, setting, decoding"""


def key_of(row: Row) -> Key:
    """What the sample indices of a row are counted within."""
    return row["question_id"], row["setting"], row["decoding"]


def problem_beside(row: Mapping[Any, Any]) -> str | None:
    """The text of the question, which rows of imported tables may have."""
    return next((text for name in PROBLEM if isinstance(text := row.get(name), str)), None)


def rows_of(table: "pd.DataFrame", columns: Sequence[str]) -> list[Row]:
    """The rows of a table by those columns, None where they have none."""
    cells = table.reindex(columns=list(columns)).astype(object)
    rows: Any = cells.where(cells.notna(), None).to_dict("records")
    return list(rows)


def is_row(cells: Row | None) -> TypeGuard[Row]:
    """Whether an object has the cells of a row, each of its type and range."""
    return are_rows([cells])


def are_rows(objects: Sequence[Row | None]) -> TypeGuard[Sequence[Row]]:
    """Whether all of the objects are rows; looked at column by column, which for many takes a fifth."""
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
    """Those of the cells of a column, and `KeyError` where a row has none."""
    try:
        return set(map(type, map(itemgetter(name), rows)))
    except KeyError:
        return {KeyError}
