"""The recipes of the Makefile that do more than call one command, with a stand-in for Python."""

import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("sampled", "curves", "status", "commands"),
    [(0, 0, 0, "sample curves"), (3, 0, 3, "sample curves"), (2, 0, 2, "sample"), (0, 2, 2, "sample curves")],
)
def test_a_run_with_missing_answers_still_gets_curves(
    tmp_path: Path, sampled: int, curves: int, status: int, commands: str
) -> None:
    python = tmp_path / "python"
    python.write_text(
        f"#!/bin/sh\necho $3 >> {tmp_path}/said\ncase $3 in sample) exit {sampled};; esac; exit {curves}\n"
    )
    python.chmod(0o755)
    made = (f".{what}-{kind}" for what in ("setup", "sglang") for kind in ("cpu", "gpu"))
    stamps = [word for name in made for word in ("-o", str(tmp_path / name))]
    variables = [f"RUN={python}", f"VENV={tmp_path}", f"OUT={tmp_path}/run", "URL=http://127.0.0.1:1"]
    found = subprocess.run(
        ["make", "-C", str(ROOT), *stamps, "gsm8k-samples", *variables],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (tmp_path / "said").read_text().split() == commands.split()
    assert (f"Error {status}" in found.stderr) == (status != 0)
    assert (found.returncode == 0) == (status == 0)


@pytest.mark.parametrize(("accepted", "commands"), [(True, "-c -m"), (False, "-c")])
def test_nothing_is_made_before_python_is_new_enough(tmp_path: Path, accepted: bool, commands: str) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho $1 >> {tmp_path}/said\n[ $1 = -c ] && exit {1 - accepted}\nexit 7\n")
    python.chmod(0o755)
    variables = [f"PYTHON={python}", f"VENV={tmp_path}/venv"]
    command = ["make", "-C", str(ROOT), "setup", *variables]
    found = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert found.returncode == 2
    assert (tmp_path / "said").read_text().split() == commands.split()


@pytest.mark.parametrize("target", ["gpu-check", "gsm8k-samples"])
def test_nothing_is_installed_where_no_gpu_could_be_used(tmp_path: Path, target: str) -> None:
    command = ["make", "-C", str(ROOT), target, f"VENV={tmp_path}/venv", f"PYTHON={tmp_path}/none", "GPU="]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert found.returncode == 2
    assert "DEVICE=cpu" in found.stderr
    assert not (tmp_path / "venv").exists()
