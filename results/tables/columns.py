"""Converts the cells of a file to the declared types of a table.

    sample "3" → 3 · correct "1" → True · answer 18.0 → "18" · answer "" → null · tokens "3.5" → refused

A cell that cannot be converted is refused with file, row (1 = first row of data), column, what was found and
what was expected.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pyarrow
from numpy.typing import NDArray

from results.commandline import BadInput

_SPELLED_NULLS = {"None", "nan", "NaN", "null", "<NA>"}
"""How programs write null into a CSV. Only columns that may be null read them so: a name may be "None"."""

_BOOLEANS = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}
_LARGEST_WHOLE = 2.0**53  # beyond it not every whole number is a double

Converted = tuple["pd.Series[Any]", NDArray[np.bool_], str]
"""The converted cells, which of them are bad, and what was expected of those."""


def conform(frame: pd.DataFrame, schema: pa.DataFrameSchema, name: str | Path) -> pd.DataFrame:
    """A copy of `frame` whose declared columns have their declared types.

    Raises BadInput, which calls the table `name`, at the first cell that cannot be converted.
    """
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise BadInput(f"{name}: column {str(twice[0])!r} appears twice, expected once")
    frame = frame.reset_index(drop=True)
    typed = {}
    for column, declared in schema.columns.items():
        if column in frame:
            convert = _CONVERTERS[str(declared.dtype)]
            typed[column], bad, expected = convert(frame[column], bool(declared.nullable))
            if bad.any():
                row = int(bad.argmax())
                raise refusal(name, row, str(column), frame[column].iloc[row], expected)
    return frame.assign(**typed)


def text_columns(schema: pa.DataFrameSchema) -> tuple[str, ...]:
    """Names of the declared columns that hold text, even where their cells look like numbers."""
    return tuple(name for name, column in schema.columns.items() if _CONVERTERS[str(column.dtype)] is _text)


def arrow_schema(schema: pa.DataFrameSchema) -> pyarrow.Schema:
    """The declared columns as Arrow reads them from a file of this project."""
    kinds = {"bool": pyarrow.bool_(), "Int64": pyarrow.int64(), "float64": pyarrow.float64()}
    types = {name: kinds.get(str(column.dtype), pyarrow.string()) for name, column in schema.columns.items()}
    return pyarrow.schema(types)


def refusal(name: str | Path, row: int, column: str, found: object, expected: str) -> BadInput:
    """The error for one cell of the table `name`; `row` counts from 0, its message from 1."""
    nothing = found is None or found is pd.NA or found == "" or (isinstance(found, float) and np.isnan(found))
    shown = "nothing" if nothing else f"{str(found)!r:.80}"
    return BadInput(f"{name}: row {row + 1}, column {column!r}: found {shown}, expected {expected}")


def _text(values: pd.Series[Any], nullable: bool) -> Converted:
    bad = np.zeros(len(values), bool)
    if values.dtype == object or pd.api.types.is_float_dtype(values.dtype):
        bad = values.map(lambda cell: isinstance(cell, list | dict | tuple | np.ndarray)).to_numpy(bool)
        values = values.map(_cell_text, na_action="ignore")
    text = values.astype("str")
    blank = text == ""
    return text.mask(blank | text.isin(_SPELLED_NULLS) if nullable else blank), bad, "text"


def _cell_text(cell: object) -> str:
    """A null turns whole numbers into floats: 18.0 is "18"."""
    return f"{cell:.15g}" if isinstance(cell, float) else str(cell)


def _boolean(values: pd.Series[Any], _nullable: bool) -> Converted:
    mapped = values.astype("str").str.lower().map(_BOOLEANS)
    bad = mapped.isna().to_numpy()
    return mapped.where(~bad, False).astype(bool), bad, "true or false (or 1 or 0)"


def _real(values: pd.Series[Any], _nullable: bool) -> Converted:
    if pd.api.types.is_numeric_dtype(values.dtype) and values.dtype != bool:
        numbers = values.astype("float64")
        bad = np.isinf(numbers.to_numpy())
    else:
        text = values.astype("str")
        blank = text.isna() | (text == "") | text.isin(_SPELLED_NULLS)
        numbers = pd.to_numeric(text.mask(blank), errors="coerce").astype("float64")
        bad = (~blank & ~np.isfinite(numbers)).to_numpy()
    return numbers, bad, "a finite number"


def _whole(values: pd.Series[Any], nullable: bool) -> Converted:
    numbers, bad, expected = _real(values, nullable)
    if bad.any():
        return numbers, bad, expected
    bad = (numbers.notna() & ((numbers != numbers.round()) | (numbers.abs() > _LARGEST_WHOLE))).to_numpy()
    return numbers.where(~bad).astype("Int64"), bad, "a whole number (of at most 2^53)"


_CONVERTERS: dict[str, Callable[[pd.Series[Any], bool], Converted]] = {
    str(pa.Column("str").dtype): _text,
    "bool": _boolean,
    "Int64": _whole,
    "float64": _real,
}
