"""Starting and stopping servers: flags, and that nothing of a server is ever left running."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import harness.engines.factory as factory
import harness.server.launch
from harness.engines.base import Sampling
from harness.engines.factory import engine_for
from harness.engines.http import connection
from harness.experiment import Experiment, model_location, read_experiment
from harness.server.cpu.platform import activate
from harness.server.gpus import usable_gpus
from harness.server.launch import Launch, Server, launch
from results import BadInput
from tests.conftest import ROOT
from tests.processes import OBEDIENT, STUBBORN, needs_proc, pids_in, python, runs, wait_until

# As much of SGLang as the client asks for before the first prompt.
GREETING = """
import http.server, json, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"model_path": sys.argv[2], "version": "0.5.23"}).encode())
    def do_POST(self):
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()
        meta = {"prompt_tokens": len(sent["input_ids"]), "completion_tokens": 2}
        meta["finish_reason"] = {"type": "stop"}
        self.wfile.write(json.dumps({"text": " 18", "meta_info": meta}).encode())
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


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


def flags(command: Launch) -> dict[str, str]:
    """Each flag with what follows it; the last of its name, as SGLang reads them."""
    words = command.command
    return {word: after for word, after in zip(words, [*words[1:], ""], strict=True) if word.startswith("--")}


def test_without_a_gpu_the_platform_of_the_project_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for variable in ("OMP_NUM_THREADS", "SGLANG_CPU_OMP_THREADS_BIND"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {5, 3}, raising=False)
    command = launch("model", port=1234, dp=2)
    assert command.command[1:3] == ("-m", "harness.server.cpu.launch")
    found = flags(command)
    assert (found["--device"], found["--port"], found["--host"]) == ("cpu", "1234", "127.0.0.1")
    assert (found["--dtype"], found["--dp-size"]) == ("float32", "2")
    assert command.environment["SGLANG_PLATFORM"] == "torch-cpu"
    assert command.environment["CUDA_VISIBLE_DEVICES"] == ""
    assert command.environment["SGLANG_CPU_OMP_THREADS_BIND"] == "3|5"


def test_on_a_gpu_the_flags_are_those_for_many_answers_a_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 8)
    command = launch("org/model", port=1, revision="abc", dtype="bfloat16", dp=8, extra=["--dp-size", "4"])
    assert command.command[1:3] == ("-m", "sglang.launch_server")
    assert command.environment == {}
    found = flags(command)
    assert found["--schedule-policy"] == "lpm"
    assert found["--sampling-defaults"] == "openai"
    assert (found["--revision"], found["--dtype"]) == ("abc", "bfloat16")
    assert found["--dp-size"] == "4"  # flags of one's own come last
    assert flags(launch("m", port=1, device="cpu"))["--device"] == "cpu"


@pytest.mark.parametrize(("device", "runs_on_a_cpu"), [("auto", False), ("cuda", False), ("cpu", True)])
def test_a_gpu_that_pytorch_cannot_use_is_no_reason_to_take_the_cpu(
    device: str, runs_on_a_cpu: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = tmp_path / "nvidia-smi"
    played.write_text("#!/bin/sh\necho 'NVIDIA A100-SXM4-80GB, 535.129.03'\n")
    played.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    if runs_on_a_cpu:
        assert usable_gpus(device) == 0
        return
    with pytest.raises(BadInput, match=r"535\.129\.03.*580"):
        launch("model", port=1, device=device)


def test_after_installing_an_unusable_gpu_is_one_line(tmp_path: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    command = [sys.executable, "-m", "harness.server.gpus"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", ["gsm8k-256", "gsm8k-budgets", "gsm8k-forced", "math-budgets"])
def test_the_experiments_for_a_gpu_do_not_run_on_the_cpu(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(BadInput, match="can use no GPU"):
        launch("model", port=1, device=read_experiment(name).device)


def test_each_server_has_a_random_seed_of_its_own() -> None:
    seeds = {flags(launch("model", port=1, device="cpu"))["--random-seed"] for _ in range(8)}
    assert len(seeds) == 8


def test_sglang_that_is_not_installed_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness.server.launch.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(BadInput, match="SGLang is not installed"):
        launch("model", port=1)


def test_the_platform_stays_off_unless_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SGLANG_PLATFORM", raising=False)
    assert activate() is None
    monkeypatch.setenv("SGLANG_PLATFORM", "torch-cpu")
    assert activate() == "harness.server.cpu.device.TorchCpuPlatform"


@pytest.mark.parametrize(("dp", "gpus"), [(1, 1), (1, 8), (8, 8)])
def test_a_run_on_several_gpus_starts_a_server_for_each(
    dp: int, gpus: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    started, said = list[Launch](), list[str]()

    class Noted(Server):
        def __init__(self, command: Launch, *_: object) -> None:
            started.append(command)
            super().__init__(python("raise SystemExit(7)"), None)

    monkeypatch.setattr(factory, "Server", Noted)
    values = read_experiment("tiny").model_dump() | {"engine": "sglang", "device": "cuda", "dp": dp}

    async def run() -> None:
        async with engine_for(Experiment.model_validate(values), tmp_path / "log", said.append):
            pass

    with pytest.raises(BadInput, match="status 7"):
        asyncio.run(run())
    found = flags(started[0])
    assert (found.get("--workers"), found.get("--dp-size")) == (("8", None) if dp == 8 else (None, "1"))
    assert sum(f"{dp} of {gpus} GPUs" in line for line in said) == (dp < gpus)


def open_own_server(
    folder: Path, monkeypatch: pytest.MonkeyPatch, script: str, kill: bool = False, model: str = "tiny"
) -> tuple[list[str], str]:
    """Open the engine of an experiment without a URL, with `script` in SGLang's place; `kill` it once."""
    said, started = list[str](), list[Server]()

    class Watched(Server):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            started.append(self)

    monkeypatch.setattr(factory, "launch", lambda model, *, port, **_: python(script, port, model))
    monkeypatch.setattr(factory, "Server", Watched)
    values = read_experiment("tiny").model_dump() | {"engine": "sglang", "model": model}

    async def run() -> str:
        opened = engine_for(Experiment.model_validate(values), folder / "server.log", said.append)
        async with opened as engine:
            assert started[0].ended() is None
            if kill:
                started[0]._process.kill()
                assert len(await engine.generate("egg", 1, Sampling(8, 1.0), seed=1)) == 1
            return str(engine.describe()["server"]["model_path"])

    try:
        served = asyncio.run(run())
    finally:
        assert all(server.ended() is not None for server in started)
    assert len(started) == 1 + kill
    return said, served


def test_without_a_url_a_run_starts_and_stops_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, served = open_own_server(tmp_path, monkeypatch, GREETING)
    assert served == model_location("tiny")
    assert said == [f"starting SGLang for {model_location('tiny')}, log in {tmp_path}/server.log"]
    assert "GET /health" in (tmp_path / "server.log").read_text()


def test_a_server_that_cannot_start_is_one_line_that_names_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadInput, match=r"SGLang ended with status 7: see .*server\.log"):
        open_own_server(tmp_path, monkeypatch, "print('why'); raise SystemExit(7)")
    assert (tmp_path / "server.log").read_text() == "why\n"


def test_a_model_that_cannot_be_had_is_found_before_a_server_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadInput, match="tokenizer"):
        open_own_server(tmp_path, monkeypatch, GREETING, model=str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_ends_in_the_middle_is_started_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.01)
    said, _ = open_own_server(tmp_path, monkeypatch, GREETING, kill=True)
    assert sum("status -9" in line for line in said) == 1
    assert any("GET /" in line for line in said)  # the log's end
    assert "is back" in said[-1]


def test_a_server_that_ends_again_and_again_ends_the_run(tmp_path: Path) -> None:
    server = factory.OwnServer(python("raise SystemExit(7)"), tmp_path / "log", print)
    with server:
        server.may_restart = True
        wait_until(lambda: server._server.ended() is not None)
        server.check()
        wait_until(lambda: server._server.ended() is not None)
        with pytest.raises(BadInput, match="status 7"):
            server.check()
