"""The connection to a real server that hangs, goes away and comes back."""

import asyncio
import email.utils
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer, unused_port

from harness.engines.base import EngineGone
from harness.engines.http import connection as module
from harness.engines.http import reply
from harness.engines.http.api_key import ApiKey
from harness.engines.http.connection import Connection
from harness.engines.http.reply import seconds_until
from harness.engines.openai.engine import OpenAIEngine
from harness.engines.sglang import SGLangEngine
from harness.experiment import model_location
from results import BadInput

Reply = Callable[[web.Request, Any], Awaitable[web.Response]]


async def echo(_request: web.Request, body: Any) -> web.Response:
    return web.json_response(body)


class Backend:
    """A server that can be stopped and started again at the same port; `reply` answers each POST."""

    def __init__(self, reply: Reply = echo) -> None:
        self.reply = reply
        self.port = unused_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.probes = 0
        self.asked: list[Any] = []

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
        return await self.reply(request, body)


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
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(module, "POLL_SECONDS", 0.02)


def test_all_requests_wait_together_for_a_server_that_comes_back() -> None:
    async def fall_over(connection: Connection) -> list[str]:
        await backend.stop()
        asking = asyncio.gather(*(connection.ask("/ask", i, read, max_tokens=8) for i in range(20)))
        while not said:
            await asyncio.sleep(0.01)
        await backend.start()
        return await asking

    backend, said = Backend(), list[str]()
    assert with_connection(backend, fall_over, said) == [str(i) for i in range(20)]
    assert sorted(backend.asked) == list(range(20))
    assert len(said) == 2
    assert all(backend.url in line for line in said)
    assert "Cannot connect" in said[0]


def open_sglang(url: str) -> SGLangEngine:
    return SGLangEngine(url, model_location("tiny"), revision=None, chat=True)


def open_openai(url: str) -> OpenAIEngine:
    return OpenAIEngine(url, "org/model", chat=True, key=ApiKey("THE_KEY", ""))


@pytest.mark.parametrize(("open_engine", "hint"), [(open_sglang, "harness serve"), (open_openai, "OpenAI's")])
def test_no_server_is_one_clear_line(
    open_engine: Callable[[str], Any], hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "START_PATIENCE", 0.1)

    async def run() -> None:
        async with open_engine(url):
            pass

    url = f"http://127.0.0.1:{unused_port()}"
    with pytest.raises(BadInput, match=f"server at {url}.* does not answer .*{hint}"):
        asyncio.run(run())


def test_a_proxy_of_the_environment_gets_no_request(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{unused_port()}")
    ask = with_connection(Backend(), lambda connection: connection.ask("/ask", 1, read, max_tokens=8))
    assert ask == "1"


@pytest.mark.parametrize("when", ["ended", "returned"])
def test_what_is_found_out_about_a_server_that_was_away_ends_the_run(when: str) -> None:
    def ended() -> None:
        raise BadInput("SGLang ended with status -9")

    async def returned() -> None:
        raise BadInput("the server came back with another model_path")

    async def fall_over(connection: Connection) -> None:
        await backend.stop()
        asking = asyncio.create_task(connection.ask("/ask", 1, read, max_tokens=8))
        if when == "returned":
            while not said:
                await asyncio.sleep(0.01)
            await backend.start()
        with pytest.raises(EngineGone, match=r"ended with status -9|another model_path"):
            await asking

    backend, said = Backend(), list[str]()
    more = {"ended": {"check_alive": ended}, "returned": {"on_return": returned}}[when]
    with_connection(backend, fall_over, said, **more)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        *(("", 0), ("3", 3), ("0.5", 0.5), ("-7", 0), ("nan", 0), ("inf", 600), ("1e9", 600)),
        *(("soon", 0), ("Fri, 99 Xxx 2025", 0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0)),
    ],
)
def test_retry_after_is_seconds_or_a_date_and_never_for_ever(header: str, seconds: float) -> None:
    assert seconds_until(header) == seconds


def test_retry_after_a_date_to_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reply.time, "time", lambda: 1_000_000.0)
    assert seconds_until(email.utils.formatdate(1_000_030, usegmt=True)) == 30
