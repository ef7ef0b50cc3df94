"""The connection to a real server that drips, breaks off or sends garbage, and the options of its sockets."""

import asyncio
import socket
import struct
import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Any

import pytest
from aiohttp.test_utils import unused_port

from harness.errors import EngineError, EngineGone
from harness.http import connection as module
from harness.http import sockets
from harness.http.attempt import seconds_until
from harness.http.connection import ATTEMPTS, Connection
from harness.http.sockets import allow_in_flight, open_session
from results import BadInput
from tests.harness.engines.servers import openai, sglang
from tests.harness.http.simulated import ask
from tests.responder import Reply, Request, Responder

Habit = bytes | Callable[[Request], bytes]
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(module, "POLL_SECONDS", 0.02)


def served(*habits: Habit) -> Responder:
    """A server that answers successive POSTs with `habits`, and everything else with OK."""
    left = list(habits)

    def meet(request: Request) -> Any:
        habit = left.pop(0) if left else b"fine"
        if request.headers["Accept-Encoding"] != "identity":
            return Reply(b"fine", headers={"Content-Encoding": "gzip"})  # as many hosts do
        if habit == b"fine":
            return Reply(habit)
        return habit(request) if callable(habit) else habit

    return Responder({"GET": Reply(b"fine"), "POST": meet})


def reset(request: Request) -> bytes:
    """Send half a reply, then break the connection (TCP RST) instead of closing it."""
    request.connection.sendall(OK[:-2])
    time.sleep(0.01)
    request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.connection.close()
    return b""


def drip(request: Request, content: bytes = OK) -> bytes:
    """Send a reply byte by byte."""
    for byte in content:
        request.connection.sendall(bytes([byte]))
        time.sleep(0.005)
    return b""


def drip_for_ever(request: Request) -> bytes:
    return drip(request, OK[:-8] + b"1000\r\n\r\n" + b" " * 1000)


def head(*lines: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode()


BREAKS: dict[str, Habit] = {
    "closed at once": b"",
    "closed in its head": OK[:20],
    "closed in its body": OK[:-1],
    "reset in its body": reset,
    "not HTTP": b"\x16\x03\x01 what?\r\n\r\n",
    "no end to its head": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000,
    "half a chunk": head("Transfer-Encoding: chunked") + b"ff\r\nfine",
    "two lengths": head("Content-Length: 4", "Content-Length: 5") + b"fine",
    "a length beyond all bounds": head(f"Content-Length: {10**30}") + b"fine",
}


def with_server(
    *habits: Habit, work: Callable[[Connection], Awaitable[Any]] = ask, **more: Any
) -> tuple[Any, list[str]]:
    """The result of `work`, and the lines that the connection says."""
    said: list[str] = []

    async def run(url: str) -> Any:
        async with Connection(url, say=said.append, **more) as connection:
            return await work(connection)

    with served(*habits) as server:
        return asyncio.run(asyncio.wait_for(run(server.url), 30)), said


@pytest.mark.parametrize("habit", [*BREAKS.values(), drip], ids=[*BREAKS, "byte by byte"])
def test_a_reply_that_breaks_off_is_asked_for_again_and_one_byte_by_byte_is_a_reply(habit: Habit) -> None:
    assert with_server(habit)[0] == "fine"
    with pytest.raises(EngineError, match=f"{ATTEMPTS} attempts") if habit != drip else nullcontext():
        with_server(*[habit] * ATTEMPTS)


def test_a_reply_that_never_ends_holds_up_no_other_and_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.5)

    async def work(connection: Connection) -> None:
        dripping = asyncio.create_task(ask(connection))
        await asyncio.sleep(0.1)
        assert [await ask(connection) for _ in range(20)] == ["fine"] * 20
        with pytest.raises(EngineGone):
            await dripping

    with_server(drip_for_ever, work=work)


@pytest.mark.parametrize(("open_engine", "hint"), [(sglang, "tts serve"), (openai, "OpenAI's")])
def test_that_nothing_listens_on_this_machine_is_one_clear_line_at_once(
    open_engine: Callable[[str], Connection], hint: str
) -> None:
    async def run() -> None:
        async with open_engine(url):
            pass

    with socket.socket() as own:
        own.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{own.getsockname()[1]}"
        with pytest.raises(BadInput, match=f"nothing listens at {url}.*{hint}"):
            asyncio.run(run())


def test_a_proxy_of_the_environment_gets_no_request(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{unused_port()}")
    assert with_server()[0] == "fine"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        *(("", 0), ("3", 3), ("0.5", 0.5), ("-7", 0), ("nan", 0), ("inf", 600), ("1e9", 600)),
        *(("soon", 0), ("Fri, 31 Dec 9999 23:59:59 GMT", 0), ("9" * 5000, 600)),
    ],
)
def test_retry_after_is_seconds_and_never_for_ever(header: str, seconds: float) -> None:
    assert seconds_until(header) == seconds


def test_every_socket_is_kept_alive() -> None:
    def hold(request: Request) -> bytes:
        request.connection.sendall(OK[:-4])
        return request.connection.recv(1)  # until the client leaves

    async def run(url: str) -> None:
        async with open_session(None) as session, session.get(url) as response:
            assert response.connection is not None
            assert response.connection.transport is not None
            made = response.connection.transport.get_extra_info("socket")
            assert made.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            if hasattr(socket, "TCP_KEEPIDLE"):
                assert made.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) <= 120

    with Responder({"GET": hold}) as server:
        asyncio.run(asyncio.wait_for(run(server.url), 30))


def test_as_many_sockets_are_allowed_as_are_needed_or_the_run_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits = [(1024, 4096)]

    def setrlimit(_kind: int, new: tuple[int, int]) -> None:
        if new[0] > new[1]:
            raise ValueError("not allowed")
        limits.append(new)

    monkeypatch.setattr(sockets.resource, "getrlimit", lambda _kind: limits[-1])
    monkeypatch.setattr(sockets.resource, "setrlimit", setrlimit)
    allow_in_flight(300)
    assert limits == [(1024, 4096)]
    allow_in_flight(1024)
    assert 2 * 1024 < limits[-1][0] <= 4096
    with pytest.raises(BadInput, match=r"4,096.*--set concurrency=1920"):
        allow_in_flight(8192)
    allow_in_flight(1920)
