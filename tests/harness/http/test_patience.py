"""Slow and dead servers told apart, in simulated time; and sockets that notice a host that has vanished."""

import asyncio
import socket
from typing import Any

import pytest

from harness.errors import EngineGone
from harness.http import sockets
from harness.http.attempt import Reply
from harness.http.connection import METRICS, PATIENCE, SAY_SECONDS, tokens_generated
from harness.http.sockets import allow_in_flight, open_session
from results import BadInput
from tests.harness.http.simulated import SimulatedServer, after, ask, now, simulate
from tests.responder import Request, Responder

FIRST_REPLY = 4 * PATIENCE


class Counting(SimulatedServer):
    """Takes FIRST_REPLY for an answer; its count of tokens rises until `stops`."""

    def __init__(self, stops: float, place: str) -> None:
        super().__init__(lambda _body: after(FIRST_REPLY))
        self.stops, self.place = stops, place

    async def send(self, method: str, path: str, max_bytes: int, body: Any = None) -> Reply:
        if method == "GET" and path == self.place:
            count = 1000 * min(now(), self.stops)
            return Reply(200, "", f'sglang:realtime_tokens_total{{mode="decode"}} {count}\n'.encode())
        if method == "GET" and path in METRICS:
            return Reply(404, "", b"")
        return await super().send(method, path, max_bytes, body)


@pytest.mark.parametrize("place", METRICS)
def test_a_slow_server_that_generates_is_waited_for(place: str) -> None:
    said: list[str] = []
    assert simulate(Counting(1e9, place), ask, say=said.append) == "fine"
    assert len(said) > 0.9 * FIRST_REPLY / SAY_SECONDS
    assert all("generates" in line for line in said[2:])


def test_a_server_that_stops_generating_is_given_up_in_the_end() -> None:
    async def work(connection: Any) -> float:
        with pytest.raises(EngineGone):
            await ask(connection)
        return now()

    stops = 2000.0
    ended = simulate(Counting(stops, METRICS[0]), work)
    assert stops + PATIENCE <= ended <= stops + PATIENCE + 3 * SAY_SECONDS


def test_patience_is_a_setting() -> None:
    async def work(connection: Any) -> float:
        connection.patience = 90.0
        with pytest.raises(EngineGone):
            await ask(connection)
        return now()

    assert simulate(SimulatedServer(lambda _body: after(1e9)), work) == pytest.approx(90, abs=2)


@pytest.mark.parametrize(
    ("metrics", "tokens"),
    [
        (
            'vllm:generation_tokens_total{engine="0"} 40.0\nvllm:generation_tokens_total{engine="1"} 2e1\n',
            60.0,
        ),
        ('sglang:realtime_tokens_total{mode="prefill_compute"} 9.0\n', None),
        ('sglang:realtime_tokens_total{a="b",mode="decode"} 9.0\nsglang:generation_tokens_total 1.0', 10.0),
        ("llamacpp:tokens_predicted_total 7\n", 7.0),
        ("# HELP sglang:generation_tokens_total of 7\n", None),
        ("sglang:generation_tokens_total many\n", None),
        ("", None),
    ],
)
def test_counts_of_generated_tokens_are_added_up(metrics: str, tokens: float | None) -> None:
    assert tokens_generated(metrics) == tokens


def test_every_socket_is_kept_alive() -> None:
    made: list[socket.socket] = []

    def hold(request: Request) -> bytes:
        request.connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
        return request.connection.recv(1)  # until the client leaves

    async def run() -> None:
        async with open_session(None) as session, session.get(server.url) as response:
            assert response.connection is not None
            assert response.connection.transport is not None
            made.append(response.connection.transport.get_extra_info("socket"))
            assert made[0].getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            if hasattr(socket, "TCP_KEEPIDLE"):
                assert made[0].getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) <= 120

    with Responder({"GET": hold}) as server:
        asyncio.run(asyncio.wait_for(run(), 30))
    assert len(made) == 1


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
