"""All that a GPU host lacks is reported at once, before any download, with mock hosts and a mock hub."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.server import host, toolkit
from tests.conftest import ROOT
from tests.responder import Reply, Request, Responder

MODEL, COMMIT = "meta-llama/Llama-3.1-8B-Instruct", "0e9e39f249a16976918f6564b8830bc894c89659"
SMI = """case "$*" in
-L) for i in 0 1 2 3 4 5 6 7; do echo "GPU $i: NVIDIA H100 80GB HBM3 (UUID: GPU-0000000$i-aa)"; done;;
--query*) for i in 0 1 2 3 4 5 6 7; do echo "NVIDIA H100 80GB HBM3, DRIVER"; done;;
*) echo "| NVIDIA-SMI DRIVER    Driver Version: DRIVER    CUDA Version: CUDA    |";;
esac"""
BROKEN = """echo "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."; exit 9"""
NVCC = """case "$*" in
--version) echo "Cuda compilation tools, release RELEASE, V13.0.88";;
*) exit STATUS;;
esac"""

Check = Callable[..., tuple[int, list[str]]]
"""Runs the check; returns its status and the lines on what is there, or on what is missing."""


def program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def smi(driver: str = "580.65.06", cuda: str = "13.0") -> str:
    return SMI.replace("DRIVER", driver).replace("CUDA Version: CUDA", f"CUDA Version: {cuda}")


def cuda(home: Path, release: str = "13.0", status: int = 0) -> Path:
    """A CUDA toolkit whose nvcc exits with `status`."""
    program(home / "bin" / "nvcc", NVCC.replace("RELEASE", release).replace("STATUS", str(status)))
    (home / "lib64").mkdir(parents=True)
    (home / "lib64" / "libcudart.so").touch()
    return home


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A complete mock host with eight GPUs; returns the folder that is its whole PATH."""
    bin_ = tmp_path / "bin"
    for name, script in (("nvidia-smi", smi()), ("gcc", ""), ("c++", "")):
        program(bin_ / name, script)
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "Python.h").touch()
    paths = {"include": str(tmp_path / "include"), "purelib": str(tmp_path / "site-packages")}
    monkeypatch.setattr(host.sysconfig, "get_path", paths.__getitem__)
    for name in ("CC", "CXX", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "HF_TOKEN", "HF_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(bin_))
    monkeypatch.setenv("CUDA_HOME", str(cuda(tmp_path / "cuda")))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(0, 0, int(1e12)))
    return bin_


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Check:
    def run(*arguments: str) -> tuple[int, list[str]]:
        monkeypatch.setattr(sys, "argv", ["host", "--venv", str(tmp_path / ".venv"), *arguments])
        status = host.main()
        said = capsys.readouterr()
        assert bool(said.out) != bool(said.err)
        return status, (said.out or said.err).splitlines()

    return run


def test_everything_that_is_missing_is_said_at_once(
    played: Path, check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(played / "nvidia-smi", smi("535.129.03", "12.2"))
    monkeypatch.setattr(host.importlib.util, "find_spec", lambda _name: None)
    monkeypatch.setattr(host.platform, "libc_ver", lambda: ("glibc", "2.31"))
    (played / "gcc").unlink()
    (tmp_path / "include" / "Python.h").unlink()
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(0, 0, int(9e9)))
    status, (title, *lacks) = check("--experiment", "gsm8k-budgets", "--copies", "16")
    assert (status, title.startswith("error: ")) == (2, True)
    words = ["535.129.03", "DP=16", "python3-venv", "2.34", "build-essential", "Python.h"]
    words += ["does not answer", "17 GB needed"]
    for word, line in zip(words, lacks, strict=True):
        assert word in line
    assert "cuda-compat-13-0" in lacks[0]
    assert not any("licence" in line for line in lacks)
    assert str(tmp_path / "hub") not in lacks[-1]  # whose model's size is unknown


@pytest.mark.parametrize("variable", ["CC", "CXX"])
def test_a_compiler_that_is_named_has_to_be_there(
    variable: str, played: Path, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "icc")
    status, (_, lack) = check()
    assert (status, f"{variable}=icc" in lack) == (2, True)


ALL = "8 GPUs: NVIDIA H100 80GB HBM3, driver 580.65.06"


@pytest.mark.parametrize(
    ("driver", "visible", "count", "says"),
    [
        (smi(), None, 8, ALL),
        *((smi(), visible, 2, "2 GPUs: ") for visible in ("0,1", "GPU-00000003,5", "6,7,8,0")),
        *((smi(), visible, 0, "CUDA_VISIBLE_DEVICES") for visible in ("", "-1", "GPU-f")),
        (smi("535.129.03", "13.0"), None, 8, "8 GPUs: "),  # cuda-compat makes up for an old driver
        (BROKEN, None, 0, "NVIDIA-SMI has failed"),
    ],
)
def test_the_gpus_that_count_are_the_visible_ones_that_the_driver_can_use(
    driver: str,
    visible: str | None,
    count: int,
    says: str,
    played: Path,
    check: Check,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program(played / "nvidia-smi", driver)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert check("--count") == (0, [str(count)])
    status, lines = check()
    assert (status, len(lines)) == ((0, 2) if count else (2, 2))
    assert says in lines[0 if count else 1]


@pytest.mark.parametrize("release", ["", "12.4", "14.0"])
def test_without_an_nvcc_of_cuda_13_that_of_pip_is_used(
    release: str, played: Path, check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folders are as in NVIDIA's packages, which lack lib64 and libcudart.so until these are linked."""
    own = cuda(tmp_path / "old", release) if release else tmp_path / "none"
    monkeypatch.setenv("CUDA_HOME", str(own))
    monkeypatch.setattr(toolkit, "HOST", tmp_path / "none")
    status, lines = check()
    assert (status, "pip" in lines[1]) == (0, True)
    assert toolkit.main() == 2

    pip = tmp_path / "site-packages" / "nvidia" / "cu13"
    program(pip / "bin" / "nvcc", NVCC.replace("RELEASE", "13.0").replace("STATUS", "0"))
    (pip / "lib").mkdir()
    (pip / "lib" / "libcudart.so.13").touch()
    assert toolkit.main() == 0
    assert toolkit.toolkit() == pip
    assert (pip / "lib64" / "libcudart.so").exists()
    (cuda(tmp_path / "bare") / "lib64" / "libcudart.so").unlink()
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "bare"))
    assert toolkit.toolkit() == pip


@pytest.mark.parametrize("fails", ["nvcc", "c++"])
def test_an_nvcc_that_does_not_compile_or_link_is_named_with_its_reason(
    fails: str, played: Path, check: Check, tmp_path: Path
) -> None:
    why = "/usr/bin/ld: cannot find -lcudart: No such file or directory"
    broken = NVCC.replace("RELEASE", "13.0").replace("exit STATUS", f"echo {why} >&2; exit 1")
    program(tmp_path / "cuda" / "bin" / "nvcc" if fails == "nvcc" else played / "c++", broken)
    status, (_, lack) = check()
    assert (status, why in lack, toolkit.REMEDY in lack) == (2, True, True)


@pytest.mark.release
@pytest.mark.skipif(not Path("/usr/local/cuda/bin/nvcc").exists(), reason="no nvcc on this machine")
def test_a_real_nvcc_compiles_and_links(tmp_path: Path) -> None:
    assert toolkit.does_not_build(Path("/usr/local/cuda")) == ""
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin" / "nvcc", 'exec /usr/local/cuda/bin/nvcc "$@"')
    assert "-lcudart" in toolkit.does_not_build(tmp_path)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A mock hub with one gated model of 16 GB, to which only the token "open" has access."""

    def respond(request: Request) -> Reply:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        says = {"open": (307, ""), "": (401, "GatedRepo"), "closed": (403, "GatedRepo")}
        status, code = says.get(token, (401, ""))
        if request.path.startswith("/api/"):
            status = 200
        elif request.path != f"/{MODEL}/resolve/{COMMIT}/config.json":
            status, code = 404, "RepoNotFound"
        sizes = {"model-1.safetensors": 16e9, "original/model.safetensors": 9e12, "model.gguf": 9e12}
        files = [{"rfilename": name, "size": size} for name, size in sizes.items()]
        headers = {"X-Error-Code": code, "Location": "http://127.0.0.1:1/elsewhere"}
        return Reply(json.dumps({"siblings": files}).encode(), status, headers)

    with Responder({"GET": respond}) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        yield


@pytest.mark.parametrize(
    ("token", "arguments", "says"),
    [
        ("open", (), ""),
        ("", (), "no token"),
        ("closed", (), "no access"),
        ("expired", (), "expired"),
        ("open", ("--model", "no/such"), "no/such"),
        ("", ("--model", "harness/tiny/model"), ""),
    ],
)
def test_a_gated_model_needs_a_token_with_access(
    token: str,
    arguments: tuple[str, ...],
    says: str,
    hub: None,
    played: Path,
    check: Check,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    if token:
        (tmp_path / "hub").mkdir()
        (tmp_path / "hub" / "token").write_text(f"{token}\n")
    status, lines = check("--experiment", "gsm8k-budgets", *arguments)
    assert (status, len(lines)) == ((2, 2) if says else (0, 2))
    assert says in lines[1]
    assert ("licence" in lines[1]) == ("is gated" in lines[1])


def test_weights_count_where_they_will_be(
    hub: None, played: Path, check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / ".sglang-gpu").touch()
    monkeypatch.setenv("HF_TOKEN", "open")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(0, 0, int(15e9)))
    status, (_, lack) = check("--experiment", "gsm8k-budgets")
    assert (status, "15 GB" in lack, "16 GB" in lack) == (2, True, True)
    there = tmp_path / "hub" / "hub" / f"models--{MODEL.replace('/', '--')}" / "snapshots"
    for commit, status in (("0" * 40, 2), (COMMIT, 0)):
        (there / commit).mkdir(parents=True)
        (there / commit / "model-1.safetensors").touch()
        assert check("--experiment", "gsm8k-budgets")[0] == status


def test_it_needs_no_package(played: Path) -> None:
    """Run without site-packages, like the system's Python before anything is installed."""
    command = [sys.executable, "-S", "-m", "harness.server.host"]
    done = subprocess.run(
        command, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    assert (done.stdout or done.stderr).startswith(("8 GPUs", "error: "))
