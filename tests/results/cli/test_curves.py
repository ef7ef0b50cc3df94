"""`tts curves`: its file, its refusals, its exit codes."""

from pathlib import Path

import pandas as pd
import pytest

from results import read_curves, write_samples
from tests.results.cli.command import results


def samples_file(folder: Path, name: str = "samples.jsonl") -> Path:
    rows = [
        {"question_id": q, "sample": i, "answer": answer, "gold": "1", "tokens": 10 + i, "setting": setting}
        for setting in ("100", "20")
        for q, answers in (("a", "1122"), ("b", "2111"), ("c", "1111"))
        for i, answer in enumerate(answers)
    ]
    write_samples(pd.DataFrame(rows), folder / name)
    return folder / name


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_curves_are_written(tmp_path, kind):
    file, out = samples_file(tmp_path), tmp_path / f"curves.{kind}"
    assert results("curves", file, "--out", out) == 0
    curves = read_curves(out)
    assert len(curves) == 2 * 2 * 3 * 11  # settings, methods, N = 1, 2, 4, the exact row and ten orders
    assert curves["setting"].drop_duplicates().tolist() == ["20", "100"]
    assert set(curves["T"].round(6)[curves["permutation"] == "exact"]) == {3 * 11.5}


def test_answers_are_read_as_told(tmp_path, capsys):
    rows = "question_id,sample,answer,gold\nq,0,18.0,18\nq,1,7,18\nq,2,$7,18\nr,0,5,5\nr,1,-,5\nr,2,-,5\n"
    (tmp_path / "s.csv").write_text(rows)
    found = {}
    for options in ((), ("--as-written",), ("--unreadable", "-"), ()):  # a choice ends with its command
        common = ["--method", "majority,all_of_n", "--n", "1,3", "--permutations", 0]
        assert results("curves", tmp_path / "s.csv", *common, *options, "--out", tmp_path / "c.csv") == 0
        found[options] = read_curves(tmp_path / "c.csv")["accuracy"].tolist()
    assert found[()] == pytest.approx([1 / 3, 0, 1 / 3, 0])
    assert found[("--as-written",)] == pytest.approx([1 / 6, 0, 1 / 6, 0])
    assert found[("--unreadable", "-")] == pytest.approx([1 / 3, 1 / 2, 1 / 3, 0])
    capsys.readouterr()
    assert results("curves", tmp_path / "s.csv", "--unreadable", "zzz", "--out", tmp_path / "n.csv") == 2
    assert capsys.readouterr().err.startswith(f"error: {tmp_path / 's.csv'}: --unreadable 'zzz'")
    assert not (tmp_path / "n.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv"], "error: none.csv: no such file"),
        ([], "error: Missing argument 'SAMPLES...'"),
        (["samples.jsonl", "--n", "8"], "error: N = 8: "),
        (["samples.jsonl", "--n", "2,x"], "error: Invalid value for '--n': found "),
        (["samples.jsonl", "--score", "logprob"], "error: --score is for "),
        (["samples.jsonl", "--permutations", "0", "--seed", "0"], "error: --seed is of "),
        *(([given, "--out", "samples.jsonl"], "error: samples.jsonl: ") for given in ("samples.jsonl", ".")),
        (["samples.jsonl", "samples.jsonl"], "error: samples.jsonl: row 1: "),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    content = samples_file(tmp_path).read_bytes()
    assert results("curves", "--out", "c.csv", *arguments) == 2
    errors = capsys.readouterr().err
    assert errors.startswith(message)
    assert errors.count("\n") == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["samples.jsonl"]
    assert (tmp_path / "samples.jsonl").read_bytes() == content
