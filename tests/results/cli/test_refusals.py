"""What `tts curves`, `tts compare` and `tts stop` refuse: one line, and nothing is written."""

from pathlib import Path

import pytest

from tests.results.cli.command import joined, results, samples_file

TWO = "compare one.csv two.csv"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("curves none.csv", "error: none.csv: no such file"),
        ("curves", "error: Missing argument 'SAMPLES...'"),
        ("curves one.csv --n 8", "error: N = 8: "),
        ("curves one.csv --n 2,x", "error: Invalid value for '--n': found "),
        ("curves one.csv --score logprob", "error: --score is for "),
        ("curves one.csv --permutations 0 --seed 0", "error: --seed is of "),
        ("curves one.csv --out one.csv", "error: one.csv: "),
        ("curves samples.jsonl --out .", "error: .: "),
        ("curves one.csv one.csv", "error: one.csv: row 1: "),
        ("curves one.csv --unreadable zzz", "error: one.csv: --unreadable 'zzz'"),
        ("compare one.csv none.csv", "none.csv"),
        ("compare", "SAMPLES"),
        (f"{TWO} --out one.csv", "one.csv"),
        (f"{TWO} --price one=1 --price two=0", "two=0"),
        (f"{TWO} --price one=$1 --price two=1 --price one=2", "one=2"),
        (f"{TWO} --margin 2", "--margin"),
        (f"{TWO} --gate --margin 2", "--margin"),
        (f"{TWO} --method majority,best_of_n --gate --at 2 --margin 2", "--margin"),
        (f"{TWO} three.csv --gate", "--gate"),
        ("compare one.csv ./one.csv --gate", "given twice"),
        (f"{TWO} --at 1 --sequential", "--out"),
        (f"{TWO} --every-question", "--every-question"),
        (f"{TWO} --planned 300", "--planned"),
        (f"{TWO} --looks 3", "--looks"),
        ("compare models.csv --model m9", "m1, m2, m3"),
        ("stop one.csv --plot stop.gif", ".png"),
        ("stop one.csv --n-max 1", "--n-max"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(tmp_path, monkeypatch, capsys, line, told):
    monkeypatch.chdir(tmp_path)
    names = ("one", "two", "three")
    files = [samples_file(Path(f"{name}.csv"), i, model=f"m{i}") for i, name in enumerate(names, start=1)]
    joined(files, Path("models.csv"))
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    command, *arguments = line.split()
    assert results(command, "--out", "out.csv", *arguments) == 2
    errors = [one for one in capsys.readouterr().err.splitlines() if not one.startswith("warning")]
    assert len(errors) == 1
    assert errors[0].startswith("error: ")
    assert told in errors[0]
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["one.csv", "two.csv", "three.csv", "--every-question"], "one run at one setting, or two"),
        (["one.csv", "--every-question", "--cluster", "gold"], "--every-question"),  # of means alone
        (["models.csv", "--at", "1", "--sequential"], "one and two, majority"),
    ],
)
def test_what_writes_no_file_is_refused_likewise(tmp_path, monkeypatch, capsys, arguments, told):
    monkeypatch.chdir(tmp_path)
    files = [samples_file(Path(f"{name}.csv"), 1, model=name) for name in ("one", "two", "three")]
    joined(files, Path("models.csv"))
    assert results("compare", *arguments) == 2
    assert told in capsys.readouterr().err
