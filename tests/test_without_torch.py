"""The demo and the core run where neither PyTorch nor transformers is installed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

SCRIPT = """
import json, runpy, sys

class Missing:
    def find_spec(name, path=None, target=None):
        if name in ("torch", "transformers"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing)
for sys.argv in json.loads(sys.argv[1]):
    try:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        print(f"<{ended.code}>")
"""


def statuses(folder: Path, *commands: str) -> tuple[list[str], str]:
    """The exit statuses of commands in one process without the two packages, and what it says."""
    words = json.dumps([command.split() for command in commands])
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{SCRIPT}", words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    found = [line[1:-1] for line in done.stdout.splitlines() if line.startswith("<")]
    return found, done.stdout + done.stderr


@pytest.mark.release
def test_the_demo_runs(tmp_path: Path) -> None:
    found, said = statuses(
        tmp_path,
        "harness sample tiny --set samples=4 --set limit=4 --set budgets=10,40 --out run",
        "results curves run --out curves.csv",
        "synthetic run fig1-binary --repeats 2 --out twin",
        "predict forecast run --fit-max-n 2 --bootstrap 10 --out forecast.csv",
        "results report curves.csv twin/fig1-binary.csv forecast.csv --out report",
        "harness sample tiny --set samples=2 --limit 2 --set budget_by=force --out forced",
        "harness force run --setting 40 --at 5,10 --out cut",
        "harness sample gsm8k-budgets --set dataset=tiny --set model=tiny --out none --dry-run",
    )
    assert found == ["0"] * 8, said


@pytest.mark.parametrize(
    "command",
    [
        "studies.tiny.run",
        "studies.trained.run --out trained",
        "harness gpu-check",
    ],
)
def test_what_needs_pytorch_says_so_in_one_line(command: str, tmp_path: Path) -> None:
    found, said = statuses(tmp_path, command)
    assert found == ["2"], said
    assert said.count("\n") == 2, said
    assert "error: " in said
    assert "torch" in said
    assert "pip install" in said
    assert list(tmp_path.iterdir()) == []
