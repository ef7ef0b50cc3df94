"""Answers of votes that stopped are no random sample: what computes from N answers refuses them."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli import cli as harness
from predict.cli import main as predict
from results import write_samples
from results.cli import cli as results
from synthetic.cli import cli as synthetic
from tests.predict.conftest import simulated_samples

PACKAGES = {"harness": harness, "predict": predict, "results": results, "synthetic": synthetic}

REFUSING = [
    "results curves stopped --out out.csv",
    "results curves stopped whole --out out.csv",
    "results compare stopped whole --out out.csv",
    "results stop stopped --out out.csv",
    "predict forecast stopped --out out.csv",
    "predict backtest stopped --out out.csv",
    "predict plan stopped --out out.csv",
    "predict precision stopped --out out.csv",
    "predict precision stopped whole --compare --out out.csv",
    "predict fits stopped --out out.csv",
    "synthetic match stopped --out out.csv",
    "harness export stopped --out out.csv",
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    answers = simulated_samples(questions=6, answers=4)
    for name, rule in (("whole", None), ("stopped", "lead:2")):
        write_samples(answers.assign(model=name, stop_rule=rule), tmp_path / name / "samples.jsonl")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", REFUSING)
def test_stopped_votes_are_refused_in_one_line(command: str, folder: Path) -> None:
    package, *words = command.split()
    done = CliRunner().invoke(PACKAGES[package], words)
    assert done.exit_code == 2
    (line,) = done.stderr.strip().splitlines()
    assert "lead:2" in line
    assert {path.name for path in folder.iterdir()} == {"whole", "stopped"}


def test_the_whole_run_beside_them_is_not(folder: Path) -> None:
    done = CliRunner().invoke(results, ["curves", "whole", "--out", "out.csv"])
    assert done.exit_code == 0, done.output
