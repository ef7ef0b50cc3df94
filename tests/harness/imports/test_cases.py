"""What an import makes of a file, or why it refuses it: runs the cases of `cases.toml` as a user would."""

import gzip
import importlib.util
import json
import shlex
import tomllib
import warnings
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from harness.imports.conditions import as_typed
from harness.imports.foreign_columns import import_table
from harness.imports.reading import unread_note
from results import read_samples
from tests.harness.commands import command, imported

FILE = tomllib.loads((Path(__file__).parent / "cases.toml").read_text(encoding="utf-8"))
CASES = [(case, name) for case in FILE["case"] for name in case.get("names", [case.get("name")])]


def written(file: Path, case: dict[str, Any]) -> Path:
    """Write the file of a case, with its rows in the format of the file's extension."""
    rows = [json.loads(row, strict=False) for row in case.get("rows", [])]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    match file.suffix:
        case _ if "text" in case:
            file.write_text(case["text"])
        case ".parquet":
            pd.DataFrame(rows).to_parquet(file)
        case ".csv":
            pd.DataFrame(rows).to_csv(file, index=False)
        case ".gz":
            file.write_bytes(gzip.compress(text.encode()))
        case ".zst":
            with pa.output_stream(file, compression="zstd") as stream:
                stream.write(text.encode())
        case _:
            file.write_text(json.dumps(rows) if file.suffix == ".json" else text)
    return file


@pytest.mark.parametrize(
    ("case", "name"), CASES, ids=lambda it: it.get("title") if isinstance(it, dict) else it
)
def test_a_file_becomes_the_table_of_its_case(case: dict[str, Any], name: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(case.get("needs", "json")) is None:
        pytest.skip(f"{case['needs']} is not installed")
    file = written(tmp_path / name, case)
    refused = [{"words": words, "said": said} for words, *said in case.get("refused", [])]
    for number, run in enumerate([*case.get("run", []), *refused]):
        words = run["words"].format(names=FILE["names"], kind=file.suffix[1:])
        kind, *options = shlex.split(words)
        out = tmp_path / f"out-{number}"
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            done = imported(kind, file, "--out", out, *options)
        told = [str(each.message) for each in warned]
        assert len(told) == len(set(told)), words
        for part in run.get("said", []):
            printed = "\n".join([done.output, *told])
            assert (part.removeprefix("!") in printed) == (not part.startswith("!")), (words, printed)
        if "table" not in run:
            assert (done.exit_code, out.exists(), told) == (2, False, []), (words, done.output)
            by_click = done.output.startswith("Usage: ")  # which `tts` also reports in one line
            assert by_click or len(done.output.strip().splitlines()) == 1, (words, done.output)
            continue
        assert done.exit_code == 0, (words, done.output)
        table = read_samples(out)
        for column, cells in run["table"].items():
            assert [cell if pd.notna(cell) else "" for cell in table[column]] == cells, (words, column)
        assert not set(run.get("absent", [])) & set(table), words
        again = imported(kind, file, "--out", out, *options)
        assert (again.exit_code, "samples.jsonl" in again.output) == (2, True), words
        if "again" in run:
            assert command("regrade", out, "--reader", run["again"]).exit_code == 0
            assert read_samples(out)["correct"].tolist() == run["correct_again"]


def test_a_row_hangs_on_no_other_question_of_its_file(tmp_path: Path) -> None:
    """A fraction in another question does not turn an address into a sum; dates are never sums."""
    pytest.importorskip("math_verify")
    plain = [("ip", a, "192.168.0.1") for a in ("192.168.0.10", "192.168.0.1", "192.168.0.10")]
    plain += [("day", a, "2020-01-02") for a in ("2020-02-01", "2020-01-02")]
    plain += [("word", a, "1-800") for a in ("2-801", "1-800")]
    columns = ["question_id", "answer", "gold"]
    found = []
    for more in ([], [("half", "1/2", "0.5")], [("day", "1/2", "2020-01-02")]):
        pd.DataFrame([*plain, *more], columns=columns).to_csv(tmp_path / "t.csv", index=False)
        table = import_table(tmp_path / "t.csv").table
        found.append(table["correct"].tolist()[: len(plain)])
    assert found == [[False, True, False, False, True, False, True]] * 3


def test_epochs_grid_of_settings_is_imported(data_dir: Path, tmp_path: Path) -> None:
    file = data_dir / "samples" / "epoch_otis_mock_aime.csv"
    maps = ["--map", "setting=effort", "--map", "tokens=completion_tokens"]
    result = imported("csv", file, "--out", tmp_path, *maps)
    assert "3240 answers to 45 questions" in result.output
    table, raw = read_samples(tmp_path), pd.read_csv(file, dtype=str, keep_default_na=False)
    assert table.groupby(["model", "setting"]).size().tolist() == [360] * 9
    assert table["tokens"].sum() == raw["completion_tokens"].astype(float).sum()
    assert table["correct"].sum() == raw["correct"].astype(float).sum()
    assert table["answer"].isna().sum() == (raw["answer"] == "").sum()


def test_a_few_answers_that_were_not_read_are_no_note() -> None:
    table = pd.DataFrame({"answer": [None, *"7" * 19], "gold": "7", "text": "so \\boxed{7}"})
    assert [len(unread_note(table.head(rows))) for rows in (20, 19)] == [0, 1]


@pytest.mark.parametrize("cell", [None, pd.NA, pd.NaT, float("nan"), np.float32("nan"), Decimal("NaN")])
def test_every_null_is_typed_as_nothing(cell: object) -> None:
    assert as_typed(cell) == ""
    assert as_typed([cell]) == str([cell])
