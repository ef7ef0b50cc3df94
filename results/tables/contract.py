"""Read and write the samples, curves and forecast tables, refusing what breaks their contract.

    >>> read_samples("results/runs/tiny")          # a run's folder, or any file of the same columns
    dataset  model  setting  decoding  question_id  sample  answer  gold  correct  tokens
    tiny     tiny   40       sample    tiny-0000    0       18      18    True     37

A refused table is named with file, row (1 = first row of data), column, what was found and what was expected.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pandera.errors
import pandera.pandas as pa

from results.commandline import BadInput
from results.tables.columns import conform, refusal, text_columns
from results.tables.files import read_raw, write_raw
from results.tables.origins import check_origins
from results.tables.schemas import CURVES, DEFAULTS, FORECAST, SAMPLES


def read_samples(*paths: str | Path) -> pd.DataFrame:
    """One samples table out of files or run folders (whose samples.jsonl is read), in the order given.

    `correct` is computed from `gold` (equal text) where the column is absent. Raises BadInput, also where
    runs have a curve in common and were sampled in different ways.
    """
    files = sample_files(*paths)
    check_origins(files)
    return _read(files, SAMPLES)


def as_samples(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """`frame`, the rows read from `path` as they are or mapped, as a samples table. Raises BadInput."""
    return _checked(frame, SAMPLES, path)


def read_curves(*paths: str | Path) -> pd.DataFrame:
    """One curves table out of one or several files. Raises BadInput."""
    return _read(list(map(Path, paths)), CURVES)


def read_forecast(*paths: str | Path) -> pd.DataFrame:
    """One forecast table out of one or several files. Raises BadInput."""
    return _read(list(map(Path, paths)), FORECAST)


def kind_of(path: str | Path) -> str:
    """Which table a file holds, told by its columns: "samples", "curves" or "forecast". Raises BadInput."""
    columns = set(read_raw(sample_files(path)[0], text_columns(SAMPLES)).columns)
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
    write_raw(_checked(frame, SAMPLES, Path(path)), Path(path))


def write_curves(frame: pd.DataFrame, path: str | Path) -> None:
    """Check `frame` as a curves table and write it as a whole. Raises BadInput, then nothing is written."""
    write_raw(_checked(frame, CURVES, Path(path)), Path(path))


def write_forecast(frame: pd.DataFrame, path: str | Path) -> None:
    """Check `frame` as a forecast table and write it as a whole. Raises BadInput, then nothing is written."""
    write_raw(_checked(frame, FORECAST, Path(path)), Path(path))


def _read(files: list[Path], schema: pa.DataFrameSchema) -> pd.DataFrame:
    frames = [_checked(read_raw(file, text_columns(schema)), schema, file) for file in files]
    if len(frames) == 1:
        return frames[0]
    joined = pd.concat(frames, ignore_index=True)
    again = joined.duplicated(list(schema.unique or ())).to_numpy()
    if again.any():  # each file was checked for itself: the first of the two rows is in an earlier file
        row = int(again.argmax())
        starts = np.cumsum([0, *map(len, frames)])
        origin = int(np.searchsorted(starts, row, side="right")) - 1
        raise _second_row(joined, row, schema, files[origin], row - int(starts[origin]))
    return joined


def sample_files(*paths: str | Path) -> list[Path]:
    """The files meant by `paths`: a folder stands for the samples table in it. Raises BadInput."""
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


def _checked(frame: pd.DataFrame, schema: pa.DataFrameSchema, path: Path) -> pd.DataFrame:
    """The rows with every declared column converted to its type, present by default, and checked."""
    if frame.empty:
        raise BadInput(f"{path}: no rows, expected at least one row of the {schema.name} table")
    frame = conform(frame, schema, path)
    if schema is SAMPLES:
        frame = _with_correct(frame, path)
    frame = _defaults(frame, schema)
    try:
        return schema.validate(frame)
    except pandera.errors.SchemaError as error:
        raise _explain(error, frame, schema, path) from None


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
                raise refusal(
                    path, int(wrong.argmax()), "correct", True, "false where no answer could be read"
                )
        return frame
    if "gold" not in frame or "answer" not in frame:
        raise BadInput(f"{path}: no column 'correct', and no 'answer' and 'gold' to compute it from")
    if frame["gold"].isna().any():
        raise refusal(path, int(frame["gold"].isna().to_numpy().argmax()), "gold", None, "the right answer")
    return frame.assign(correct=(frame["answer"] == frame["gold"]).fillna(False).astype(bool))


def _explain(
    error: pandera.errors.SchemaError, frame: pd.DataFrame, schema: pa.DataFrameSchema, path: Path
) -> BadInput:
    """Say in one line which row and column broke which declaration."""
    cases = error.failure_cases
    code = error.reason_code.name if error.reason_code else ""
    if code == "COLUMN_NOT_IN_DATAFRAME":
        return BadInput(f"{path}: no column {str(cases)!r}, expected in the {schema.name} table")
    if code == "DUPLICATES":
        row = int(frame.duplicated(list(schema.unique or ())).to_numpy().argmax())
        return _second_row(frame, row, schema, path, row)
    column = str(error.schema.name) if isinstance(error.schema, pa.Column) else str(error.check.name)
    expected = getattr(error.check, "error", None) or f"values of type {error.schema.dtype}"
    if code == "SERIES_CONTAINS_NULLS":
        expected = "a value (this column cannot be empty)"
    located = isinstance(cases, pd.DataFrame) and "index" in cases and cases["index"].notna().any()
    if not located:
        return BadInput(f"{path}: column {column!r}: expected {expected}")
    row = int(cases["index"].dropna().iloc[0])
    return refusal(path, row, column, frame[column].iloc[row] if column in frame else None, expected)


def _second_row(
    frame: pd.DataFrame, row: int, schema: pa.DataFrameSchema, path: Path, row_in_file: int
) -> BadInput:
    what = ", ".join(f"{name}={frame[name].iloc[row]}" for name in schema.unique or ())
    return BadInput(f"{path}: row {row_in_file + 1}: a second row for {what}, expected one")
