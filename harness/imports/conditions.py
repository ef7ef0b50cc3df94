"""Selects the rows of a table that an option names: `--drop error=1`, `--correct-if "score>=0.75"`."""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from results import BadInput
from results.canonical import canonical, canonical_texts

Pairs = Sequence[tuple[str, str]]

_THRESHOLD = re.compile(r"(>=|<=|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*")
_COMPARISONS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
_NOTHING = ("", "nan", "NaN", "None", "null")
_NAMED = 5
"""Most cells of a column that an error lists."""


def required(file: Path, option: str, cells: pd.Series[Any], found: pd.Series[bool]) -> pd.Series[bool]:
    """`found`, unchanged; raises BadInput listing some of the cells if it selects none."""
    if not found.any():
        values = cells.map(as_typed)
        first = [f"{text!r:.40}" for text in values[values != ""].drop_duplicates()[:_NAMED]]
        raise BadInput(f"{file}: {option}: no row has this, found {', '.join(first) or 'nothing'}")
    return found


def as_option(option: str, column: str, value: str) -> str:
    """The option as it was given: `--correct-if mark=ok`, `--correct-if points>=0.75`."""
    return f"{option} {column}{'' if value.startswith(('<', '>')) else '='}{value}"


def matching(rows: pd.DataFrame, pairs: Pairs) -> pd.Series[bool]:
    """Which rows match one of the (column, value) pairs: a value, or a threshold such as >=0.75."""
    mask = pd.Series(False, index=rows.index)
    for column, value in pairs:
        if threshold := _THRESHOLD.fullmatch(value):
            numbers = pd.to_numeric(rows[column].map(as_typed), errors="coerce")
            mask |= _COMPARISONS[threshold[1]](numbers, float(threshold[2]))
        else:
            mask |= is_value(rows[column], value)
    return mask


def without_verdict(rows: pd.DataFrame, pairs: Pairs) -> pd.Series[bool]:
    """Which rows are blank in every column of the pairs: no number for a threshold, no text for a value.

    A row that matches a pair has a verdict, even if the value asked for is blank.
    """
    unknown = ~matching(rows, pairs) & bool(pairs)
    for column, value in pairs:
        cells = rows[column].map(as_typed)
        if _THRESHOLD.fullmatch(value):
            unknown &= pd.to_numeric(cells, errors="coerce").isna()
        else:
            unknown &= cells.isin(_NOTHING)
    return unknown


def is_value(cells: pd.Series[Any], value: str) -> pd.Series[bool]:
    """Which cells equal the value, as typed text or as a number; true and false in any case."""
    values, value = cells.map(as_typed).str.strip(), value.strip()
    same = values == value
    if value.lower() in ("true", "false"):
        same |= values.str.lower() == value.lower()
    with suppress(ValueError):
        float(value)  # only checks: compared as floats, different large numbers could be equal
        numbers = values.replace({"true": "1", "false": "0"}) if cells.dtype in (bool, object) else values
        same |= canonical_texts(numbers) == canonical(value)  # 1 beside a null is 1.0
    return same


def as_typed(cell: Any) -> str:
    """A cell as it would be typed on the command line: true, 1, or nothing for null."""
    if isinstance(cell, bool | np.bool_):
        return str(cell).lower()
    return "" if pd.api.types.is_scalar(cell) and pd.isna(cell) else str(cell)
