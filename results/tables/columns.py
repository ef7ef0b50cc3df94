"""Converts the cells of a file to the types that a table declares, and checks them.

    sample "3" → 3 · correct "1" → True · answer 18.0 → "18" · answer "" → null · sample −1 → refused

The error for the first bad cell gives the file, the row (1 = first row of data), the column, what was found
and what was expected.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pyarrow
from numpy.typing import NDArray

from results.commandline import BadInput
from results.tables.files import LARGEST_WHOLE
from results.tables.schemas import Column, Kind, Schema

TEXT = pd.StringDtype(na_value=np.nan)
"""The type of text columns, with NaN as null: the "str" of pandas 3, which has no name in pandas 2."""

_NUMBERLESS = {"", "None", "nan", "NaN", "null", "<NA>"}
"""How programs write a missing number to a CSV."""

_BOOLEANS = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}

Cells: TypeAlias = "pd.Series[Any]"
Bad = NDArray[np.bool_]


def check_unique(frame: pd.DataFrame, name: str | Path) -> None:
    """Raise BadInput, which calls the table `name`, if two of its columns have the same name."""
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise BadInput(f"{name}: column {str(twice[0])!r} appears twice, expected once")


def conform(frame: pd.DataFrame, table: Schema, name: str | Path) -> pd.DataFrame:
    """A copy of `frame` with declared columns converted to their types and checked.

    Raises BadInput, which calls the table `name`, at the first cell that is bad.
    """
    check_unique(frame, name)
    frame = frame.reset_index(drop=True)
    declared = {column: one for column, one in table.columns.items() if column in frame}
    return frame.assign(**{column: _typed(frame[column], one, name) for column, one in declared.items()})


def text_columns(table: Schema) -> tuple[str, ...]:
    """Names of the columns declared as text, even if their cells look like numbers."""
    return tuple(name for name, column in table.columns.items() if column.kind is Kind.TEXT)


def arrow_schema(table: Schema) -> pyarrow.Schema:
    """The Arrow types of the declared columns, for files of this project."""
    kinds = {
        Kind.TEXT: pyarrow.string(),
        Kind.WHOLE: pyarrow.int64(),
        Kind.REAL: pyarrow.float64(),
        Kind.BOOLEAN: pyarrow.bool_(),
        Kind.SCORE: pyarrow.float64(),
    }
    return pyarrow.schema({name: kinds[column.kind] for name, column in table.columns.items()})


def refusal(name: str | Path, row: int, column: str, cell: object, expected: str) -> BadInput:
    """The error for one cell of the table `name`; `row` counts from 0, the message from 1."""
    nothing = cell is None or cell is pd.NA or (isinstance(cell, str) and not cell)
    nothing = nothing or (isinstance(cell, float) and np.isnan(cell))
    shown = "nothing" if nothing else f"{str(cell)!r:.80}"
    return BadInput(f"{name}: row {row + 1}, column {column!r}: found {shown}, expected {expected}")


def refuse(bad: Bad, name: str | Path, cells: Cells, expected: str) -> None:
    """Raise BadInput for the first bad cell, if any, of one column of the table `name`."""
    if bad.any():
        row = int(bad.argmax())
        raise refusal(name, row, str(cells.name), cells.iloc[row], expected)


def _typed(given: Cells, declared: Column, name: str | Path) -> Cells:
    """One column, converted and checked. Raises BadInput at its first bad cell."""
    cells, bad = _CONVERTERS[declared.kind](given)
    refuse(bad, name, given, declared.kind.value)
    empty = cells.isna().to_numpy(bool)
    if not declared.nullable:
        refuse(empty, name, given, "a value (this column cannot be empty)")
    for limit in declared.limits:
        held = limit.holds(cells).to_numpy(bool, na_value=False)
        refuse(~(held | empty), name, given, limit.expected)
    return cells


def text_cells(values: Cells) -> tuple[Cells, Bad]:
    """Cells as unchanged text, and which are not text; only empty cells are null, not "None"."""
    bad = np.zeros(len(values), bool)
    if pd.api.types.is_float_dtype(values.dtype):
        if values.dtype in ("float16", "float32"):  # by the digits they show: 0.1, not 0.10000000149
            values = pd.to_numeric(values.astype(TEXT))
        values = values.map(_cell_text, na_action="ignore")
    elif values.dtype == object:
        bad = values.map(_is_no_text).to_numpy(bool)
        values = values.mask(bad).map(_cell_text, na_action="ignore")
    text = values.astype(TEXT)
    return text.mask(text == ""), bad


def _is_no_text(cell: object) -> bool:
    try:
        if isinstance(cell, bytes):
            cell.decode()
        elif isinstance(cell, str):
            cell.encode()
    except UnicodeError:  # such as a lone surrogate, half a character
        return True
    return isinstance(cell, list | dict | tuple | set | np.ndarray)


def _cell_text(cell: object) -> str:
    """The cell as text: 18.0 is "18", as a null turns whole numbers into floats."""
    if isinstance(cell, bytes):
        return cell.decode()
    if isinstance(cell, np.floating):
        cell = float(str(cell))
    if not isinstance(cell, float):
        return str(cell)
    if not cell.is_integer():
        return f"{cell:.15g}"
    return str(int(cell)) if abs(cell) <= LARGEST_WHOLE else repr(float(cell))


def truth_cells(values: Cells) -> tuple[Cells, Bad]:
    """Cells as booleans, and which of them are neither true nor false."""
    if values.dtype == bool:
        return values, np.zeros(len(values), bool)
    mapped = values.astype(TEXT).str.strip().str.lower().map(_BOOLEANS)
    bad = mapped.isna().to_numpy()
    return mapped.where(~bad, False).astype(bool), bad


def _numbers(values: Cells) -> tuple[Cells, Bad]:
    """Cells as floats, which may be infinite, and which of them are not numbers."""
    if pd.api.types.is_numeric_dtype(values.dtype) and values.dtype != bool:
        return values.astype("float64"), np.zeros(len(values), bool)
    text = values.astype(TEXT)
    blank = text.isna() | text.isin(_NUMBERLESS)
    numbers = pd.to_numeric(text.mask(blank), errors="coerce").astype("float64")
    return numbers, (~blank & numbers.isna()).to_numpy()


def _real(values: Cells) -> tuple[Cells, Bad]:
    numbers, bad = _numbers(values)
    return numbers, bad | np.isinf(numbers.to_numpy())


def score_cells(values: Cells) -> tuple[Cells, Bad]:
    """Scores as floats (they may be infinite), and which cells are not numbers; true is 1, false is 0."""
    if not pd.api.types.is_float_dtype(values.dtype):
        text = values.astype(TEXT)
        values = text.mask(text.isin(["True", "true"]), "1").mask(text.isin(["False", "false"]), "0")
    return _numbers(values)


def _whole(values: Cells) -> tuple[Cells, Bad]:
    numbers, bad = _real(values)
    uneven = (numbers != numbers.round()) | (numbers.abs() > LARGEST_WHOLE)
    bad = bad | (numbers.notna() & uneven).to_numpy()
    return numbers.where(~bad).astype("Int64"), bad


_CONVERTERS: dict[Kind, Callable[[Cells], tuple[Cells, Bad]]] = {
    Kind.TEXT: text_cells,
    Kind.WHOLE: _whole,
    Kind.REAL: _real,
    Kind.BOOLEAN: truth_cells,
    Kind.SCORE: score_cells,
}
"""For each kind, a function that returns the converted cells and which are bad."""
