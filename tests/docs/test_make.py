"""Makefile recipes that do more than call one command, with Python and nvidia-smi faked."""

import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.processes import wait_until

GPUS = 8
PLAYED_SMI = f"for i in $(seq {GPUS}); do echo GPU $i: NVIDIA H100 80GB HBM3; done"
RUNS = {"gsm8k-samples": "gsm8k-budgets", "gsm8k-256": "gsm8k-256", "math-samples": "math-budgets"}


def program(file: Path, script: str) -> Path:
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


def make(*words: object) -> subprocess.CompletedProcess[str]:
    command = ["make", "-C", str(ROOT), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def of_a_run(folder: Path, script: str) -> list[str]:
    """The arguments of make for a run with everything installed, a remote server, and `script` as Python."""
    python = program(folder / "python", script)
    made = (f".{what}-{kind}" for what in ("setup", "sglang") for kind in ("cpu", "gpu"))
    stamps = [word for name in made for word in ("-o", str(folder / name))]
    variables = [f"RUN={python}", f"VENV={folder}", f"OUT={folder}/run", "URL=http://127.0.0.1:1"]
    return [*stamps, "gsm8k-samples", *variables]


@pytest.mark.parametrize("status", [0, 2, 3])
def test_a_run_writes_curves_and_its_status_is_told(tmp_path: Path, status: int) -> None:
    done = make(*of_a_run(tmp_path, f"echo $* >> {tmp_path}/said; exit {status}"))
    (said,) = (tmp_path / "said").read_text().splitlines()
    assert said.endswith(f"--out {tmp_path}/run --curves {tmp_path}/run/curves.csv")
    assert (f"Error {status}" in done.stderr) == (status != 0)
    assert (done.returncode == 0) == (status == 0)


@pytest.mark.parametrize("whole_group", [False, True])
def test_a_signal_to_make_ends_the_run_and_make_waits_for_it(tmp_path: Path, whole_group: bool) -> None:
    """`timeout` signals make alone, SLURM all processes of a step."""
    script = f"trap 'sleep 0.5; echo ended > {tmp_path}/ended; exit 130' TERM\necho $$ > {tmp_path}/said\n"
    words = of_a_run(tmp_path, f"{script}while :; do sleep 0.05; done")
    command = ["make", "-C", str(ROOT), *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as process:
        said = tmp_path / "said"
        wait_until(lambda: said.exists() and bool(said.read_text().strip()))
        try:
            send = os.killpg if whole_group else os.kill
            send(process.pid, signal.SIGTERM)
            assert process.wait(30) == -signal.SIGTERM
            assert (tmp_path / "ended").exists()
        finally:  # a make that does not pass the signal on leaves the run behind
            with suppress(ProcessLookupError):
                os.kill(int(said.read_text()), signal.SIGKILL)


@pytest.mark.parametrize(("accepted", "commands"), [(True, "-c -m"), (False, "-c")])
def test_nothing_is_made_before_python_is_new_enough(tmp_path: Path, accepted: bool, commands: str) -> None:
    script = f"echo $1 >> {tmp_path}/said\n[ $1 = -c ] && exit {1 - accepted}\nexit 7"
    python = program(tmp_path / "python", script)
    assert make("setup", f"PYTHON={python}", f"VENV={tmp_path}/venv").returncode == 2
    assert (tmp_path / "said").read_text().split() == commands.split()


@pytest.mark.parametrize("target", ["gpu-check", "gsm8k-samples"])
def test_nothing_is_installed_where_no_gpu_could_be_used(tmp_path: Path, target: str) -> None:
    done = make(target, f"VENV={tmp_path}/venv", f"PYTHON={tmp_path}/none", "GPU=")
    assert done.returncode == 2
    assert "DEVICE=cpu" in done.stderr
    assert not (tmp_path / "venv").exists()


@pytest.fixture
def _on_a_gpu_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "nvidia-smi", PLAYED_SMI)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def gpu_host(folder: Path, target: str, *variables: str, lacks: str = "nothing") -> tuple[int, list[str]]:
    """The status of `make TARGET`, and the commands given to a fake Python, which fails at `lacks`."""
    says = f'echo "$@" >> {folder}/said'
    script = f'case "$*" in *--count) echo {GPUS};; *{lacks}*) {says}; exit 2;; *) {says};; esac'
    python = program(folder / "python", script)
    (folder / "venv").mkdir()
    given = [f"VENV={folder}/venv", f"PYTHON={python}", f"RUN={python}", f"OUT={folder}/run"]
    status = make(target, *given, *variables).returncode
    said = folder / "said"
    return status, said.read_text().splitlines() if said.exists() else []


@pytest.mark.usefixtures("_on_a_gpu_host")
@pytest.mark.parametrize("target", [*RUNS, "gpu-check", "serve"])
def test_on_a_gpu_host_a_target_looks_at_the_host_installs_sglang_looks_at_the_gpus_and_starts(
    tmp_path: Path, target: str
) -> None:
    """FLAGS are one word of an experiment; on a command line, they are split as by a shell."""
    flags = """--tp-size 2 --json-model-override-args '{"rope_theta": 1}'"""
    status, said = gpu_host(tmp_path, target, f"FLAGS={flags}")
    assert status == 0
    asked = {f"--experiment {RUNS[target]}"} if target in RUNS else set()
    assert said[0] == " ".join(["-m harness.server.host --venv", f"{tmp_path}/venv", *asked])
    installed = [line for line in said if "install" in line]
    assert all("--constraint constraints-gpu.txt" in line for line in installed)
    assert installed[-1].endswith("--editable .[lm,math,sglang]")
    assert "nvidia-cuda-nvcc" in said[said.index("-m harness.server.toolkit") - 1]
    look = said.index("-m harness.server.gpus")
    assert look == max(said.index(line) for line in installed) + 1
    first, *rest = said[look + 1 :]
    if target in RUNS:
        assert first.startswith(f"-m tts sample {RUNS[target]} ")
        assert f"dp={GPUS}" in first
        assert f"server_flags={flags}" in first
    else:
        assert first.startswith(f"-m tts {target}")
        assert first.endswith(f"-- {' '.join(shlex.split(flags))}")
    assert rest == []


@pytest.mark.usefixtures("_on_a_gpu_host")
def test_a_host_that_lacks_something_gets_nothing_installed(tmp_path: Path) -> None:
    """One target suffices: the test above shows that each begins by checking the host."""
    status, said = gpu_host(tmp_path, "gsm8k-samples", "MODEL=/", "-j4", lacks="harness.server.host")
    assert (status, len(said)) == (2, 1)
    assert said[0].endswith("--model /")


@pytest.mark.usefixtures("_on_a_gpu_host")
@pytest.mark.parametrize(("visible", "copies"), [(None, GPUS), ("0,1", 2)])
def test_a_run_has_a_copy_of_the_model_on_each_visible_gpu(
    visible: str | None, copies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if visible:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    done = make("--dry-run", "gsm8k-samples", f"PYTHON={sys.executable}")
    assert f'--set dp="{copies}"' in done.stdout


@pytest.mark.usefixtures("_on_a_gpu_host")
def test_every_target_can_be_made_on_a_gpu_host(tmp_path: Path) -> None:
    (phony,) = re.findall(r"^\.PHONY: (help .*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for target in phony.split():
        (tmp_path / target).mkdir()
        assert gpu_host(tmp_path / target, target, "--dry-run")[0] == 0, target


@pytest.mark.usefixtures("_on_a_gpu_host")
@pytest.mark.parametrize("variables", [("ENGINE=openai", "URL=http://127.0.0.1:1"), ("ENGINE=ctranslate2",)])
def test_another_engine_needs_no_server_here(tmp_path: Path, variables: tuple[str, ...]) -> None:
    status, said = gpu_host(tmp_path, "gsm8k-samples", *variables)
    assert status == 0
    assert not any("sglang" in line or "harness.server" in line for line in said)
    (sample,) = [line for line in said if "-m tts sample" in line]
    assert variables[0].replace("ENGINE=", "engine=") in sample
    assert "dp=" not in sample


@pytest.mark.usefixtures("_on_a_gpu_host")
def test_without_a_url_openais_interface_installs_nothing(tmp_path: Path) -> None:
    assert gpu_host(tmp_path, "gsm8k-samples", "ENGINE=openai") == (2, [])


def test_nothing_in_the_makefile_needs_a_make_newer_than_4_2() -> None:
    """GNU make 4.2 runs a line without a shell if the line has no special character of the shell.

    It then does not find shell built-ins such as `command` (make 4.3 knows that one). Features of later
    versions are not used.
    """
    text = (ROOT / "Makefile").read_text()
    recipes = re.findall(r"^\t[@+-]*(.*)$", text, re.MULTILINE)
    for line in [*re.findall(r"\$\(shell ([^)]*)\)", text), *recipes]:
        word, _, rest = line.partition(" ")
        if word in ("command", "type", "exit", "set", "umask", "ulimit", "."):
            assert set(rest) & set(";&|<>*?[]$`'\"()"), line
    assert not re.search(r"&:|\$\((let|intcmp) |\.(EXTRA_PREREQS|NOTINTERMEDIATE|WAIT)\b", text)
