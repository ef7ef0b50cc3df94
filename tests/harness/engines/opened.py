"""Engines of both kinds, open on a server of the tests, and such a server in a thread of its own.

with_engine(Responder(), openai, lambda engine: engine.generate("How many eggs?", SAMPLING, seed=1))
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

from harness.engines.openai.engine import OpenAIEngine
from harness.engines.sglang import SGLangEngine
from harness.experiment import model_location
from harness.http.session import ApiKey

MODEL = "org/model"
TINY = model_location("tiny")

Open = Callable[[str], AbstractAsyncContextManager[Any]]
"""Opens an engine on the server at a URL."""


def openai(url: str, model: str = MODEL, **more: Any) -> OpenAIEngine:
    return OpenAIEngine(url, model, **{"chat": True, "key": ApiKey("THE_KEY", ""), **more})


def sglang(url: str, **more: Any) -> SGLangEngine:
    return SGLangEngine(url, TINY, **{"revision": None, "chat": True, **more})


def with_engine(server: Any, open_engine: Open, work: Callable[[Any], Awaitable[Any]]) -> Any:
    """What `work` returns, given an engine that asks `server`, which has an `app`."""

    async def run() -> Any:
        async with TestServer(server.app) as running, open_engine(str(running.make_url("/"))) as engine:
            return await work(engine)

    return asyncio.run(run())


@contextmanager
def in_a_thread(app: web.Application) -> Iterator[str]:
    """The address of a server that runs in a thread of its own: commands handle signals in the main one."""
    running, loop = TestServer(app), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(running.start_server(), loop).result(30)
        yield str(running.make_url("/")).rstrip("/")
        asyncio.run_coroutine_threadsafe(running.close(), loop).result(30)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
