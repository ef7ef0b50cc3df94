"""The connection under the engines: stuck requests, servers that go away and come back, pauses."""

import asyncio
import email.utils
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer, unused_port
from hypothesis import given
from hypothesis import strategies as st

from harness.engines.base import EngineError, EngineGone
from harness.engines.http import connection as module
from harness.engines.http import retrying
from harness.engines.http.connection import Connection
from harness.engines.http.retrying import ReplyTimes, TryAgain, retry_after
from results import BadInput

Reply = Callable[[web.Request, Any], Awaitable[web.Response]]


async def echo(_request: web.Request, body: Any) -> web.Response:
    return web.json_response(body)


async def never(_request: web.Request, _body: Any) -> web.Response:
    await asyncio.Event().wait()
    raise AssertionError


class Backend:
    """A server that can be stopped and started again at the same port; `reply` answers each POST."""

    def __init__(self, reply: Reply = echo) -> None:
        self.reply = reply
        self.port = unused_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.probes = 0
        self.asked: list[Any] = []
        self.left: list[Any] = []
        """Requests whose client went away before the answer."""

    async def start(self) -> None:
        app = web.Application()
        app.router.add_get("/health", self._health)
        app.router.add_post("/ask", self._answer)
        self._server = TestServer(app, port=self.port)
        await self._server.start_server()

    async def stop(self) -> None:
        await self._server.close()

    async def _health(self, _request: web.Request) -> web.Response:
        self.probes += 1
        return web.Response()

    async def _answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.asked.append(body)
        try:
            return await self.reply(request, body)
        except asyncio.CancelledError:
            self.left.append(body)
            raise


def read(content: bytes) -> str:
    return content.decode()


def with_connection(
    backend: Backend, work: Callable[[Connection], Awaitable[Any]], said: list[str] | None = None, **more: Any
) -> Any:
    async def run() -> Any:
        await backend.start()
        say = said.append if said is not None else lambda _line: None
        try:
            async with Connection(backend.url, ready="/health", say=say, **more) as connection:
                return await work(connection)
        finally:
            await backend.stop()

    return asyncio.run(run())


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(module, "WATCH_SECONDS", 0.02)
    monkeypatch.setattr(module, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(module, "RETURN_PATIENCE", 0.3)


def test_a_stuck_request_is_aborted_and_sent_again_while_others_are_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(retrying, "SHORTEST_LIMIT", 1.0)

    async def stuck_once(request: web.Request, body: Any) -> web.Response:
        if body == 3 and backend.asked.count(3) == 1:
            return await never(request, body)
        return await echo(request, body)

    async def ask_all(connection: Connection) -> list[str]:
        return await asyncio.gather(*(connection.ask("/ask", i, read, tokens=8) for i in range(8)))

    backend = Backend(stuck_once)
    assert with_connection(backend, ask_all) == [str(i) for i in range(8)]
    assert backend.left == [3]  # the server could tell that nobody waits any more
    assert backend.asked.count(3) == 2


def test_a_request_that_is_always_stuck_fails_after_a_few_longer_and_longer_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(retrying, "SHORTEST_LIMIT", 0.3)

    async def stuck(request: web.Request, body: Any) -> web.Response:
        return await (never if body == "stuck" else echo)(request, body)

    async def ask_both(connection: Connection) -> None:
        await connection.ask("/ask", "fine", read, tokens=8)
        begun = time.monotonic()
        with pytest.raises(EngineError, match="3 attempts failed, the last with: no reply in 1 s"):
            await connection.ask("/ask", "stuck", read, tokens=8)
        assert time.monotonic() - begun >= 0.3 + 0.6 + 1.2

    backend = Backend(stuck)
    with_connection(backend, ask_both)
    assert backend.asked.count("stuck") == retrying.STUCK_ATTEMPTS


def test_a_slow_machine_is_given_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "SHORTEST_LIMIT", 0.3)

    async def slow(request: web.Request, body: Any) -> web.Response:
        await asyncio.sleep(body)
        return await echo(request, body)

    async def ask_all(connection: Connection) -> None:
        # The first reply is waited for, and longer requests may take longer in proportion.
        for seconds, tokens in ((0.5, 10), (1.5, 100)):
            await connection.ask("/ask", seconds, read, tokens=tokens)

    backend = Backend(slow)
    with_connection(backend, ask_all)
    assert backend.asked == [0.5, 1.5]


@given(
    replies=st.lists(st.tuples(st.floats(0, 1e4), st.integers(1, 10**6)), min_size=1, max_size=5),
    tokens=st.integers(1, 10**6),
)
def test_no_reply_seen_so_far_would_have_been_given_up(replies: list[tuple[float, int]], tokens: int) -> None:
    times = ReplyTimes()
    assert times.limit(tokens) == retrying.FIRST_REPLY
    for seconds, asked in replies:
        times.add(seconds, asked)
    assert all(times.limit(asked) >= retrying.SLACK * seconds for seconds, asked in replies)
    assert times.limit(2 * tokens) >= times.limit(tokens) >= retrying.SHORTEST_LIMIT


def test_all_requests_wait_together_for_a_server_that_comes_back() -> None:
    async def fall_over(connection: Connection) -> list[str]:
        await backend.stop()
        asking = asyncio.gather(*(connection.ask("/ask", i, read, tokens=8) for i in range(20)))
        await asyncio.sleep(0.2)
        await backend.start()
        return await asking

    backend, said = Backend(), list[str]()
    assert with_connection(backend, fall_over, said) == [str(i) for i in range(20)]
    assert sorted(backend.asked) == list(range(20))
    assert len(said) == 2
    assert said[0].startswith(f"the server at {backend.url} does not answer (Cannot connect to host")
    assert said[0].endswith("waiting 0 s for it to come back")
    assert said[1] == f"the server at {backend.url} is back"


def test_a_server_that_stays_away_is_gone_for_all() -> None:
    async def fall_over(connection: Connection) -> list[Any]:
        await backend.stop()
        asking = [connection.ask("/ask", i, read, tokens=8) for i in range(20)]
        found = await asyncio.gather(*asking, return_exceptions=True)
        begun = time.monotonic()
        with pytest.raises(EngineGone, match="does not answer"):
            await connection.ask("/ask", 20, read, tokens=8)
        assert time.monotonic() - begun < 0.1
        await backend.start()
        return found

    backend = Backend()
    found = with_connection(backend, fall_over)
    assert {type(error) for error in found} == {EngineGone}
    assert len({str(error) for error in found}) == 1


def test_requests_in_flight_do_not_outlast_a_server_that_is_gone() -> None:
    async def hang(connection: Connection) -> None:
        asking = asyncio.gather(*(connection.ask("/ask", i, read, tokens=8) for i in range(2)))
        await asyncio.sleep(0.1)
        connection._gone = "gone"
        with pytest.raises(EngineGone, match="gone"):
            await asyncio.wait_for(asking, 5)

    with_connection(Backend(never), hang)


@pytest.mark.parametrize("when", ["ended", "returned"])
def test_what_is_found_out_about_a_server_that_was_away_ends_the_run(when: str) -> None:
    def ended() -> None:
        raise BadInput("SGLang ended with status -9")

    async def returned() -> None:
        raise BadInput("the server came back with another model_path")

    async def fall_over(connection: Connection) -> None:
        await backend.stop()
        asking = asyncio.create_task(connection.ask("/ask", 1, read, tokens=8))
        await asyncio.sleep(0.1)
        await backend.start()
        with pytest.raises(EngineGone, match=r"ended with status -9|another model_path"):
            await asking

    backend = Backend()
    more = {"ended": {"check_alive": ended}, "returned": {"on_return": returned}}[when]
    with_connection(backend, fall_over, **more)


def test_nothing_is_sent_before_the_server_wants_it() -> None:
    async def busy_once(request: web.Request, body: Any) -> web.Response:
        if len(backend.asked) == 1:
            return web.Response(status=503, headers={"Retry-After": "0.4"})
        return await echo(request, body)

    async def ask(connection: Connection) -> float:
        begun = time.monotonic()
        await connection.ask("/ask", 1, read, tokens=8)
        return time.monotonic() - begun

    backend = Backend(busy_once)
    assert with_connection(backend, ask) >= 0.4
    assert len(backend.asked) == 2


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        *(("", 0), ("3", 3), ("0.5", 0.5), ("-7", 0), ("nan", 0), ("inf", 600), ("1e9", 600)),
        *(("soon", 0), ("Fri, 99 Xxx 2025", 0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0)),
    ],
)
def test_retry_after_is_seconds_or_a_date_and_never_for_ever(header: str, seconds: float) -> None:
    assert retry_after(header) == seconds


def test_retry_after_a_date_to_come() -> None:
    header = email.utils.formatdate(time.time() + 30, usegmt=True)
    assert 27 < retry_after(header) <= 30


def test_a_reader_may_ask_again() -> None:
    def second(content: bytes) -> str:
        if len(backend.asked) == 1:
            raise TryAgain("half a reply")
        return content.decode()

    backend = Backend()
    assert with_connection(backend, lambda connection: connection.ask("/ask", 1, second, tokens=8)) == "1"
