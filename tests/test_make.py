"""The recipes of the Makefile that do more than call one command, with a stand-in for Python."""

import os
import re
import shlex
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


GPUS = 8
PLAYED_SMI = f"#!/bin/sh\nfor i in $(seq {GPUS}); do echo GPU $i: NVIDIA H100 80GB HBM3; done\n"


def gpu_host(folder: Path, target: str, *variables: str) -> tuple[int, list[str]]:
    """The status of `make TARGET` on a host with a played nvidia-smi, and what it has Python do."""
    for name, script in (("nvidia-smi", PLAYED_SMI), ("python", f'#!/bin/sh\necho "$@" >> {folder}/said\n')):
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    venv = folder / "venv"
    venv.mkdir()
    given = [
        f"VENV={venv}",
        f"PYTHON={folder}/python",
        f"RUN={folder}/python",
        f"OUT={folder}/run",
        *variables,
    ]
    path = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    command = ["make", "-C", str(ROOT), target, *given]
    done = subprocess.run(command, env=path, capture_output=True, text=True, timeout=120, check=False)
    said = folder / "said"
    return done.returncode, said.read_text().splitlines() if said.exists() else []


RUNS = {"gsm8k-samples": "gsm8k-budgets", "gsm8k-256": "gsm8k-256", "math-samples": "math-budgets"}


@pytest.mark.parametrize("target", [*RUNS, "gpu-check", "serve"])
def test_on_a_gpu_host_a_target_installs_sglang_looks_at_the_gpus_and_starts(
    tmp_path: Path, target: str
) -> None:
    status, said = gpu_host(tmp_path, target, "FLAGS=--tp-size 2 --quantization fp8")
    assert status == 0
    installed = [line for line in said if "install" in line]
    assert all("--constraint constraints-gpu.txt" in line for line in installed)
    assert installed[-1].endswith("--editable .[lm,math,sglang]")
    look = said.index("-m harness.server.gpus")
    assert look == max(said.index(line) for line in installed) + 1
    first, *rest = said[look + 1 :]
    if target in RUNS:
        assert first.startswith(f"-m harness sample {RUNS[target]} ")
        assert f"dp={GPUS}" in first
        assert "server_flags=--tp-size 2 --quantization fp8" in first
        assert [line.split()[:4] for line in rest] == [["-m", "results", "curves", f"{tmp_path}/run"]]
    else:
        assert first.startswith(f"-m harness {target}")
        assert first.endswith("-- --tp-size 2 --quantization fp8")
        assert rest == []


@pytest.mark.parametrize(
    ("target", "before"), [("gsm8k-samples", "server_flags="), ("serve", "-- "), ("gpu-check", "-- ")]
)
def test_flags_arrive_with_their_quotes(tmp_path: Path, target: str, before: str) -> None:
    """Those of the command line are what a shell makes of FLAGS, those of an experiment FLAGS itself."""
    flags = """--tp-size 2 --json-model-override-args '{"rope_theta": 1}'"""
    _, said = gpu_host(tmp_path, target, f"FLAGS={flags}")
    arrived = flags if "=" in before else " ".join(shlex.split(flags))
    assert any(f"{before}{arrived}" in line for line in said)


def test_every_target_can_be_made_on_a_gpu_host(tmp_path: Path) -> None:
    (phony,) = re.findall(r"^\.PHONY: (help .*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for target in phony.split():
        (tmp_path / target).mkdir()
        assert gpu_host(tmp_path / target, target, "--dry-run")[0] == 0, target


@pytest.mark.parametrize("variables", [("ENGINE=openai", "URL=http://127.0.0.1:1"), ("ENGINE=ctranslate2",)])
def test_another_engine_needs_no_server_here(tmp_path: Path, variables: tuple[str, ...]) -> None:
    status, said = gpu_host(tmp_path, "gsm8k-samples", *variables)
    assert status == 0
    assert not any("sglang" in line or "harness.server" in line for line in said)
    (sample,) = [line for line in said if "harness sample" in line]
    assert variables[0].replace("ENGINE=", "engine=") in sample
    assert "dp=" not in sample


def test_without_a_url_openais_interface_installs_nothing(tmp_path: Path) -> None:
    assert gpu_host(tmp_path, "gsm8k-samples", "ENGINE=openai") == (2, [])


def test_nothing_in_the_makefile_needs_a_make_newer_than_4_2() -> None:
    """GNU make 4.2 runs a line without a shell if it sees no character of the shell in it.

    So it does not find what the shell alone has, such as `command` (make 4.3 knows that one). What later
    versions brought is absent.
    """
    text = (ROOT / "Makefile").read_text()
    recipes = re.findall(r"^\t[@+-]*(.*)$", text, re.MULTILINE)
    for line in [*re.findall(r"\$\(shell ([^)]*)\)", text), *recipes]:
        word, _, rest = line.partition(" ")
        if word in ("command", "type", "exit", "set", "umask", "ulimit", "."):
            assert set(rest) & set(";&|<>*?[]$`'\"()"), line
    assert not re.search(r"&:|\$\((let|intcmp) |\.(EXTRA_PREREQS|NOTINTERMEDIATE|WAIT)\b", text)
