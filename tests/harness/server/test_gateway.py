"""Several servers behind a gateway: starting in order, stopping together, dying one by one."""

import os
import signal
import socket
import threading
import urllib.request
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import harness.server.gateway
import harness.server.launch
from harness.http import connection
from harness.server import worker
from harness.server.fleet import SAYS, fleet
from harness.server.launch import Launch, Server, check_free, free_ports
from results import BadInput
from tests.harness.commands import command
from tests.processes import needs_proc, python, runs, wait_until

# Answers every GET with 200 and writes a line to its file; exits when asked for /end.
SERVER = """
import os, sys
from tests.responder import Responder
def note(request):
    if request.path == "/end":
        os._exit(5)
    with open(sys.argv[2], "a") as file:
        print(request.path, file=file)
    return {}
Responder({"GET": note}, int(sys.argv[1])).serve()
"""


def get(url: str) -> None:
    urllib.request.urlopen(url, timeout=5).close()


def end(url: str) -> None:
    with pytest.raises(OSError):  # noqa: PT011 -- whatever a server that dies leaves
        get(f"{url}/end")


def last_is(said: list[str], line: str) -> bool:
    return said[-1] == line


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The lines a fleet says; its gateway is a mock that records its workers."""
    monkeypatch.setattr(connection, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(worker, "PROBES_APART", 0.02)

    def gateway(port: int, metrics_port: int, workers: list[str]) -> Launch:
        (tmp_path / "workers").write_text(" ".join(workers))
        return python(SERVER, port, tmp_path / "gateway")

    monkeypatch.setattr(harness.server.gateway, "gateway_launch", gateway)
    return []


def played(folder: Path, said: list[str], port: int, script: str = SERVER) -> Any:
    return fleet(2, port, lambda number, own: python(script, own, folder / f"worker-{number}"), said.append)


def test_a_fleet_starts_in_order_and_goes_on_with_what_is_left(tmp_path: Path, said: list[str]) -> None:
    (port,) = free_ports()
    with played(tmp_path, said, port) as wait:
        assert listens(port)
        workers = (tmp_path / "workers").read_text().split()
        assert said == [f"{SAYS}2 servers at {', '.join(workers)} answer at http://127.0.0.1:{port}"]
        for number in (0, 1):
            assert set((tmp_path / f"worker-{number}").read_text().split()) == {"/health"}
        assert (tmp_path / "gateway").read_text() == "/readiness\n"

        status: list[int] = []
        waiting = threading.Thread(target=lambda: status.append(wait()))
        waiting.start()
        for left, url in ((1, workers[1]), (0, workers[0])):
            what, own = f"{SAYS}the server at {url} ended with status 5", int(url.rsplit(":", 1)[1])
            end(url)
            wait_until(partial(last_is, said, f"{what}: starting it once more"))
            wait_until(partial(listens, own))
            end(url)
            wait_until(partial(last_is, said, f"{what}: {left} left"))
            assert listens(port)
        waiting.join(10)
        assert status == [5]
    assert not any(map(listens, [port, *(int(url.rsplit(":", 1)[1]) for url in workers)]))


def test_servers_behind_the_gateway_of_another_host_are_listed_at_their_own_address(
    tmp_path: Path, said: list[str]
) -> None:
    port = next(port for port in iter(lambda: free_ports()[0], 0) if not listens(port + 1))
    listing, at = tmp_path / "listing", [f"http://localhost:{own}" for own in (port, port + 1)]
    with fleet(
        2, port, lambda _, own: python(SERVER, own, tmp_path / "worker"), said.append, "localhost", listing
    ):
        assert [url for url in at if f'"{url}"' in listing.read_text()] == at
        assert said == [f"{SAYS}2 servers at {', '.join(at)} answer at there"]
    assert not (tmp_path / "workers").exists()  # no gateway here


@needs_proc
def test_a_server_that_is_stopped_and_not_dead_is_killed_with_its_requests_and_started_again(
    tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "UNWELL_SECONDS", 0.5)
    monkeypatch.setattr(worker, "PROBE_SECONDS", 0.2)
    opened: list[Server] = []
    begin = Server.__init__

    def noting(server: Server, *arguments: Any) -> None:
        begin(server, *arguments)
        opened.append(server)

    monkeypatch.setattr(Server, "__init__", noting)
    with played(tmp_path, said, free_ports()[0]) as wait:
        url = (tmp_path / "workers").read_text().split()[0]
        threading.Thread(target=wait, daemon=True).start()
        stopped = opened[0]
        wait_until(lambda: (tmp_path / "worker-0").read_text().count("/health") > 3)
        os.kill(stopped._process.pid, signal.SIGSTOP)
        wait_until(lambda: len(said) > 1, 20)
        assert said[1:] == [f"{SAYS}the server at {url} ended with status -9: starting it once more"]
        assert not runs(stopped._process.pid)
        wait_until(lambda: worker.is_well(f"{url}/health", 0.2), 20)
        opened[2].ask_to_end()  # the gateway, which ends the fleet's wait


def test_a_server_that_cannot_start_stops_the_others_at_the_same_time(
    tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    for name in ("ask_to_end", "stop"):
        done = getattr(Server, name)
        monkeypatch.setattr(
            Server, name, lambda server, name=name, done=done: (calls.append(name), done(server))
        )
    script = f"import sys\nif sys.argv[2].endswith('1'): sys.exit(7)\n{SERVER}"
    with pytest.raises(BadInput, match="SGLang ended with status 7 before it was ready"):
        played(tmp_path, said, free_ports()[0], script).__enter__()
    assert calls[:3] == ["ask_to_end", "ask_to_end", "stop"]
    workers = (tmp_path / "workers").read_text().split()
    assert not any(listens(int(url.rsplit(":", 1)[1])) for url in workers)


def test_a_port_in_use_is_refused_before_anything_is_started_and_an_address_of_another_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = command("serve", "tiny", "--device", "cpu", "--port", port)
    assert (result.exit_code, str(port) in result.output) == (2, True)
    check_free(port)
    monkeypatch.setenv("SGLANG_API_KEY", "secret-of-the-hosts")
    result = command("serve", "tiny", "--device", "cpu", "--port", port, "--host", "192.0.2.1")
    assert (result.exit_code, "192.0.2.1" in result.output) == (2, True)


def test_for_each_server_that_other_hosts_reach_a_port_has_to_be_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(harness.server.launch, "check_free", lambda port, _host: asked.append(port))
    command("serve", tmp_path, "--host", "localhost", "--port", 7, "--workers", 2)
    assert asked == [7, 8]


def test_copies_with_one_seed_are_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> Launch:
        raise BadInput("far enough")

    monkeypatch.setattr(harness.server.launch, "launch", stop)
    for flags in ((), ("--dp", "2")):
        result = command("serve", "tiny", "--port", free_ports()[0], *flags)
        assert ("--workers 2" in result.output) == bool(flags)


def test_ports_differ_and_are_free() -> None:
    ports = free_ports(50)
    assert len(set(ports)) == 50
    assert max(ports) < 32768  # higher ports may be taken by an outgoing connection before the server starts
    for port in ports:
        check_free(port)
