"""What `tts curves`, `tts compare` and `tts stop` refuse: one line, and nothing is written."""

import tomllib
from pathlib import Path

import pandas as pd
import pytest

from tests.results.cli.command import joined, results, samples_file

FILE = tomllib.loads(Path(__file__).with_name("refused.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("line", "told"), FILE["refused"])
def test_bad_input_is_one_line_and_nothing_is_written(tmp_path, monkeypatch, capsys, line, told):
    monkeypatch.chdir(tmp_path)
    names = ("one", "two", "three", "samples")
    files = [samples_file(Path(f"{name}.csv"), i, model=f"m{i}") for i, name in enumerate(names, start=1)]
    joined(files, Path("models.csv"))
    for i in (1, 2):  # two models, each on two data sets
        samples_file(Path(f"on-d{i}.csv"), i, model=f"m{i}", dataset="d")
        of_e = samples_file(Path(f"both{i}.csv"), i, model=f"m{i}", dataset="e")
        joined([Path(f"on-d{i}.csv"), of_e], of_e)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    command, *arguments = line.split()
    assert results(command, "--out", "out.csv", *arguments) == 2
    errors = [one for one in capsys.readouterr().err.splitlines() if not one.startswith("warning")]
    assert len(errors) == 1
    assert errors[0].startswith("error: ")
    assert told in errors[0]
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize(("line", "told"), FILE["unwritten"])
def test_what_writes_no_file_is_refused_likewise(tmp_path, monkeypatch, capsys, line, told):
    monkeypatch.chdir(tmp_path)
    files = [samples_file(Path(f"{name}.csv"), 1, model=name) for name in ("one", "two", "three")]
    joined(files, Path("models.csv"))
    assert results(*line.split()) == 2
    assert told in capsys.readouterr().err


def test_only_of_a_folder_are_unread_texts_said_to_be_read_again(tmp_path, capsys):
    file = samples_file(tmp_path / "samples.csv", 1, text="so 1")
    pd.read_csv(file).assign(answer=None, correct=False).to_csv(file, index=False)
    for path, again in ((tmp_path, True), (file, False)):
        assert results("curves", path, "--out", tmp_path / "c.csv") == 0
        assert ("tts regrade" in capsys.readouterr().err) == again
