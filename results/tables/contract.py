"""Read, check and write the samples, curves and forecast tables.

    read_samples("runs/tiny")          # a run's folder, or any file of the same columns
    dataset  model  setting  decoding  question_id  sample  answer  gold  correct  tokens
    tiny     tiny   40       sample    tiny-0000    0       18      18    True     37

If a table breaks its contract, one BadInput names the file, the row (1 = first row of data), the
column, what was found and what was expected.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import pandas as pd
import pyarrow

from results.commandline import BadInput
from results.read_options import CHOSEN
from results.tables.answers import with_cluster, with_correct, without_answers, without_unreadable
from results.tables.columns import TEXT, arrow_schema, conform, refusal, refuse, text_columns
from results.tables.doubts import say_doubts
from results.tables.files import (
    WRITTEN,
    check_place,
    check_suffix,
    column_names,
    give_back_memory,
    read_raw,
    write_raw,
)
from results.tables.key import check_names
from results.tables.schemas import SAMPLES, SCHEMAS, Schema

_ONE_EACH = {"gold": "right answer to", "cluster": "cluster of"}
"""Columns with one value per question, for all models."""


def read_samples(*paths: str | Path, texts: bool = True, also: Sequence[str] = ()) -> pd.DataFrame:
    """One samples table from files or run folders (whose samples.jsonl is read), in the order given.

    If `texts` is False, undeclared columns are left out, including the full texts of the
    answers, so that millions of answers fit into memory; `also` names columns of numbers
    to keep. Answers and golds are put into one spelling, and `correct` is computed from
    them if the column is absent (`answers.py`). Doubtful rows cause a UserWarning
    (`doubts.py`). Raises BadInput.
    """
    only = None
    if not texts:
        declared = arrow_schema(SAMPLES)
        own = {name: pyarrow.float64() for name in also}
        if cluster := CHOSEN.get().cluster:
            own[cluster] = pyarrow.string()
        more = [pyarrow.field(*field) for field in own.items() if field[0] not in declared.names]
        only = pyarrow.schema([*declared, *more])
    return _read(sample_files(*paths), "samples", only)


def read_curves(*paths: str | Path) -> pd.DataFrame:
    """One curves table (columns: docs/tables.md) from .csv, .jsonl or .parquet files, in the order given.

    Raises BadInput if a file is missing or empty, a column is missing or of the wrong
    type, a value is out of range, or two rows have the same model, method, setting,
    permutation and N.
    """
    return _read(list(map(Path, paths)), "curves")


def read_forecast(*paths: str | Path) -> pd.DataFrame:
    """One forecast table (columns: docs/tables.md) from .csv, .jsonl or .parquet files, in the order given.

    Raises BadInput as `read_curves` does, but two rows for one point of a curve may differ
    in their predictor.
    """
    return _read(list(map(Path, paths)), "forecast")


def read_table(path: str | Path, kind: str) -> pd.DataFrame:
    """The table in one file, which must be of that kind (see `kind_of`). Raises BadInput."""
    return _read([Path(path)], kind)


def write_samples(frame: pd.DataFrame, path: str | Path) -> None:
    """Check `frame` as a samples table, and write it in the format of the suffix of `path`.

    The formats are .csv, .jsonl, .parquet and .tex. Declared columns come first, then your
    own; a missing folder is created. Raises BadInput as `read_samples` does, and then
    writes nothing.
    """
    write_table(frame, path, "samples")


def write_curves(frame: pd.DataFrame, path: str | Path) -> None:
    """Check `frame` as a curves table, and write it as `write_samples` does, with the same errors."""
    write_table(frame, path, "curves")


def write_forecast(frame: pd.DataFrame, path: str | Path) -> None:
    """Check `frame` as a forecast table, and write it as `write_samples` does, with the same errors."""
    write_table(frame, path, "forecast")


def write_table(frame: pd.DataFrame, path: str | Path, kind: str) -> None:
    """Check `frame` as a table of that kind and write it. Writes nothing if it raises BadInput."""
    if not isinstance(path, str | Path):
        raise BadInput(f"expected a file's path to write the {kind} table to, found a {type(path).__name__}")
    _check_frame(frame, kind, path)
    write_raw(_checked([frame], kind, [path])[0], Path(path))


def kind_of(table: str | Path | pd.DataFrame) -> str:
    """The kind of a table, judged by its columns: "samples", "curves", "forecast" or another key of SCHEMAS.

    `table` is a DataFrame, a file, or a run's folder, which holds samples. Raises BadInput
    if there is no such file, or if the columns match no kind of table.
    """
    if isinstance(table, pd.DataFrame):
        name, columns = "DataFrame", set(map(str, table))
    elif not isinstance(table, str | Path):
        raise BadInput(f"expected a DataFrame or a file's path, found a {type(table).__name__}")
    else:
        (file,) = sample_files(table)
        if file != Path(table):
            return "samples"
        name, columns = str(table), set(column_names(file))
    for kind in _kinds_with(columns):
        return kind
    raise BadInput(
        f"{name}: the columns {', '.join(sorted(columns))} are those of no known table: samples have "
        "question_id and sample, curves have method and N, forecasts have predictor"
    )


def _kinds_with(columns: Collection[str]) -> list[str]:
    """The kinds of table that columns tell, the one that they are taken for first."""
    return [kind for kind, table in SCHEMAS.items() if table.told_by <= {*columns}]


def sample_files(*paths: str | Path) -> list[Path]:
    """The files that `paths` name: for a folder, the samples table in it. Raises BadInput."""
    files = []
    for given in paths:
        if not isinstance(given, str | Path):
            raise BadInput(f"found {given!r:.40} in the place of a file's path")
        path = Path(given)
        if path.is_dir():
            inside = (path / f"samples{suffix}" for suffix in (".jsonl", ".parquet", ".csv"))
            match = next((file for file in inside if file.exists()), None)
            if match is None:
                raise BadInput(f"{path}: no samples.jsonl (or .parquet, .csv) here; `tts import` makes one")
            path = match
        files.append(path)
    return files


def check_out(out: Path, inputs: Sequence[Path]) -> None:
    """Raise BadInput, before any work, if no table can be written to `out` or it is one of the inputs."""
    check_suffix(out, WRITTEN)
    check_place(out)
    if out.resolve() in {file.resolve() for file in sample_files(*inputs)}:
        raise BadInput(f"{out}: is one of the inputs; choose another file to write")


def as_samples(frame: pd.DataFrame, name: str | Path = "DataFrame") -> pd.DataFrame:
    """A plain DataFrame as a samples table: one row per answer, types converted, absent columns filled in.

    Parameters:
        frame: columns question_id, sample, answer, and gold or correct, and optionally others of
            docs/tables.md. `correct` is computed from answer and gold if it is absent.
        name: what errors call the table, such as the file it came from.

    Returns a new table, declared columns first. Doubtful rows (copies, golds that match no
    answer) cause a UserWarning. Raises BadInput, which names the row, the column, what was
    found and what was expected.
    """
    return as_table(frame, "samples", name)


def as_table(frame: pd.DataFrame, kind: str, name: str | Path = "DataFrame") -> pd.DataFrame:
    """The same as `as_samples`, for any kind of table (see `kind_of`)."""
    _check_frame(frame, kind, name)
    (table,) = _checked([frame], kind, [name])
    if kind == "samples":
        say_doubts([table], [name])
    return table


def _read(files: list[Path], kind: str, only: pyarrow.Schema | None = None) -> pd.DataFrame:
    if not files:
        raise BadInput(f"no {kind} table to read: name a file")
    if kind == "curves" and (options := CHOSEN.get().named):
        raise BadInput(f"{files[0]}: a curves table: give {options} with the samples that it is made of")
    for file in files:
        kinds = _kinds_with(column_names(file))
        if kinds and kind not in kinds:
            raise BadInput(f"{file}: a {kinds[0]} table: give {kind}")
    texts = text_columns(SCHEMAS[kind])
    tables = _checked([read_raw(file, texts, only) for file in files], kind, files)
    if kind == "samples":
        say_doubts(tables, files)
    give_back_memory()
    if len(tables) == 1:
        return tables[0]
    joined = pd.concat(tables, keys=range(len(files)))
    again = joined.duplicated(SCHEMAS[kind].unique).to_numpy()
    if again.any():  # no file repeats a row of its own, so the first of the two is in an earlier file
        place, row = joined.index.tolist()[int(again.argmax())]
        raise _second_row(tables[place], row, SCHEMAS[kind], files[place])
    _check_names(joined, SCHEMAS[kind], files)
    if kind == "samples":
        _check_questions(joined, files)
    return joined.reset_index(drop=True)


def _check_frame(frame: pd.DataFrame, kind: str, name: str | Path) -> None:
    if not isinstance(frame, pd.DataFrame):
        raise BadInput(f"{name}: expected a DataFrame of the {kind} table, found a {type(frame).__name__}")


def _checked(frames: Sequence[pd.DataFrame], kind: str, names: Sequence[str | Path]) -> list[pd.DataFrame]:
    """The raw tables, converted and checked as that kind; errors use their names. Raises BadInput."""
    declared = SCHEMAS[kind]
    if declared is SAMPLES:
        frames = [with_cluster(frame, name) for frame, name in zip(frames, names, strict=True)]
    tables = [_complete(frame, declared, name) for frame, name in zip(frames, names, strict=True)]
    if declared is SAMPLES:
        tables = without_unreadable(tables, " and ".join(map(str, names)))
    return [_consistent(table, declared, name) for table, name in zip(tables, names, strict=True)]


def _complete(frame: pd.DataFrame, declared: Schema, name: str | Path) -> pd.DataFrame:
    """The table with the declared types and the defaults of absent columns. Raises BadInput."""
    if frame.empty:
        raise BadInput(f"{name}: no rows, expected at least one row of the {declared.name} table")
    frame = conform(frame, declared, name)
    absent = {column: cell for column, cell in declared.defaults.items() if column not in frame}
    frame = frame.assign(
        **{column: pd.Series(cell, index=frame.index, dtype=TEXT) for column, cell in absent.items()}
    )
    if "answer" not in frame and declared is SAMPLES:
        frame = without_answers(frame)
    needed = [column for column, one in declared.columns.items() if one.required]
    missing = [repr(column) for column in needed if column not in frame]
    if missing:
        own = ": `tts import csv` makes one of a file with other columns" if declared is SAMPLES else ""
        raise BadInput(f"{name}: no column {', '.join(missing)}, expected in the {declared.name} table{own}")
    return frame


def _consistent(table: pd.DataFrame, declared: Schema, name: str | Path) -> pd.DataFrame:
    """The table, samples graded, declared columns first. Raises BadInput if rows contradict each other."""
    if declared is SAMPLES:
        table = with_correct(table, name)
    if declared.a_value_of:
        values = table.reindex(columns=[*declared.a_value_of])
        expected = f"a value of {' or '.join(declared.a_value_of)} in every row"
        refuse(values.isna().all(axis=1).to_numpy(bool), name, values.iloc[:, 0], expected)
    if {"questions", "clusters"} <= {*table}:
        more = (table["clusters"] > table["questions"]).to_numpy(bool, na_value=False)
        refuse(more, name, table["clusters"], "at most one a question")
    if declared.unique:
        again = table.duplicated(declared.unique).to_numpy()
        if again.any():
            raise _second_row(table, int(again.argmax()), declared, name)
    _check_names(table, declared, [name])
    if declared is SAMPLES:
        _check_questions(table, [name])
    known = [column for column in declared.columns if column in table]
    return table[[*known, *(column for column in table if column not in known)]]


def _second_row(table: pd.DataFrame, row: int, declared: Schema, name: str | Path) -> BadInput:
    cells = {column: table[column].iloc[row] for column in declared.unique}
    named = [column for column in cells if cells[column] != declared.defaults.get(column)]
    what = ", ".join(f"{column}={cells[column]}" for column in named)
    names = "; of two models or settings, name each (tts import --model NAME)" if "model" in cells else ""
    return BadInput(f"{name}: row {row + 1}: a second row for {what}, expected one{names}")


def _check_names(table: pd.DataFrame, declared: Schema, names: Sequence[str | Path]) -> None:
    """Raise BadInput if `check_names` refuses a name of a data set, model or setting."""
    for column in ("dataset", "model", "setting"):
        if column in declared.columns:
            check_names(table[column].unique(), f"{' and '.join(map(str, names))}: column {column!r}")


def _check_questions(samples: pd.DataFrame, names: Sequence[str | Path]) -> None:
    """Raise BadInput if a question has two golds or two clusters."""
    for column, words in _ONE_EACH.items():
        if column not in samples:
            continue
        known = samples[["dataset", "question_id", column]].dropna().drop_duplicates()
        again = known[known.duplicated(["dataset", "question_id"])]
        if len(again):
            where, _, question, cell = next(again.itertuples())
            place, row = where if len(names) > 1 else (0, where)  # (table, row) if tables were joined
            expected = f"one {words} question {question!r:.40}, as in its rows before"
            raise refusal(names[place], row, column, cell, expected)
