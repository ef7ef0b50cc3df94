"""Starting and stopping servers: their flags, and that no process of a server is left running."""

import importlib.util
import os
import runpy
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import harness.server.gpus
import harness.server.launch
import harness.server.toolkit
from harness.server.cpu.platform import activate
from harness.server.gpus import usable_gpus
from harness.server.launch import Server, free_ports, launch
from results import BadInput
from tests.conftest import ROOT
from tests.harness.commands import exit_status
from tests.harness.server.conftest import SERVE, flags
from tests.processes import OBEDIENT, STUBBORN, interruptible, needs_proc, pids_in, python, runs, wait_until


@needs_proc
def test_a_stubborn_server_is_stopped_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness.server.launch, "STOP_SECONDS", 0.2)
    with Server(python(STUBBORN, tmp_path / "pids")) as server:
        pids = pids_in(tmp_path / "pids")
        assert server.ended() is None
        assert all(map(runs, pids))
    wait_until(lambda: not any(map(runs, pids)))
    assert server.ended() is not None


@needs_proc
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent is gone")
def test_a_server_does_not_outlive_a_run_that_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys, time; from harness.server.launch import Launch, Server; "
        f"Server(Launch((sys.executable, '-c', {OBEDIENT!r}, sys.argv[1]), {{}})); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "pids")]) as parent:
        server, child = pids_in(tmp_path / "pids")
        parent.kill()
    wait_until(lambda: not runs(server))
    os.kill(child, signal.SIGKILL)  # SGLang's own processes watch their parent in the same way


def test_without_a_gpu_the_platform_of_the_project_is_used(
    gpus: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    gpus(0)
    for variable in ("OMP_NUM_THREADS", "SGLANG_CPU_OMP_THREADS_BIND"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {5, 3}, raising=False)
    command, other = (launch("model", port=1234, dp=2) for _ in range(2))
    assert command.command[1:3] == ("-m", "harness.server.cpu.start")
    found = flags(command)
    assert (found["--device"], found["--port"], found["--host"]) == ("cpu", "1234", "127.0.0.1")
    assert (found["--dtype"], found["--dp-size"]) == ("float32", "2")
    assert found["--random-seed"] != flags(other)["--random-seed"]
    cpu = {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "SGLANG_CPU_OMP_THREADS_BIND": "3|5"}
    assert command.environment == cpu | {"SGLANG_PLATFORM": "torch-cpu"}


def test_on_a_gpu_the_flags_are_those_for_many_answers_a_prompt(gpus: Callable[[int], None]) -> None:
    gpus(8)
    command = launch("org/model", port=1, revision="abc", dtype="bfloat16", dp=8, extra=["--dp-size", "4"])
    assert command.command[1:3] == ("-m", "sglang.launch_server")
    assert command.environment == {"CUDA_HOME": "/cuda"}
    found = flags(command)
    assert (found["--schedule-policy"], found["--sampling-defaults"]) == ("lpm", "openai")
    assert (found["--revision"], found["--dtype"]) == ("abc", "bfloat16")
    assert found["--dp-size"] == "4"  # user flags come last
    own = ["--max-total-tokens", "9", "--device", "xpu"]
    found = flags(launch("m", port=1, device="cpu", dtype="bfloat16", extra=own))
    assert [found[name] for name in ("--max-total-tokens", "--device", "--dtype")] == ["9", "xpu", "bfloat16"]


@pytest.mark.parametrize(
    ("visible", "workers", "shares"),
    [("", 2, ["0,1,2,3", "4,5,6,7"]), ("7,5,3", 3, ["7", "5", "3"]), ("4,5,6,7,8", 2, ["4,5", "6,7"])],
)
def test_every_server_has_gpus_of_its_own(
    gpus: Callable[[int], None],
    monkeypatch: pytest.MonkeyPatch,
    visible: str,
    workers: int,
    shares: list[str],
) -> None:
    count = len(visible.split(",")) if visible else 8
    gpus(count)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    started = [launch("m", port=1, worker=worker, workers=workers) for worker in range(workers)]
    assert [command.environment["CUDA_VISIBLE_DEVICES"] for command in started] == shares
    with pytest.raises(BadInput, match=f"{2 * count} copies"):
        launch("m", port=1, dp=count, workers=2)


def test_a_gpu_that_pytorch_cannot_use_is_no_reason_to_take_the_cpu(
    gpus: Callable[[int], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    gpus(0)
    played = tmp_path / "nvidia-smi"
    played.write_text("#!/bin/sh\necho 'NVIDIA A100-SXM4-80GB, 535.129.03'\n")
    played.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert usable_gpus("cpu") == 0
    for device in ("auto", "cuda"):
        with pytest.raises(BadInput, match=r"535\.129\.03.*580"):
            launch("model", port=1, device=device)
    with pytest.raises(SystemExit) as ended:  # as called after installation
        runpy.run_path(harness.server.gpus.__file__, run_name="__main__")
    said = capsys.readouterr()
    assert (ended.value.code, said.out, said.err.count("\n")) == (2, "", 1)


def test_what_is_missing_is_said_before_a_server_is_started(
    gpus: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    gpus(1)
    for single in ({"dtype": "float32"}, {"extra": ["--dtype", "float32"]}):
        with pytest.raises(BadInput, match="no kernel for float32"):
            launch("model", port=1, **single)  # type: ignore[arg-type]
    for missing, said in (("which", "ninja"), ("toolkit", r"nvcc.*cuda-toolkit-13"), ("find_spec", "SGLang")):
        module = {"toolkit": harness.server.toolkit, "find_spec": importlib.util}.get(missing, shutil)
        monkeypatch.setattr(module, missing, lambda *_, **__: None)
        with pytest.raises(BadInput, match=said):
            launch("model", port=1)


ASKS_ITSELF = """
import os, shutil, sys, urllib.request
from tests.responder import Responder
with Responder({"GET": {}}) as server:
    urllib.request.urlopen(server.url, timeout=10)
sys.exit(shutil.which("played-ninja") != sys.argv[1] or "intranet," not in os.environ["no_proxy"])
"""


@pytest.mark.parametrize("name", ["NO_PROXY", "no_proxy"])
def test_a_server_reaches_itself_past_a_proxy_and_the_programs_beside_this_python(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(variable, raising=False)
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(variable, "http://127.0.0.1:1")
    monkeypatch.setenv(name, "intranet")
    ninja = tmp_path / "bin" / "played-ninja"
    ninja.parent.mkdir()
    ninja.touch(0o755)
    command = python(ASKS_ITSELF, ninja)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    with Server(command) as server:
        assert server.wait() == 0


def test_the_platform_stays_off_unless_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SGLANG_PLATFORM", raising=False)
    assert activate() is None
    monkeypatch.setenv("SGLANG_PLATFORM", "torch-cpu")
    assert activate() == "harness.server.cpu.device.TorchCpuPlatform"


@needs_proc
@pytest.mark.parametrize(
    ("sent", "status"),
    [pytest.param(signal.SIGINT, 130, marks=pytest.mark.release), (signal.SIGTERM, 143)],
)
def test_a_signal_stops_the_server_too(sent: signal.Signals, status: int, tmp_path: Path) -> None:
    script = OBEDIENT.replace("sys.argv[1]", repr(str(tmp_path / "pids")))
    words = [sys.executable, "-c", SERVE, script, "tiny"]
    with subprocess.Popen(words, cwd=ROOT, preexec_fn=interruptible) as process:
        pids = pids_in(tmp_path / "pids")
        process.send_signal(sent)
        assert process.wait(60) == status
    wait_until(lambda: not any(map(runs, pids)))


def test_a_model_that_is_nowhere_is_one_line_and_no_server_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setattr("harness.server.launch.launch", None)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    assert exit_status("serve", "no/model", "--port", free_ports()[0]) == 2
    said = capsys.readouterr().err
    assert (said.startswith("error: model no/model: "), said.count("\n")) == (True, 1)
