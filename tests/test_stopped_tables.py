"""Answers of votes stopped early are no random sample: whatever computes from N answers refuses them.

Whatever passes answers on keeps the column that marks them.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

import tts
from predict import forecast
from results import (
    BadInput,
    all_of_n_curve,
    as_samples,
    best_of_n_curve,
    build_curves,
    read_samples,
    vote_curve,
    write_samples,
)
from results.stopping import arena
from tests.predict.conftest import simulated_samples

REFUSING = [
    "curves stopped --out out.csv",
    "curves stopped --caps 40,80 --out out.csv",
    "curves stopped --method best_by_score,weighted_majority --score rm --out out.csv",
    "compare whole stopped --out out.csv",
    "compare stopped --method weighted_majority --score rm --out out.csv",
    "stop stopped --out out.csv",
    "forecast stopped --out out.csv",
    "forecast stopped --fit-cap 100 --at-caps 200 --out out.csv",
    "backtest stopped --out out.csv",
    "plan stopped --out out.csv",
    "precision stopped --out out.csv",
    "precision stopped whole --compare --out out.csv",
    "fits stopped --out out.csv",
    "export stopped --out out.csv",
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    answers = simulated_samples(questions=6, answers=4)
    answers["score_rm"] = answers["tokens"] / 1000
    for name, rule in (("whole", None), ("stopped", "lead:2")):
        write_samples(answers.assign(model=name, stop_rule=rule), tmp_path / name / "samples.jsonl")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", REFUSING)
def test_stopped_votes_are_refused_in_one_line(command: str, folder: Path) -> None:
    done = CliRunner().invoke(tts.cli, command.split())
    assert done.exit_code == 2
    (line,) = done.stderr.strip().splitlines()
    assert "lead:2" in line
    assert {path.name for path in folder.iterdir()} == {"whole", "stopped"}


@pytest.mark.parametrize("call", [vote_curve, best_of_n_curve, all_of_n_curve, build_curves, forecast, arena])
def test_calls_refuse_them(call: Callable[[pd.DataFrame], Any], folder: Path) -> None:
    with pytest.raises(BadInput, match="lead:2"):
        call(read_samples(folder / "stopped"))


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_an_import_keeps_the_mark(kind: str, folder: Path) -> None:
    write_samples(read_samples(folder / "stopped"), folder / f"table.{kind}")
    done = CliRunner().invoke(tts.cli, ["import", kind, f"table.{kind}", "--out", "kept"])
    assert done.exit_code == 0, done.output
    assert set(read_samples(folder / "kept")["stop_rule"]) == {"lead:2"}


def test_reading_texts_again_keeps_the_mark(folder: Path) -> None:
    answers = read_samples(folder / "stopped").assign(text="It is ##3##.", gold="3")
    lines = [json.dumps(row) for row in json.loads(answers.to_json(orient="records"))]
    (folder / "stopped" / "samples.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = CliRunner().invoke(tts.cli, ["regrade", "stopped", "--reader", "hashes"])
    assert done.exit_code == 0, done.output
    again = as_samples(read_samples(folder / "stopped"))
    assert set(again["answer"]) == {"3"}
    assert set(again["stop_rule"]) == {"lead:2"}
