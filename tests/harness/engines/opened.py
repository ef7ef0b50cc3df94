"""Engines of both kinds, open on a server of the tests.

with_engine(OpenAIServer(), openai, lambda engine: engine.generate("How many eggs?", SAMPLING, seed=1))
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from harness.engines.openai.engine import OpenAIEngine
from harness.engines.sglang import SGLangEngine
from harness.experiment import model_location
from harness.http.sockets import ApiKey
from tests.responder import Responder

MODEL = "org/model"
TINY = model_location("tiny")

Open = Callable[[str], AbstractAsyncContextManager[Any]]
"""Opens an engine on the server at a URL."""


def openai(url: str, model: str = MODEL, **more: Any) -> OpenAIEngine:
    return OpenAIEngine(url, model, **{"chat": True, "key": ApiKey("THE_KEY", ""), **more})


def sglang(url: str, **more: Any) -> SGLangEngine:
    return SGLangEngine(url, TINY, **{"revision": None, "chat": True, **more})


def with_engine(server: Responder, open_engine: Open, work: Callable[[Any], Awaitable[Any]]) -> Any:
    """What `work` returns, given an engine that asks `server`."""

    async def run() -> Any:
        async with open_engine(server.url) as engine:
            return await work(engine)

    with server:
        return asyncio.run(run())
