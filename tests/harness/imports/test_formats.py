"""Files in other tools' formats are imported as the samples tables beside them."""

import json
from pathlib import Path

import pandas as pd
import pytest

from harness.cli.import_samples import import_samples
from harness.imports.foreign_columns import import_table
from harness.imports.formats import FORMATS
from results import BadInput, read_samples
from tests.harness.commands import imported

EXAMPLES = Path(__file__).parent / "formats"


OPTIONS = {"opencompass": ["--grade", "last-number"]}


@pytest.mark.parametrize("kind", FORMATS)
def test_files_of_a_format_are_the_table_beside_them(kind: str, tmp_path: Path) -> None:
    imported(kind, EXAMPLES / kind, "--out", tmp_path, *OPTIONS.get(kind, []))
    expected = read_samples(EXAMPLES / f"{kind}.csv")
    pd.testing.assert_frame_equal(read_samples(tmp_path)[[*expected]], expected)


def test_the_command_knows_the_formats_and_no_other_tool() -> None:
    (kinds,) = (option.type.choices for option in import_samples.params if option.name == "kind")
    assert {*kinds} == {"lm-eval", "inspect", "csv", "jsonl", "parquet", *FORMATS}


def test_options_of_tables_are_for_formats_too() -> None:
    folder = EXAMPLES / "nemo-skills"
    drop, right = [("predicted_answer", "")], [("is_correct", "false")]
    table, left_out, _ = import_table(folder, {}, drop, {"setting": "low"}, right, ["18.0"], kind=folder.name)
    assert (left_out, set(table["setting"])) == (2, {"low"})
    assert table["answer"].fillna("").tolist() == ["", "7", "7", "7"]
    assert table["correct"].tolist() == [False, True, True, True]


def test_one_data_set_in_two_folders_is_no_data_set_of_one_model(tmp_path: Path) -> None:
    for model, number in (("a", 0), ("b", 1)):
        file = tmp_path / model / "gsm8k" / f"output-rs{number}.jsonl"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"id": 0, "predicted_answer": "7", "expected_answer": "7"}))
    with pytest.raises(BadInput, match=r"gsm8k in .*a.gsm8k and in .*b.gsm8k"):
        import_table(tmp_path, kind="nemo-skills")


@pytest.mark.parametrize(("path", "message"), [(".", "no file"), ("a", "no such")])
def test_folders_without_files_are_refused(tmp_path: Path, path: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        import_table(tmp_path / path, kind="nemo-skills")
