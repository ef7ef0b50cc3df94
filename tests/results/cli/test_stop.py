"""`tts stop`: what it reports about the answers that it leaves out."""

import pandas as pd

from tests.results.cli.command import joined, results, samples_file


def test_answers_left_out_are_counted_of_each_data_set(tmp_path, capsys):
    files = [samples_file(tmp_path / f"{name}.csv", 2, 5, dataset=name) for name in "ab"]
    table = joined(files, tmp_path / "both.csv")
    asked = ["--n-max", 3, "--orders", 1, "--rule", "lead:3", "--rule", "lead:2"]
    assert results("stop", table, *asked, "--out", tmp_path / "stop.csv") == 0
    assert "Of 4 answers per question, 3 are replayed; --n-max 4" in capsys.readouterr().out
    tried = pd.read_csv(tmp_path / "stop.csv").query("rule == 'lead'")
    assert set(tried["threshold"]) == {2, 3}
    assert results("stop", samples_file(tmp_path / "1.csv", 1, 1, 1), "--out", tmp_path / "stop.csv") == 2
    assert "one answer to 1 question:" in capsys.readouterr().err
