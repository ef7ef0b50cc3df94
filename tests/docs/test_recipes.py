"""A recipe's code changes, applied to a copy and used. Its commands: tests/test_docs_commands.py."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from results import read_samples
from tests.conftest import ROOT
from tests.docs.pages import PACKAGES, blocks, recipe
from tests.harness.commands import command


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with a copy of the packages, to be changed."""
    for name in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__", "runs", "cached", "ctranslate2")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    return tmp_path


def block(name: str, language: str) -> str:
    """The first block of that language in a recipe."""
    return blocks(recipe(name), language)[0]


def run(folder: Path, *words: str, said: str = "") -> str:
    """The output of a command, which must succeed, run in `folder` with the packages there."""
    done = subprocess.run(
        words, cwd=folder, input=said, env={"PYTHONPATH": str(folder)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_grader(copy: Path) -> None:
    (copy / "harness" / "grading" / "yes_no.py").write_text(block("grader", "python"), encoding="utf-8")
    run(copy, "/usr/bin/env", "git", "apply", "-p0", "-", said=block("grader", "diff"))
    rows = '{"problem": "Is it?", "gold": "yes", "text": "The answer is: True, it is.", "question_id": "q"}'
    (copy / "rows.jsonl").write_text(rows, encoding="utf-8")
    reading = ("import", "jsonl", "rows.jsonl", "--grade", "answer-is", "--grader", "yes-no", "--out", "out")
    run(copy, sys.executable, "-m", "harness", *reading)
    assert read_samples(copy / "out")[["answer", "correct"]].values.tolist() == [["yes", True]]


def test_the_reader(copy: Path) -> None:
    run(copy, "/usr/bin/env", "git", "apply", "-p0", "-", said=block("reader", "diff"))
    reads = "from harness.grader import Grader; print(Grader(('arrow',)).read('So:\\n=> $18.00').value)"
    assert run(copy, sys.executable, "-c", reads).strip() == "18"


def test_the_noise_law(copy: Path) -> None:
    module = copy / "synthetic" / "model" / "noise.py"
    code, table, laws = module.read_text(encoding="utf-8").partition("\nNOISE_LAWS")
    laws, lines = re.subn(r"\(CONSTANT, LINEAR\)", "(CONSTANT, LINEAR, GAIN)", laws)
    assert lines == 1
    module.write_text(code + block("noise-law", "python") + table + laws, encoding="utf-8")
    page = recipe("noise-law").read_text(encoding="utf-8")
    (line,) = re.findall(r"^tts twin (run .*)$", page, re.MULTILINE)
    quick = [*line.split(), "--steps", "2", "--repeats", "2", "--paths", "4"]
    run(copy, sys.executable, "-W", "ignore", "-m", "synthetic", *quick)
    assert (copy / "runs" / "gain" / "fig2a.csv").exists()


def test_the_recipe_of_an_own_run_samples_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for language, name in (("json", "questions.jsonl"), ("text", "prompt.txt"), ("toml", "mine.toml")):
        (tmp_path / name).write_text(block("own-run", language), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    done = command("sample", "mine.toml", "--out", "runs/mine")
    assert done.exit_code == 0, done.output
    samples = read_samples(tmp_path / "runs" / "mine")
    assert set(samples["dataset"]) == {"apples"}
    assert samples.groupby("setting").size().to_dict() == {"20": 8, "60": 8}
    assert samples["correct"].mean() > 0.2  # by the bundled model, trained on such stories
