"""A GPU host's installation suffices for its runs: all other packages are hidden from the commands."""

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


# CTranslate2 in place of SGLang, for lack of a GPU; it has no thinking budgets.
LOCAL = ["engine=ctranslate2", "device=cpu", "dtype=auto", "budget_by=prompt"]
LOCAL += ["samples=2", "tokens_extra=8", "tokens_per_budget=0"]


@pytest.mark.server
@pytest.mark.parametrize(
    ("experiment", "more", "options"),
    [
        ("gsm8k-budgets", LOCAL, ["--curves", "curves.csv"]),
        ("math-thinking", [*LOCAL, "budgets=5"], []),
        ("gsm8k-budgets", [], ["--dry-run"]),
    ],
)
def test_the_runs_of_a_gpu_host_need_nothing_else(
    experiment: str, more: list[str], options: list[str], tmp_path: Path
) -> None:
    given = ["dataset=tiny", "model=tiny", "chat=false", "limit=2", *more]
    words = [word for key in given for word in ("--set", key)]
    options = [str(tmp_path / word) if word.endswith(".csv") else word for word in options]
    done = run(EXTRAS, "harness", "sample", experiment, *words, "--out", tmp_path / "run", *options)
    assert done.returncode == 0, done.stdout
