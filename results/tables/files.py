"""Reads tables from CSV, JSONL or Parquet, and writes these or LaTeX; files are replaced atomically.

    {"question_id": "7", "setting": "100", "sample": 0, "answer": "18", "gold": "18", "tokens": 87}

Cells are read as text, numbers or null; what a column means is up to `contract.py`.
"""

import csv
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import pandas as pd
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from results.commandline import BadInput
from results.tables.formulas import as_told, harmless
from results.terminal import in_texts, visible

SUFFIXES = (".csv", ".jsonl", ".parquet")
WRITTEN = (*SUFFIXES, ".tex")
"""Kinds of files that a table can be written to."""
_TEXT = pa.string()
RECORD = "run.json"
"""The file in a run's folder that says how its answers were sampled."""

LARGEST_WHOLE = 2**53
"""Above it, not every whole number can be stored as a double."""
_BLOCK = 1 << 24  # bytes read at a time; JSON rows longer than this are left to the plain parser

_OTHER_KINDS = {
    b"\x1f\x8b": "compressed with gzip: unpack it first",
    b"PK\x03\x04": "a zip archive or a workbook: unpack it, or save it as CSV",
    b"\xff\xfe": "UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "UTF-16 text: save it as UTF-8",
    b"PAR1": "a Parquet table: name it .parquet",
}
"""First bytes of files that are not UTF-8 text, and what to do with such a file."""


def check_suffix(path: Path, kinds: Sequence[str] = SUFFIXES) -> None:
    """Raise BadInput unless `path` ends in one of the `kinds`."""
    if path.suffix not in kinds:
        raise BadInput(f"{path}: unknown kind of file {path.suffix!r}, expected {', '.join(kinds)}")


def check_place(path: Path, folder: bool = False) -> None:
    """Raise BadInput, before any work, if no file (or, if `folder`, no folder) can be written at `path`."""
    if path.is_dir() != folder and path.exists():
        raise BadInput(f"{path}: is a {'file' if folder else 'folder'}: choose another place to write")
    above = next(place for place in (path, *path.absolute().parents) if place.exists())
    if above != path and not above.is_dir():
        raise BadInput(f"{path}: {above} is a file, not a folder: choose another place to write")
    if not os.access(above, os.W_OK):
        raise BadInput(f"{path}: {above} cannot be written to: choose another place to write")


def column_names(path: Path) -> list[str]:
    """The names of a file's columns, from its header or its first row. Raises BadInput."""
    _check_file(path)
    if path.suffix == ".jsonl":
        return list(next(json_rows(path), {}))
    if path.suffix == ".parquet":
        return list(parquet(pyarrow.parquet.read_schema, path).names)
    names = [_named(cell) for cell in _header(path)]
    if len(names) == 1 and re.search(r"[;\t|]", names[0]):
        raise BadInput(f"{path}: only one column, found: {names[0]}; separate columns by commas")
    return names


def _named(cell: str) -> str:
    """The column that a cell of a header names, without surrounding spaces, as after a comma."""
    return as_told(cell).strip()


def _header(path: Path) -> list[str]:
    """The names in the first line of a CSV, unchanged."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        return next(filter(None, csv.reader(file)), [])


def _check_file(path: Path) -> None:
    if not path.exists():
        raise BadInput(f"{path}: no such file")
    if path.is_dir():
        raise BadInput(f"{path}: is a folder, expected a file ({', '.join(SUFFIXES)})")
    check_suffix(path)
    if path.stat().st_size == 0:
        raise BadInput(f"{path}: the file is empty, expected a header or one JSON object per line")
    if path.suffix != ".parquet":
        _check_text(path)


def _check_text(path: Path) -> None:
    """Raise BadInput if the first bytes of the file are not those of UTF-8 text."""
    with path.open("rb") as file:
        start = file.read(4)
    remedies = [remedy for kind, remedy in _OTHER_KINDS.items() if start.startswith(kind)]
    if b"\0" in start[:2]:
        remedies = ["UTF-16 text: save it as UTF-8"]
    if remedies:
        raise BadInput(f"{path}: is {remedies[0]}")


def read_raw(path: Path, text_columns: tuple[str, ...], only: pa.Schema | None = None) -> pd.DataFrame:
    """All rows of one file; `text_columns` are read as text even if their cells look like numbers.

    only: the columns to read, with their types, to save memory; all by default. Raises
    BadInput with the file and, if one row is at fault, the row.
    """
    _check_file(path)
    if path.suffix == ".jsonl":
        return _read_jsonl(path, text_columns, only)
    names = column_names(path)
    if only is not None:
        names = [name for name in names if name in only.names] or names  # for Arrow, none means all
    if path.suffix == ".csv":
        return _to_pandas(_csv_text(path, names))
    return _to_pandas(parquet(pyarrow.parquet.read_table, path, columns=names))


def _csv_text(path: Path, names: list[str]) -> pa.Table:
    """The columns `names` of a CSV, every cell as text."""
    with path.open("rb") as file:
        quotes = sum(block.count(b'"') for block in iter(lambda: file.read(_BLOCK), b""))
    if quotes % 2:
        raise BadInput(f'{path}: a quote (") is opened and never closed')
    reading = pyarrow.csv.ReadOptions(use_threads=False)  # with threads, errors do not name their row
    parsing = pyarrow.csv.ParseOptions(newlines_in_values=True)
    stored = {_named(cell): cell for cell in _header(path)}
    wanted = [stored[name] for name in names]
    as_text = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(wanted, _TEXT), include_columns=wanted)
    try:
        table = pyarrow.csv.read_csv(path, reading, parsing, as_text)
        for place, name in enumerate(names):
            table = table.set_column(place, name, _as_told_column(table[place]))
    except pa.ArrowInvalid as error:
        _check_utf8(path)
        ragged = re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+)", str(error))
        if ragged is None:
            raise BadInput(f"{path}: not a readable CSV table: {error}") from None
        row, expected, got = map(int, ragged.groups())
        raise BadInput(f"{path}: row {row - 1}: found {got} cells, expected {expected}") from None
    return table


def _read_jsonl(path: Path, text_columns: tuple[str, ...], only: pa.Schema | None) -> pd.DataFrame:
    schema = only or pa.schema([(name, _TEXT) for name in dict.fromkeys(text_columns)])
    named = next(json_rows(path), {})  # before Arrow: a first row `null` makes it crash the whole process
    try:
        table = _arrow_json(path, schema, "infer" if only is None else "ignore")
        # Arrow parses text that looks like a date: read such columns again, as text.
        dates = [pa.field(field.name, _TEXT) for field in table.schema if pa.types.is_temporal(field.type)]
        if dates:
            table = _arrow_json(path, pa.schema([*schema, *dates]), "infer")
        table.validate(full=True)
    except pa.ArrowException:
        if only is not None:  # a cell of another type than declared
            frame = _read_jsonl(path, text_columns, None)
            return frame[[name for name in frame if name in only.names]]
        # A number in a text column, which the plain parser accepts, or a broken line, whose row it names.
        return pd.DataFrame(list(json_rows(path)), dtype=object).apply(inferred)
    absent = [name for name in schema.names if name not in named and table[name].null_count == len(table)]
    if only is not None and len(absent) == len(schema.names):  # a table without columns has no rows
        return _read_jsonl(path, text_columns, None)
    return _to_pandas(table.drop_columns(absent))


def inferred(cells: "pd.Series[Any]") -> "pd.Series[Any]":
    """The cells as numbers if all are numbers, unless floats could not hold the whole numbers exactly."""
    numbers = cells.infer_objects()
    if not pd.api.types.is_float_dtype(numbers.dtype):
        return numbers
    large = cells.map(lambda cell: isinstance(cell, int) and abs(cell) > LARGEST_WHOLE).any()
    return cells if large else numbers


def _arrow_json(path: Path, schema: pa.Schema, others: Literal["infer", "ignore"]) -> pa.Table:
    table = pyarrow.json.read_json(
        path,
        pyarrow.json.ReadOptions(block_size=_BLOCK, use_threads=False),  # threads cost memory, not time
        pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior=others),
    )
    give_back_memory()
    return table


def give_back_memory() -> None:
    """Return to the system the memory that Arrow no longer uses but still holds."""
    pa.default_memory_pool().release_unused()


def json_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file, one per line. Raises BadInput with the row of a broken line."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
            except (ValueError, RecursionError) as error:  # invalid UTF-8 is a ValueError, too
                problem = f"{path}: row {number}: not JSON: {error}"
                if not line.endswith(b"\n"):
                    problem += "; a killed run leaves half a line: start it again, or delete it"
                raise BadInput(problem) from None
            if not isinstance(row, dict):
                raise BadInput(f"{path}: row {number}: found {type(row).__name__}, expected a JSON object")
            yield in_texts(row, _without_surrogates) if rb"\ud" in line.lower() else row


def read_json(path: Path) -> Any:
    """The value in a JSON file. Raises BadInput."""
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: not JSON: {error}") from None


def read_record(folder: Path) -> dict[str, Any] | None:
    """The contents of a folder's run.json; None if there is none by the harness."""
    with suppress(OSError, ValueError):
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        if isinstance(record, dict) and isinstance(record.get("experiment"), dict):
            return record
    return None


def _without_surrogates(text: str) -> str:
    r"""The text with U+FFFD for lone surrogates ("\ud83d", an emoji cut in half), which UTF-8 cannot hold."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def parquet(read: Callable[..., Any], path: Path, **options: Any) -> Any:
    """What `read` returns for a Parquet file. Raises BadInput."""
    try:
        return read(path, **options)
    except (pa.ArrowException, OSError) as error:
        raise BadInput(f"{path}: not a readable Parquet file: {error}") from None


def _to_pandas(table: pa.Table) -> pd.DataFrame:
    frame: pd.DataFrame = table.to_pandas(integer_object_nulls=True, ignore_metadata=True)
    return frame


def _check_utf8(path: Path) -> None:
    with path.open("rb") as lines:
        for number, line in enumerate(lines):  # the header is line 0, so line numbers are row numbers
            try:
                line.decode()
            except UnicodeDecodeError:
                raise BadInput(f"{path}: row {number}: not UTF-8 text") from None


def write_raw(frame: pd.DataFrame, path: Path) -> None:
    """Write `frame` to `path` in the format of its suffix, atomically.

    JSONL and Parquet keep numbers exactly, CSV to ten significant digits, LaTeX to four.
    Raises BadInput if a cell cannot be written.
    """
    check_suffix(path, WRITTEN)
    with replacing(path) as temporary:
        try:
            if path.suffix == ".csv":
                frame = frame.apply(_without_formulas).rename(columns=lambda name: harmless(str(name)))
                frame.to_csv(temporary, index=False, float_format="%.10g", quoting=_quoting(frame))
            elif path.suffix == ".jsonl":
                _write_jsonl(frame, temporary)
            elif path.suffix == ".tex":
                temporary.write_text(_latex(frame), encoding="utf-8")
            else:
                frame.to_parquet(temporary, index=False)
        except (pa.ArrowException, UnicodeError) as error:
            raise BadInput(f"{path}: this kind of file cannot hold one of the cells: {error}") from None


def _without_formulas(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """The column with `harmless` applied to every text; reading undoes it."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column
    return column.map(lambda cell: harmless(cell) if isinstance(cell, str) else cell)


def _as_told_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column with `as_told` applied to every cell."""
    if not pyarrow.compute.any(pyarrow.compute.match_substring(column, "'")).as_py():
        return column
    quoted = pyarrow.compute.match_substring_regex(column, r"(^|[;\t\r\n])'+[-=@+\t\r]")
    if not pyarrow.compute.any(quoted).as_py():
        return column
    return pa.chunked_array([[cell if cell is None else as_told(cell) for cell in column.to_pylist()]], _TEXT)


def _quoting(frame: pd.DataFrame) -> Literal[0, 2]:
    """The quoting to use: all texts if one has a lone carriage return, which the CSV writer leaves bare."""
    text = frame.select_dtypes(exclude="number")
    bare = any(column.astype("str").str.contains("\r", regex=False).any() for _, column in text.items())
    return csv.QUOTE_NONNUMERIC if bare else csv.QUOTE_MINIMAL


def _write_jsonl(frame: pd.DataFrame, path: Path) -> None:
    names = [str(name) for name in frame.columns]
    cells = [column.astype(object).where(column.notna(), None).tolist() for _, column in frame.items()]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in zip(*cells, strict=True):
            line = json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False, default=_plain)
            file.write(line + "\n")


def _latex(frame: pd.DataFrame) -> str:
    """A booktabs tabular of the columns that vary; columns with a single value go into a comment above."""
    shown = frame.map(lambda cell: visible(cell) if isinstance(cell, str) else cell).reset_index(drop=True)
    same = [name for name, cells in shown.items() if len(cells) > 1 and len(cells.drop_duplicates()) == 1]
    shared: Any = shown[same].iloc[0].dropna() if same else {}
    head = "".join(f"% {visible(str(name))}: {cell}\n" for name, cell in shared.items())
    style = shown.drop(columns=same).style.hide(axis="index")
    style = style.format(_digits, na_rep="--", escape="latex").format_index(axis=1, escape="latex")
    return head + str(style.to_latex(hrules=True))


def _digits(cell: Any) -> Any:
    """A float to four digits, or whole from 1000 on (0.4286, 10287); other cells unchanged."""
    if not isinstance(cell, float):
        return cell
    return f"{cell:.0f}" if 1000 <= abs(cell) < LARGEST_WHOLE else f"{cell:.4g}"


def _plain(cell: Any) -> Any:
    return cell.tolist() if hasattr(cell, "tolist") else str(cell)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path; the file written there replaces `path` if the block succeeds.

    The file is synced to disk. Raises OSError with the name of `path`, as when the disk is full.
    """
    path = Path(os.path.realpath(path)) if path.is_symlink() else path  # keep the link, replace its target
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid4().hex[:8]}{path.suffix}")
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        if error.errno is not None and error.filename in (None, str(temporary)):
            raise OSError(error.errno, os.strerror(error.errno), str(path)) from None
        raise
    finally:
        temporary.unlink(missing_ok=True)
