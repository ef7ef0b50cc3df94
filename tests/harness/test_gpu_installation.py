"""What a GPU host installs is enough for what it runs: everything else is hidden from the commands."""

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.installed import hidden, installation, run

(INSTALLED,) = re.findall(r"--editable '\.\[(.*sglang.*)\]'", (ROOT / "Makefile").read_text())
EXTRAS = INSTALLED.split(",")
"""As the Makefile installs them on a GPU host."""


def test_what_is_hidden_is_what_tests_and_plots_need() -> None:
    there = installation(*EXTRAS)
    assert {"pytest"} <= set(hidden(*EXTRAS))
    assert {"aiohttp", "tokenizers", "datasets", "smg"} <= there
    assert run(EXTRAS, "pytest").returncode != 0


@pytest.mark.server
@pytest.mark.parametrize(
    ("experiment", "more"),
    [("gsm8k-budgets", []), ("gsm8k-256", []), ("math-budgets", []), ("math-thinking", ["budgets=5"])],
)
def test_the_runs_of_a_gpu_host_need_nothing_else(experiment: str, more: list[str], tmp_path: Path) -> None:
    out = tmp_path / "run"
    small = ["dataset=tiny", "model=tiny", "chat=false", "limit=2", *more]
    # In this process in place of SGLang, which there is no GPU for; it keeps no budgets of thinking.
    local = ["engine=ctranslate2", "device=cpu", "dtype=auto", "budget_by=prompt"]
    local += ["samples=2", "tokens_extra=8", "tokens_per_budget=0"]
    given = [word for key in (*small, *local) for word in ("--set", key)]
    done = run(EXTRAS, "harness", "sample", experiment, *given, "--out", out, "--curves", out / "curves.csv")
    assert done.returncode == 0, done.stderr


@pytest.mark.server
def test_nor_does_what_is_told_before_a_run(tmp_path: Path) -> None:
    words = ("gsm8k-budgets", "--set", "dataset=tiny", "--set", "model=tiny", "--dry-run")
    done = run(EXTRAS, "harness", "sample", *words, "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
