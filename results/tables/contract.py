"""Read, check and write the samples, curves and forecast tables.

    read_samples("results/runs/tiny")          # a run's folder, or any file of the same columns
    dataset  model  setting  decoding  question_id  sample  answer  gold  correct  tokens
    tiny     tiny   40       sample    tiny-0000    0       18      18    True     37

A table that breaks its contract is refused with one BadInput that names the file, the row (1 = first row of
data), the column, what was found and what was expected.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pandera.errors
import pandera.pandas as pa
import pyarrow

from results.commandline import BadInput
from results.tables.columns import arrow_schema, conform, refusal, text_columns
from results.tables.contradictions import check_golds, say_grades
from results.tables.files import check_suffix, column_names, read_raw, write_raw
from results.tables.schemas import DEFAULTS, SAMPLES, SCHEMAS


def read_samples(*paths: str | Path, texts: bool = True) -> pd.DataFrame:
    """One samples table from files or run folders (whose samples.jsonl is read), in the order given.

    Without `texts`, columns that the contract does not declare are left out, the texts of the answers among
    them: millions of answers then fit into memory. `correct` is computed from `gold` (equal text) where the
    column is absent. Raises BadInput.
    """
    return _read(sample_files(*paths), "samples", None if texts else arrow_schema(SAMPLES))


def read_curves(*paths: str | Path) -> pd.DataFrame:
    """One curves table from one or more files. Raises BadInput."""
    return _read(list(map(Path, paths)), "curves")


def read_forecast(*paths: str | Path) -> pd.DataFrame:
    """One forecast table from one or more files. Raises BadInput."""
    return _read(list(map(Path, paths)), "forecast")


def read_table(path: str | Path, kind: str) -> pd.DataFrame:
    """The table of that kind (see `kind_of`) in one file. Raises BadInput."""
    return _read([Path(path)], kind)


def write_samples(frame: pd.DataFrame, path: str | Path) -> None:
    """Check `frame` as a samples table and write it to `path`. Raises BadInput and then writes nothing."""
    write_table(frame, path, "samples")


def write_curves(frame: pd.DataFrame, path: str | Path) -> None:
    """Check `frame` as a curves table and write it to `path`. Raises BadInput and then writes nothing."""
    write_table(frame, path, "curves")


def write_forecast(frame: pd.DataFrame, path: str | Path) -> None:
    """Check `frame` as a forecast table and write it to `path`. Raises BadInput and then writes nothing."""
    write_table(frame, path, "forecast")


def write_table(frame: pd.DataFrame, path: str | Path, kind: str) -> None:
    """Check `frame` as a table of that kind and write it. Raises BadInput and then writes nothing."""
    if not isinstance(path, str | Path):
        raise BadInput(f"expected a file's path to write the {kind} table to, found a {type(path).__name__}")
    write_raw(as_table(frame, kind, path), Path(path))


_TOLD_BY = {
    "claims": {"claim", "verdict"},
    "comparison": {"a", "b", "difference"},
    "fits": {"fit", "held"},
    "plan": {"known", "cost"},
    "backtest": {"predictor", "split"},
    "forecast": {"predictor"},
    "curves": {"N", "method"},
    "samples": {"question_id", "sample"},
}
"""Columns that tell the kinds of tables apart; the first whose columns are all there."""


def kind_of(table: str | Path | pd.DataFrame) -> str:
    """Which table of SCHEMAS it is, told by its columns; a folder holds samples. Raises BadInput."""
    if isinstance(table, pd.DataFrame):
        name, columns = "DataFrame", set(map(str, table))
    else:
        (file,) = sample_files(table)
        if file != Path(table):
            return "samples"
        name, columns = str(table), set(column_names(file))
    for kind, told_by in _TOLD_BY.items():
        if told_by <= columns:
            return kind
    raise BadInput(
        f"{name}: the columns {', '.join(sorted(columns))} are those of no table: samples have question_id "
        "and sample, curves have method and N, forecasts have predictor"
    )


def sample_files(*paths: str | Path) -> list[Path]:
    """The files meant by `paths`: a folder stands for the samples table in it. Raises BadInput."""
    found = []
    for path in map(Path, paths):
        if path.is_dir():
            inside = (path / f"samples{suffix}" for suffix in (".jsonl", ".parquet", ".csv"))
            match = next((file for file in inside if file.exists()), None)
            if match is None:
                raise BadInput(f"{path}: no samples.jsonl (or .parquet, .csv) in this folder")
            path = match
        found.append(path)
    return found


def check_out(out: Path, inputs: Sequence[Path]) -> None:
    """Raise BadInput, before any work, where `out` cannot be a table or is one of the inputs."""
    check_suffix(out)
    if out.resolve() in {file.resolve() for file in sample_files(*inputs)}:
        raise BadInput(f"{out}: is one of the inputs; choose another file to write")


def as_samples(frame: pd.DataFrame, name: str | Path = "DataFrame") -> pd.DataFrame:
    """A plain DataFrame as a samples table, types converted and absent columns filled in. Raises BadInput.

    `name` is what errors call the table: the file it came from, if there is one.
    """
    return as_table(frame, "samples", name)


def as_table(frame: pd.DataFrame, kind: str, name: str | Path = "DataFrame") -> pd.DataFrame:
    """As `as_samples`, for any kind of table (see `kind_of`)."""
    if not isinstance(frame, pd.DataFrame):
        raise BadInput(f"{name}: expected a DataFrame of the {kind} table, found a {type(frame).__name__}")
    if frame.empty:
        raise BadInput(f"{name}: no rows, expected at least one row of the {kind} table")
    schema = SCHEMAS[kind]
    frame = conform(frame, schema, name)
    frame = frame.assign(**{k: v for k, v in DEFAULTS.get(kind, {}).items() if k not in frame})
    required = [column for column, declared in schema.columns.items() if declared.required]
    missing = [repr(column) for column in required if column not in frame and column != "correct"]
    if missing:
        own = "; for columns of your own see python -m harness import csv" if kind == "samples" else ""
        raise BadInput(f"{name}: no column {', '.join(missing)}, expected in the {kind} table{own}")
    if kind == "samples":
        frame = _with_correct(frame, name)
    declared = [column for column in schema.columns if column in frame]
    frame = frame[[*declared, *(column for column in frame if column not in declared)]]
    try:
        schema.validate(frame, inplace=True)
    except pandera.errors.SchemaError as error:
        raise _explain(error, frame, kind, name) from None
    if kind == "samples":
        check_golds(frame, name)
        say_grades(frame, name)
    return frame


def _read(files: list[Path], kind: str, only: pyarrow.Schema | None = None) -> pd.DataFrame:
    schema = SCHEMAS[kind]
    frames = [as_table(read_raw(file, text_columns(schema), only), kind, file) for file in files]
    if len(frames) == 1:
        return frames[0]
    joined = pd.concat(frames, keys=range(len(files)))
    again = joined.duplicated(schema.unique).to_numpy()
    if again.any():  # each file has passed its own check: the first of the two rows is in an earlier one
        place, row = joined.index.tolist()[int(again.argmax())]
        raise _second_row(frames[place], row, kind, files[place])
    joined = joined.reset_index(drop=True)
    if kind == "samples":
        check_golds(joined, " and ".join(map(str, files)))
    return joined


def _with_correct(frame: pd.DataFrame, name: str | Path) -> pd.DataFrame:
    if "correct" in frame:
        wrong = (frame["answer"].isna() & frame["correct"]).to_numpy()
        if wrong.any():
            raise refusal(name, int(wrong.argmax()), "correct", True, "false where the answer is null")
        return frame
    if "gold" not in frame:
        raise BadInput(f"{name}: no column 'correct', and no 'gold' to compute it from")
    if frame["gold"].isna().any():
        raise refusal(name, int(frame["gold"].isna().to_numpy().argmax()), "gold", None, "the right answer")
    return frame.assign(correct=(frame["answer"] == frame["gold"]).fillna(False).astype(bool))


def _explain(error: pandera.errors.SchemaError, frame: pd.DataFrame, kind: str, name: str | Path) -> BadInput:
    """Pandera's error as one line: which row and column broke which declaration."""
    code = error.reason_code.name if error.reason_code else ""
    if code == "DUPLICATES":
        row = int(frame.duplicated(SCHEMAS[kind].unique).to_numpy().argmax())
        return _second_row(frame, row, kind, name)
    column = str(error.schema.name if isinstance(error.schema, pa.Column) else error.check.name)
    empty = code == "SERIES_CONTAINS_NULLS"
    expected = "a value (this column cannot be empty)" if empty else error.check.error
    row = int(error.failure_cases["index"].dropna().iloc[0])
    return refusal(name, row, column, frame[column].iloc[row] if column in frame else None, expected)


def _second_row(frame: pd.DataFrame, row: int, kind: str, name: str | Path) -> BadInput:
    what = ", ".join(f"{column}={frame[column].iloc[row]}" for column in SCHEMAS[kind].unique or ())
    return BadInput(f"{name}: row {row + 1}: a second row for {what}, expected one")
