"""`tts stop`: its file, its picture, its refusals."""

from pathlib import Path

import pandas as pd
import pytest

from results import write_samples
from results.tables.contract import kind_of, read_table
from tests.results.cli.command import results


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    """Ten questions with eight answers each, of which ever fewer say the same."""
    rows = [
        {"question_id": f"q{q}", "sample": i, "answer": "1" if i * 10 >= q * 4 else f"{i}", "gold": "1"}
        for q in range(10)
        for i in range(8)
    ]
    path = tmp_path / "s.csv"
    write_samples(pd.DataFrame(rows).assign(tokens=10, model="<b>m</b>"), path)
    return path


def test_a_table_is_written(samples, tmp_path):
    out = tmp_path / "stop.csv"
    rules = [word for rule in ("lead:3", "lead:5", "fixed:3") for word in ("--rule", rule)]
    assert results("stop", samples, "--n-max", 6, "--orders", 5, *rules, "--out", out) == 0
    table = read_table(out, "stopping")
    assert kind_of(out) == "stopping"
    assert set(table["rule"]) == {"lead", "fixed", "clairvoyant"}
    assert set(table.loc[table["rule"] == "fixed", "threshold"]) == {3.0}
    assert set(table.loc[table["rule"] == "lead", "threshold"]) == {3.0, 5.0}


@pytest.mark.parametrize("suffix", [".html", ".svg", ".png"])
def test_the_picture_is_drawn_and_its_names_are_escaped(samples, tmp_path, suffix):
    out, plot = tmp_path / "stop.csv", tmp_path / f"stop{suffix}"
    asked = ("--n-max", 6, "--orders", 3, "--rule", "lead", "--out", out, "--plot", plot)
    assert results("stop", samples, *asked) == 0
    content = plot.read_bytes()
    assert len(content) > 1000
    assert b"<b>m</b>" not in content


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--plot", "stop.gif"), ".png"),
        (("--n-max", 1), "--n-max"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(samples, tmp_path, capsys, more, told):
    out = tmp_path / "stop.csv"
    assert results("stop", samples, "--out", out, *more) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1
    assert not out.exists()
