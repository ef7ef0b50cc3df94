"""The demo and the core run where neither PyTorch nor transformers is installed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

SCRIPT = f"""
import json, runpy, sys

class Missing:
    def find_spec(name, path=None, target=None):
        if name in ("torch", "transformers"):
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.path.insert(0, {str(ROOT)!r})
sys.meta_path.insert(0, Missing)
for sys.argv in json.loads(sys.argv[1]):
    try:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        print(f"<{{ended.code}}>")
"""


def said(folder: Path, *commands: str) -> list[str]:
    """The output lines of commands run in one process without the two packages, exit statuses as <0>."""
    words = json.dumps([command.split() for command in commands])
    line = [sys.executable, "-uc", SCRIPT, words]
    done = subprocess.run(
        line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return done.stdout.splitlines()


@pytest.mark.release
def test_the_demo_runs(tmp_path: Path) -> None:
    lines = said(
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
    assert [line for line in lines if line.startswith("<")] == ["<0>"] * 8, lines


def test_what_needs_pytorch_says_so_in_one_line(tmp_path: Path) -> None:
    lines = said(tmp_path, "studies.tiny.run", "studies.trained.run --out trained", "harness gpu-check")
    assert lines[1::2] == ["<2>"] * 3, lines
    for line in lines[::2]:
        assert all(part in line for part in ("error: ", "torch", "pip install")), line
    assert list(tmp_path.iterdir()) == []
