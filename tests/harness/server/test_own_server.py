"""The server that a run starts for itself: its flags, its crashes, and how they are reported."""

import asyncio
import json
import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import harness.engines.factory as factory
from harness.engines.base import Sampling
from harness.engines.factory import engine_for
from harness.experiment import model_location
from harness.http import connection
from harness.server import own_server
from harness.server.launch import Launch, Server, gpus_per_copy, launch
from harness.server.own_server import OwnServer, last_error
from results import BadInput
from tests.harness.run import real_run
from tests.harness.server.conftest import SERVE, flags
from tests.processes import python, wait_until

experiment = partial(real_run.experiment, engine="sglang")

# The parts of SGLang that the client uses before the first prompt.
GREETING = """
import os, sys
from tests.responder import Responder, like_sglang
Responder(like_sglang(sys.argv[2], " 18", pid=os.getpid()), int(sys.argv[1])).serve()
"""


@pytest.mark.parametrize("counts", [(1, 1, 1), (1, 1, 8), (1, 2, 8), (8, 1, 8)])
def test_a_run_on_several_gpus_starts_a_server_for_each(
    counts: tuple[int, int, int], gpus: Callable[[int], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dp, each, there = counts
    gpus(there)
    started, said = list[Launch](), list[str]()

    class Noted(Server):
        def __init__(self, command: Launch, *_: object) -> None:
            started.append(command)
            super().__init__(python("raise SystemExit(7)"), None)

    monkeypatch.setattr(own_server, "Server", Noted)
    tp = ("--tp", str(each))
    asked = experiment(device="cuda", dp=dp, dtype="bfloat16", revision="abc", server_flags=tp)
    opened = factory.own_server(asked, tmp_path / "log", said.append, ["--load-format", "dummy"])
    with pytest.raises(BadInput, match="has ended"):
        asyncio.run(opened.__aenter__())
    found = flags(started[0])
    assert (found["--workers"], found["--device"]) == (str(dp), "cuda")
    assert (found["--dtype"], found["--revision"]) == ("bfloat16", "abc")
    assert started[0].command[-4:] == (*tp, "--load-format", "dummy")
    in_flight = str(asked.concurrency // dp)
    assert found["--cuda-graph-max-bs-decode"] == found["--max-running-requests"] == in_flight
    told = (f"{dp * each} of {there} GPUs", f" dp={there // each} ")
    assert sum(all(part in line for part in told) for line in said) == (dp * each < there)


def test_a_copy_on_several_gpus_counts_as_many(gpus: Callable[[int], None], tmp_path: Path) -> None:
    gpus(8)
    given = ("--tp-size", "2", "--pp-size=2", "--quantization", "fp8")
    assert gpus_per_copy(given) == gpus_per_copy(("--tp", "8", "--nnodes", "2")) == 4
    assert gpus_per_copy(("--tp", "x")) == gpus_per_copy(("--tp",)) == gpus_per_copy(()) == 1
    with pytest.raises(BadInput, match=r"8 copies .* 4 GPUs each, need 32 .* has 8"):
        launch("model", port=1, worker=0, workers=8, extra=given)
    command = launch("model", port=1, worker=1, workers=2, extra=given)
    assert command.environment["CUDA_VISIBLE_DEVICES"] == "4,5,6,7"
    assert command.command[-5:] == given
    opened = factory.own_server(experiment(device="cuda", dp=8, server_flags=given), tmp_path / "log", print)
    with pytest.raises(BadInput, match="need 32"):
        asyncio.run(opened.__aenter__())


def test_what_a_fleet_says_is_told_and_kept_for_the_record(tmp_path: Path) -> None:
    said, go = list[str](), tmp_path / "go"
    script = (
        "import pathlib, sys, time\nprint('fleet: 2 servers', flush=True)\nprint('noise')\n"
        "while not pathlib.Path(sys.argv[1]).exists(): time.sleep(0.02)\n"
        "print('fleet: one ended', flush=True)\ntime.sleep(600)"
    )
    (tmp_path / "log").write_text("fleet: of an earlier run\n")
    server = OwnServer(python(script, go), tmp_path / "log", said.append)
    with server:
        for line in ("2 servers", "one ended"):
            wait_until(lambda: f"fleet: {line}" in (tmp_path / "log").read_text())  # noqa: B023
            server.check()
            assert said[-1] == line
            go.touch()
    assert [event.split(" ", 1)[1] for event in server.events] == said == ["2 servers", "one ended"]


def test_without_a_url_a_run_starts_and_stops_a_server_that_is_started_once_more_if_it_ends(
    gpus: Callable[[int], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpus(0)
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.01)
    said, started, log = list[str](), list[Server](), tmp_path / "server.log"

    class Watched(Server):
        def __init__(self, command: Launch, *more: Any) -> None:
            super().__init__(python(SERVE, GREETING, *command.command[4:]), *more)
            started.append(self)

    monkeypatch.setattr(own_server, "Server", Watched)

    async def run() -> None:
        async with engine_for(experiment(), log, said.append) as engine:
            assert started[0].ended() is None
            wait_until(lambda: "\nserving " in log.read_text())
            os.kill(json.loads((await engine.get("/server_info")).content)["pid"], signal.SIGKILL)
            assert (await engine.generate("egg", Sampling(8, 1.0), seed=1)).tokens > 0
            assert engine.describe()["server"]["model_path"] == model_location("tiny")

    asyncio.run(run())
    assert [server.ended() is not None for server in started] == [True]
    assert [str(log) in said[0], "is back" in said[-1]] == [True, True]
    assert sum("ended with status -9: starting it once more" in line for line in said) == 1
    assert any("GET /" in line for line in said)  # the log's end


def test_a_model_that_cannot_be_had_starts_no_server(
    gpus: Callable[[int], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpus(0)
    monkeypatch.setattr(own_server, "Server", None)
    opened = factory.own_server(experiment(model=str(tmp_path)), tmp_path / "log", print)
    with pytest.raises(BadInput, match="tokenizer"):
        asyncio.run(opened.__aenter__())
    assert list(tmp_path.iterdir()) == []


def test_of_a_server_that_has_ended_for_good_the_last_lines_are_shown(tmp_path: Path) -> None:
    said = list[str]()
    script = "print(*range(30), sep='\\n', flush=True); raise SystemExit(7)"
    with OwnServer(python(script), tmp_path / "log", said.append) as server:
        wait_until(lambda: server._server.ended() is not None)
        for _ in range(2):
            with pytest.raises(BadInput, match="has ended"):
                server.check()
    assert said[1:] == [f"  {line}" for line in range(20, 30)]


# Logs of SGLang 0.5.23: SIGABRT ended its scheduler; on an H200, whose RMSNorm has no kernel for float32, it
# did not get ready.
CRASHED = [
    *("", "Thread 0x00007feb57fff6c0 (most recent call first):", '  File "watchdog.py", line 147'),
    "Extension modules: numpy._core._multiarray_umath, torch._C (total: 123)",
    "[2026-11-25 16:01:52] Subprocess scheduler_0 (pid=15279) crashed with exit code -6.",
    "[2026-11-25 16:01:52] SIGQUIT received. signum=None, frame=None. It usually means one child failed.",
    "[2026-11-25 16:01:52] Sleeping 5 seconds before crash diagnostics to let GPU activity settle.",
    "asyncio.exceptions.CancelledError: Task cancelled",
    *["[2026-11-25 16:01:57] kill_process_tree called: parent_pid=13907"] * 12,
]
NOT_READY = [
    "[2026-11-27 13:04:45] Received sigquit from a child process. It usually means the child failed.",
    "[2026-11-27 13:04:45] kill_process_tree called: parent_pid=1338, include_parent=True, pid=1338",
    "error: SGLang ended with status -9 before it was ready: see its log above",
]


@pytest.mark.parametrize(
    ("error", "after"),
    [
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB", CRASHED),
        ("[2026-11-25 16:01:52] RuntimeError: CUDA error: an illegal memory access", CRASHED),
        ("Fatal Python error: Aborted", CRASHED),
        ("RuntimeError: rmsnorm(at::Tensor&)::<lambda()> failed to dispatch data type Float", NOT_READY),
    ],
)
def test_the_last_error_is_shown_and_not_what_follows_it(error: str, after: list[str]) -> None:
    before = ["ValueError: an earlier one", "SIGQUIT received", "Traceback (most recent call last):"]
    assert last_error([*before, error, *after]) == [*before, error]
