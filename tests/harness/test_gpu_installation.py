"""What a GPU host installs is enough for what it runs: everything else is hidden from the commands."""

import os
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.conftest import ROOT

EXTRAS = {"lm", "sglang"}
"""As the Makefile installs them on a GPU host."""
# Hides packages from `python -m`, as if they were not installed.
HIDING = """
import runpy, sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"{name} is not part of the GPU installation", name=name)
HIDDEN = set(sys.argv[1].split(","))
sys.meta_path.insert(0, Hidden())
sys.argv[:2] = []
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def installation() -> set[str]:
    """The distributions that `pip install '.[lm,sglang]'` brings, as far as they are installed here."""
    found, ahead = set[str](), [("test-time-scaling", frozenset(EXTRAS))]
    seen = set(ahead)
    while ahead:
        name, extras = ahead.pop()
        found.add(plain(name))
        try:
            lines = requires(name) or []
        except PackageNotFoundError:  # of a kind that this machine has no use for
            continue
        for line in lines:
            need = Requirement(line)
            asked = not need.marker or any(need.marker.evaluate({"extra": extra}) for extra in ("", *extras))
            if asked and (entry := (need.name, frozenset(need.extras))) not in seen:
                seen.add(entry)
                ahead.append(entry)
    return found


def hidden() -> list[str]:
    """The modules installed here that a GPU host does not have."""
    there = installation()
    return [
        module
        for module, owners in packages_distributions().items()
        if not any(plain(owner) in there for owner in owners) and module.isidentifier()
    ]


def on_a_gpu_host(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", HIDING, ",".join(hidden()), *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_what_is_hidden_is_what_tests_and_plots_need() -> None:
    away, there = hidden(), installation()
    assert {"pytest"} <= set(away)
    assert {"aiohttp", "tokenizers", "datasets", "smg"} <= there
    assert on_a_gpu_host("pytest").returncode != 0


@pytest.mark.release
@pytest.mark.parametrize("experiment", ["gsm8k-budgets", "gsm8k-256", "math-budgets"])
def test_the_runs_of_a_gpu_host_need_nothing_else(experiment: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    small = ["--set", "dataset=tiny", "--set", "model=tiny", "--set", "chat=false", "--limit", 2]
    done = on_a_gpu_host("harness", "sample", experiment, *small, "--dry-run", "--out", out)
    assert done.returncode == 0, done.stderr
    # In this process in place of SGLang, which there is no GPU for.
    local = [
        "--set",
        "engine=ctranslate2",
        "--set",
        "device=cpu",
        "--set",
        "dtype=auto",
        "--set",
        "samples=2",
    ]
    few = ["--set", "tokens_extra=8", "--set", "tokens_per_budget=0"]
    done = on_a_gpu_host("harness", "sample", experiment, *small, *local, *few, "--out", out)
    assert done.returncode == 0, done.stderr
    done = on_a_gpu_host("results", "curves", out, "--out", out / "curves.csv")
    assert done.returncode == 0, done.stderr
