"""Cells as files hold them turned into the declared types of a table.

    sample "3" → 3 · correct "1" → True · answer 18.0 → "18" · answer "" → null · tokens "3.5" → refused

A cell that cannot be turned is refused with file, row (1 = first row of data), column, what was found and
what was expected.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa

from results.commandline import BadInput

_SPELLED_NULLS = {"None", "nan", "NaN", "null", "<NA>"}
"""How programs write null into a CSV. Only columns that may be null read them so: a name may be "None"."""

_BOOLEANS = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}
_LARGEST_WHOLE = 2.0**53  # beyond it not every whole number is a double


def conform(frame: pd.DataFrame, schema: pa.DataFrameSchema, path: Path) -> pd.DataFrame:
    """A copy of `frame` whose declared columns have their declared types. Raises BadInput at a bad cell."""
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise BadInput(f"{path}: column {str(twice[0])!r} appears twice, expected once")
    typed = {
        name: _CONVERT[str(column.dtype)](frame[name], column, path)
        for name, column in schema.columns.items()
        if name in frame
    }
    return frame.reset_index(drop=True).assign(**typed)


def text_columns(schema: pa.DataFrameSchema) -> tuple[str, ...]:
    """Names of the declared columns that hold text, even where their cells look like numbers."""
    return tuple(name for name, column in schema.columns.items() if _CONVERT[str(column.dtype)] is _as_text)


def refusal(path: Path, row: int, column: str, found: object, expected: str) -> BadInput:
    """The error for one cell; `row` counts from 0, its message from 1."""
    nothing = found is None or found is pd.NA or found == "" or (isinstance(found, float) and np.isnan(found))
    shown = "nothing" if nothing else f"{str(found)!r:.80}"
    return BadInput(f"{path}: row {row + 1}, column {column!r}: found {shown}, expected {expected}")


def _as_text(values: pd.Series[Any], column: pa.Column, path: Path) -> pd.Series[Any]:
    values = values.reset_index(drop=True)
    if pd.api.types.is_float_dtype(values.dtype):  # whole numbers that a null has turned into floats
        values = values.astype("float64").map(_cell_text, na_action="ignore")
    elif values.dtype == object:
        nested = values.map(lambda cell: isinstance(cell, list | dict | tuple | np.ndarray)).to_numpy(bool)
        if nested.any():
            raise _refuse_first(nested, values, column, path, "text")
        values = values.map(_cell_text, na_action="ignore")
    text = values.astype("str")
    blank = text == ""
    return text.mask(blank | text.isin(_SPELLED_NULLS) if column.nullable else blank)


def _cell_text(cell: object) -> str:
    return f"{cell:.15g}" if isinstance(cell, float) else str(cell)


def _as_bool(values: pd.Series[Any], column: pa.Column, path: Path) -> pd.Series[Any]:
    values = values.reset_index(drop=True)
    if values.dtype == bool:
        return values
    mapped = values.astype("str").str.lower().map(_BOOLEANS)
    bad = mapped.isna().to_numpy()
    if bad.any():
        raise _refuse_first(bad, values, column, path, "true or false (or 1 or 0)")
    return mapped.astype(bool)


def _as_real(values: pd.Series[Any], column: pa.Column, path: Path) -> pd.Series[Any]:
    values = values.reset_index(drop=True)
    if pd.api.types.is_numeric_dtype(values.dtype) and values.dtype != bool:
        numbers = values.astype("float64")
        bad = np.isinf(numbers.to_numpy())
    else:
        text = values.astype("str")
        blank = text.isna() | (text == "") | text.isin(_SPELLED_NULLS)
        numbers = pd.to_numeric(text.mask(blank), errors="coerce").astype("float64")
        bad = (~blank & ~np.isfinite(numbers)).to_numpy()
    if bad.any():
        raise _refuse_first(bad, values, column, path, "a finite number")
    return numbers


def _as_whole(values: pd.Series[Any], column: pa.Column, path: Path) -> pd.Series[Any]:
    numbers = _as_real(values, column, path)
    bad = (numbers.notna() & ((numbers != numbers.round()) | (numbers.abs() > _LARGEST_WHOLE))).to_numpy()
    if bad.any():
        raise _refuse_first(bad, values, column, path, "a whole number (of at most 2^53)")
    return numbers.astype("Int64")


def _refuse_first(
    bad: np.ndarray[Any, Any], values: pd.Series[Any], column: pa.Column, path: Path, expected: str
) -> BadInput:
    row = int(bad.argmax())
    return refusal(path, row, str(column.name), values.iloc[row], expected)


_CONVERT: dict[str, Callable[[pd.Series[Any], pa.Column, Path], pd.Series[Any]]] = {
    str(pa.Column("str").dtype): _as_text,
    "bool": _as_bool,
    "Int64": _as_whole,
    "float64": _as_real,
}
