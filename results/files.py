"""Raw tables in and out of files: CSV, JSONL and Parquet with the same columns; writes are all or nothing.

    {"question_id": "7", "setting": "100", "sample": 0, "answer": "18", "gold": "18", "tokens": 87}

Nothing here knows what a column means (`results.tables` does): cells come out as text, numbers or null.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from results.commandline import BadInput

SUFFIXES = (".csv", ".jsonl", ".parquet")
_TEXT = pa.string()


def read_raw(path: Path, text_columns: tuple[str, ...]) -> pd.DataFrame:
    """All rows of one file; `text_columns` are read as text even where their cells look like numbers.

    Raises BadInput naming the file, and the row where one is to blame.
    """
    readers: dict[str, Callable[[Path, tuple[str, ...]], pd.DataFrame]] = {
        ".csv": _read_csv,
        ".jsonl": _read_jsonl,
        ".parquet": _read_parquet,
    }
    if not path.exists():
        raise BadInput(f"{path}: no such file")
    if path.suffix not in readers:
        raise BadInput(f"{path}: unknown kind of file {path.suffix!r}, expected one of {', '.join(SUFFIXES)}")
    if path.stat().st_size == 0:
        raise BadInput(f"{path}: the file is empty, expected a table with a header or one JSON object a line")
    return readers[path.suffix](path, text_columns)


def _read_csv(path: Path, _text_columns: tuple[str, ...]) -> pd.DataFrame:
    try:
        with path.open("rb") as file:
            header = pyarrow.csv.open_csv(file).schema.names
        table = pyarrow.csv.read_csv(
            path,
            parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(header, _TEXT)),
        )
    except pa.ArrowInvalid as error:
        raise BadInput(f"{path}: not a readable CSV table: {error}") from None
    return _to_pandas(table)


def _read_jsonl(path: Path, text_columns: tuple[str, ...]) -> pd.DataFrame:
    schema = pa.schema([(name, _TEXT) for name in text_columns])
    options = pyarrow.json.ParseOptions(explicit_schema=schema, newlines_in_values=False)
    try:
        table = pyarrow.json.read_json(
            path, pyarrow.json.ReadOptions(block_size=1 << 24), parse_options=options
        )
    except pa.ArrowInvalid:
        # A number where text belongs, or a broken line: the plain parser mends the one and names the other.
        return pd.DataFrame.from_records(list(_json_rows(path)))
    absent = [name for name in text_columns if table[name].null_count == len(table)]
    return (
        _to_pandas(table.drop_columns(absent))
        if len(table.drop_columns(absent).column_names)
        else pd.DataFrame()
    )


def _json_rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                raise BadInput(
                    f"{path}: row {number}: not JSON ({error}), expected one object a line"
                ) from None
            if not isinstance(row, dict):
                raise BadInput(
                    f"{path}: row {number}: found {type(row).__name__}, expected one JSON object a line"
                )
            yield row


def _read_parquet(path: Path, _text_columns: tuple[str, ...]) -> pd.DataFrame:
    try:
        return _to_pandas(pyarrow.parquet.read_table(path))
    except pa.ArrowInvalid as error:
        raise BadInput(f"{path}: not a readable Parquet file: {error}") from None


def _to_pandas(table: pa.Table) -> pd.DataFrame:
    frame: pd.DataFrame = table.to_pandas(integer_object_nulls=True)
    return frame


def write_raw(frame: pd.DataFrame, path: Path) -> None:
    """Write `frame` to `path` (the suffix names the kind); readers see the old file or the whole new one."""
    if path.suffix not in SUFFIXES:
        raise BadInput(f"{path}: unknown kind of file {path.suffix!r}, expected one of {', '.join(SUFFIXES)}")
    with replacing(path) as temporary:
        if path.suffix == ".csv":
            frame.to_csv(temporary, index=False, float_format="%.10g")
        elif path.suffix == ".jsonl":
            frame.to_json(temporary, orient="records", lines=True, force_ascii=False, double_precision=12)
        else:
            frame.to_parquet(temporary, index=False)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary neighbour of `path` that takes its place when the block ends without an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
