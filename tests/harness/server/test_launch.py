"""Starting and stopping servers: flags, and that nothing of a server is ever left running."""

import asyncio
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import harness.engines.factory as factory
import harness.server.gpus
import harness.server.launch
from harness.engines.base import Sampling
from harness.engines.factory import engine_for
from harness.engines.http import connection
from harness.experiment import Experiment, model_location, read_experiment
from harness.server.cpu.platform import activate
from harness.server.gpus import usable_gpus
from harness.server.launch import Launch, Server, launch
from results import BadInput
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


@pytest.fixture
def gpus(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Plays SGLang, and a PyTorch that sees a number of GPUs; neither need be installed."""
    monkeypatch.setattr(harness.server.launch.importlib.util, "find_spec", lambda _name: True)

    def play(count: int) -> None:
        cuda = SimpleNamespace(is_available=lambda: count > 0, device_count=lambda: count)
        monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda, __version__="2.13.0"))

    return play


def flags(command: Launch) -> dict[str, str]:
    """Each flag with what follows it; the last of its name, as SGLang reads them."""
    words = command.command
    return {word: after for word, after in zip(words, [*words[1:], ""], strict=True) if word.startswith("--")}


def test_without_a_gpu_the_platform_of_the_project_is_used(
    gpus: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    gpus(0)
    for variable in ("OMP_NUM_THREADS", "SGLANG_CPU_OMP_THREADS_BIND"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {5, 3}, raising=False)
    command, other = (launch("model", port=1234, dp=2) for _ in range(2))
    assert command.command[1:3] == ("-m", "harness.server.cpu.launch")
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
    assert command.environment == {}
    found = flags(command)
    assert (found["--schedule-policy"], found["--sampling-defaults"]) == ("lpm", "openai")
    assert (found["--revision"], found["--dtype"]) == ("abc", "bfloat16")
    assert found["--dp-size"] == "4"  # flags of one's own come last
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


@pytest.mark.parametrize(("device", "runs_on_a_cpu"), [("auto", False), ("cuda", False), ("cpu", True)])
def test_a_gpu_that_pytorch_cannot_use_is_no_reason_to_take_the_cpu(
    device: str,
    runs_on_a_cpu: bool,
    gpus: Callable[[int], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gpus(0)
    played = tmp_path / "nvidia-smi"
    played.write_text("#!/bin/sh\necho 'NVIDIA A100-SXM4-80GB, 535.129.03'\n")
    played.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    if runs_on_a_cpu:
        assert usable_gpus(device) == 0
        return
    with pytest.raises(BadInput, match=r"535\.129\.03.*580"):
        launch("model", port=1, device=device)


def test_after_installing_an_unusable_gpu_is_one_line(
    gpus: Callable[[int], None], capsys: pytest.CaptureFixture[str]
) -> None:
    gpus(0)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(harness.server.gpus.__file__, run_name="__main__")
    said = capsys.readouterr()
    assert (ended.value.code, said.out, said.err.count("\n")) == (2, "", 1)


def test_sglang_that_is_not_installed_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness.server.launch.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(BadInput, match="SGLang is not installed"):
        launch("model", port=1)


def test_the_platform_stays_off_unless_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SGLANG_PLATFORM", raising=False)
    assert activate() is None
    monkeypatch.setenv("SGLANG_PLATFORM", "torch-cpu")
    assert activate() == "harness.server.cpu.device.TorchCpuPlatform"


@pytest.mark.parametrize(("dp", "there"), [(1, 1), (1, 8), (8, 8)])
def test_a_run_on_several_gpus_starts_a_server_for_each(
    dp: int, there: int, gpus: Callable[[int], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpus(there)
    started, said = list[Launch](), list[str]()

    class Noted(Server):
        def __init__(self, command: Launch, *_: object) -> None:
            started.append(command)
            super().__init__(python("raise SystemExit(7)"), None)

    monkeypatch.setattr(factory, "Server", Noted)
    asked = experiment(device="cuda", dp=dp, dtype="bfloat16", revision="abc")
    opened = factory.own_server(asked, tmp_path / "log", said.append, ["--load-format", "dummy"])
    with pytest.raises(BadInput, match="status 7"):
        asyncio.run(opened.__aenter__())
    found = flags(started[0])
    assert (found.get("--workers"), found.get("--dp-size")) == (("8", None) if dp == 8 else (None, "1"))
    given = [found[name] for name in ("--load-format", "--dtype", "--revision")]
    assert given == ["dummy", "bfloat16", "abc"]
    assert found.get("--device") == ("cuda" if dp == 8 else None)
    assert sum(f"{dp} of {there} GPUs" in line for line in said) == (dp < there)


def experiment(**values: Any) -> Experiment:
    return Experiment.model_validate(read_experiment("tiny").model_dump() | {"engine": "sglang"} | values)


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

    async def run() -> str:
        async with engine_for(experiment(model=model), folder / "server.log", said.append) as engine:
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


def test_without_a_url_a_run_starts_and_stops_a_server_and_starts_it_once_more_if_it_ends(
    gpus: Callable[[int], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpus(0)
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.01)
    said, served = open_own_server(tmp_path, monkeypatch, GREETING, kill=True)
    assert served == model_location("tiny")
    assert [str(tmp_path / "server.log") in said[0], "is back" in said[-1]] == [True, True]
    assert sum("status -9" in line for line in said) == 1
    assert any("GET /" in line for line in said)  # the log's end


def test_a_server_that_cannot_start_is_one_line_and_a_model_that_cannot_be_had_starts_none(
    gpus: Callable[[int], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpus(0)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(BadInput, match="tokenizer"):
        open_own_server(empty, monkeypatch, GREETING, model=str(empty))
    assert list(empty.iterdir()) == []
    with pytest.raises(BadInput, match=r"SGLang ended with status 7: see .*server\.log"):
        open_own_server(tmp_path, monkeypatch, "print('why'); raise SystemExit(7)")
    assert (tmp_path / "server.log").read_text() == "why\n"


def test_a_server_that_ends_again_and_again_ends_the_run(tmp_path: Path) -> None:
    said = list[str]()
    script = "print(*range(30), sep='\\n', flush=True); raise SystemExit(7)"
    server = factory.OwnServer(python(script), tmp_path / "log", said.append)
    with server:
        server.may_restart = True
        wait_until(lambda: server._server.ended() is not None)
        server.check()
        assert said[1:11] == [f"  {line}" for line in range(20, 30)]
        wait_until(lambda: server._server.ended() is not None)
        with pytest.raises(BadInput, match="status 7"):
            server.check()
