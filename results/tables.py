"""Read and write the samples, curves and forecast tables, refusing what breaks their contract.

    >>> read_samples("results/runs/tiny")          # a run's folder, or any file of the same columns
    dataset  model  setting  decoding  question_id  sample  answer  gold  correct  tokens
    tiny     tiny   40       sample    tiny-0000    0       18      18    True     37

A refused table is named with file, row (1 = first row of data), column, what was found and what was expected.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandera.errors
import pandera.pandas as pa

from results.commandline import BadInput
from results.files import read_raw, write_raw
from results.schemas import CURVES, DEFAULTS, FORECAST, SAMPLE_KEY, SAMPLES

_NULL_TEXT = {"", "None", "none", "null", "nan", "NaN", "NA", "N/A", "<NA>"}
_BOOLEANS = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}


def read_samples(*paths: str | Path) -> pd.DataFrame:
    """One samples table out of files or run folders (whose samples.jsonl is read), in the order given.

    `correct` is computed from `gold` (equal text) where the column is absent. Raises BadInput.
    """
    frames = [as_samples(_raw(path, SAMPLES), path) for path in _files(paths)]
    if len(frames) == 1:
        return frames[0]
    joined = pd.concat(frames, ignore_index=True)
    return _check(joined, SAMPLES, Path(", ".join(map(str, paths))))


def as_samples(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """`frame`, the rows read from `path` as they are or mapped, as a samples table. Raises BadInput."""
    return _check(_with_correct(_converted(frame, SAMPLES, path), path), SAMPLES, path)


def read_curves(*paths: str | Path) -> pd.DataFrame:
    """One curves table out of one or several files. Raises BadInput."""
    return _read(paths, CURVES)


def read_forecast(*paths: str | Path) -> pd.DataFrame:
    """One forecast table out of one or several files. Raises BadInput."""
    return _read(paths, FORECAST)


def kind_of(path: str | Path) -> str:
    """Which table a file holds, told by its columns: "samples", "curves" or "forecast". Raises BadInput."""
    columns = set(_raw(_files([path])[0], SAMPLES).columns)
    if "predictor" in columns:
        return "forecast"
    if {"N", "method"} <= columns:
        return "curves"
    if {"question_id", "sample"} <= columns:
        return "samples"
    raise BadInput(
        f"{path}: columns {', '.join(sorted(columns))} are none of samples (question_id, sample, …), "
        "curves (method, N, …) or forecast (predictor, …)"
    )


def write_samples(frame: pd.DataFrame, path: str | Path) -> None:
    """Check `frame` as a samples table and write it as a whole. Raises BadInput, then nothing is written."""
    write_raw(_check(_defaults(frame, SAMPLES), SAMPLES, Path(path)), Path(path))


def write_curves(frame: pd.DataFrame, path: str | Path) -> None:
    """Check `frame` as a curves table and write it as a whole. Raises BadInput, then nothing is written."""
    write_raw(_check(_defaults(frame, CURVES), CURVES, Path(path)), Path(path))


def write_forecast(frame: pd.DataFrame, path: str | Path) -> None:
    """Check `frame` as a forecast table and write it as a whole. Raises BadInput, then nothing is written."""
    write_raw(_check(_defaults(frame, FORECAST), FORECAST, Path(path)), Path(path))


def _read(paths: tuple[str | Path, ...], schema: pa.DataFrameSchema) -> pd.DataFrame:
    frames = [_check(_converted(_raw(path, schema), schema, path), schema, path) for path in map(Path, paths)]
    return pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]


def _files(paths: tuple[str | Path, ...] | list[str | Path]) -> list[Path]:
    """The files meant by `paths`: a folder stands for the samples table in it."""
    found = []
    for path in map(Path, paths):
        if path.is_dir():
            inside = [path / f"samples{suffix}" for suffix in (".jsonl", ".parquet", ".csv")]
            match = next((file for file in inside if file.exists()), None)
            if match is None:
                raise BadInput(f"{path}: no samples.jsonl (or .parquet, .csv) in this folder")
            path = match
        found.append(path)
    return found


def _raw(path: Path, schema: pa.DataFrameSchema) -> pd.DataFrame:
    text = tuple(name for name, column in schema.columns.items() if _CONVERT[str(column.dtype)] is _as_text)
    return read_raw(path, text)


def _converted(frame: pd.DataFrame, schema: pa.DataFrameSchema, path: Path) -> pd.DataFrame:
    """`frame` with every declared column present by default or converted to its declared type."""
    if frame.empty:
        raise BadInput(f"{path}: no rows, expected at least one row of the {schema.name} table")
    converted = {
        name: _CONVERT[str(column.dtype)](frame[name], path, name)
        for name, column in schema.columns.items()
        if name in frame
    }
    return _defaults(frame.assign(**converted), schema)


def _defaults(frame: pd.DataFrame, schema: pa.DataFrameSchema) -> pd.DataFrame:
    missing = {k: v for k, v in DEFAULTS[str(schema.name)].items() if k not in frame}
    frame = frame.assign(**missing)
    declared = [name for name in schema.columns if name in frame]
    return frame[[*declared, *(name for name in frame if name not in declared)]]


def _with_correct(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    if "correct" in frame:
        if "answer" in frame:
            wrong = (frame["answer"].isna() & frame["correct"]).to_numpy()
            if wrong.any():
                raise _refusal(
                    path, int(wrong.argmax()), "correct", True, "false where no answer could be read"
                )
        return frame
    if "gold" not in frame or "answer" not in frame:
        raise BadInput(f"{path}: no column 'correct', and no 'answer' and 'gold' to compute it from")
    if frame["gold"].isna().any():
        raise _refusal(path, int(frame["gold"].isna().to_numpy().argmax()), "gold", None, "the right answer")
    return frame.assign(correct=(frame["answer"] == frame["gold"]).fillna(False).astype(bool))


def _check(frame: pd.DataFrame, schema: pa.DataFrameSchema, path: Path) -> pd.DataFrame:
    try:
        return schema.validate(frame)
    except pandera.errors.SchemaError as error:
        raise _explain(error, frame, schema, path) from None


def _explain(
    error: pandera.errors.SchemaError, frame: pd.DataFrame, schema: pa.DataFrameSchema, path: Path
) -> BadInput:
    """Say in one line which row and column broke which declaration."""
    cases = error.failure_cases
    code = error.reason_code.name if error.reason_code else ""
    if code == "COLUMN_NOT_IN_DATAFRAME":
        return BadInput(f"{path}: no column {str(cases)!r}, expected in the {schema.name} table")
    if code == "DUPLICATES":
        key = list(schema.unique or SAMPLE_KEY)
        row = int(frame.duplicated(key).to_numpy().argmax())
        what = ", ".join(f"{name}={frame[name].iloc[row]}" for name in key)
        return BadInput(f"{path}: row {row + 1}: a second row for {what}, expected one")
    column = str(error.schema.name) if isinstance(error.schema, pa.Column) else str(error.check.name)
    expected = getattr(error.check, "error", None) or f"values of type {error.schema.dtype}"
    if code == "SERIES_CONTAINS_NULLS":
        expected = "a value (this column cannot be empty)"
    located = isinstance(cases, pd.DataFrame) and "index" in cases and cases["index"].notna().any()
    if not located:
        return BadInput(f"{path}: column {column!r}: expected {expected}")
    row = int(cases["index"].dropna().iloc[0])
    return _refusal(path, row, column, frame[column].iloc[row] if column in frame else None, expected)


def _refusal(path: Path, row: int, column: str, found: object, expected: str) -> BadInput:
    shown = "nothing" if found is None or pd.isna(found) else f"{str(found)!r:.80}"  # type: ignore[call-overload]
    return BadInput(f"{path}: row {row + 1}, column {column!r}: found {shown}, expected {expected}")


def _as_text(values: pd.Series[Any], _path: Path, _name: str) -> pd.Series[Any]:
    if pd.api.types.is_float_dtype(values.dtype):  # whole numbers that a null has turned into floats
        values = values.map(lambda cell: f"{cell:.15g}", na_action="ignore")
    text = values.map(_cell_text, na_action="ignore") if values.dtype == object else values
    text = text.astype("str")
    return text.mask(text.isin(_NULL_TEXT))


def _cell_text(cell: object) -> str:
    return f"{cell:.15g}" if isinstance(cell, float) else str(cell)


def _as_bool(values: pd.Series[Any], path: Path, name: str) -> pd.Series[Any]:
    if values.dtype == bool:
        return values
    mapped = values.astype("str").str.lower().map(_BOOLEANS)
    bad = mapped.isna().to_numpy()
    if bad.any():
        row = int(bad.argmax())
        raise _refusal(path, row, name, values.iloc[row], "true or false (or 1 or 0)")
    return mapped.astype(bool)


def _as_real(values: pd.Series[Any], path: Path, name: str) -> pd.Series[Any]:
    blank = values.isna() | values.astype("str").isin(_NULL_TEXT)
    numbers = pd.to_numeric(values.mask(blank), errors="coerce").astype("float64")
    bad = (~blank & ~np.isfinite(numbers)).to_numpy()
    if bad.any():
        row = int(bad.argmax())
        raise _refusal(path, row, name, values.iloc[row], "a finite number")
    return numbers


def _as_whole(values: pd.Series[Any], path: Path, name: str) -> pd.Series[Any]:
    numbers = _as_real(values, path, name)
    bad = (numbers.notna() & (numbers != numbers.round())).to_numpy()
    if bad.any():
        row = int(bad.argmax())
        raise _refusal(path, row, name, values.iloc[row], "a whole number")
    return numbers.astype("Int64")


_CONVERT = {
    str(pa.Column("str").dtype): _as_text,
    "bool": _as_bool,
    "Int64": _as_whole,
    "float64": _as_real,
}
