"""A proxy on 127.0.0.1 in front of a real SGLang server that does to its replies what a script says.

    async with FaultyProxy(sglang_url, [status(503), truncated, with_answers(aborted)]) as proxy:
        ...                                        # sample from proxy.url
    proxy.left == []                               # no fault was left over

Each request for answers meets the next fault; after the last one, replies come as they are. `once`: what is
asked again after a fault meets no other.
"""

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Any, Self

import aiohttp
from aiohttp import web

Fetch = Callable[[], Awaitable[bytes]]
"""Passes the request on to the server, and gives the body of its reply."""
Fault = Callable[[web.Request, Fetch], Awaitable[web.StreamResponse]]


class FaultyProxy:
    """Passes everything on to the server at `upstream`, and POST /generate through the faults, in order."""

    def __init__(self, upstream: str, faults: Sequence[Fault] = (), once: bool = False) -> None:
        self._upstream = upstream
        self._once = once
        self._disturbed: list[Any] = []
        self.left = list(faults)
        self.requests = self.answered = 0
        self.other_settings: dict[str, Any] = {}
        """What /server_info says in place of the truth."""
        self.abandoned = 0
        """Requests whose client went away while they were stuck."""

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession()
        await self.start(port=0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()
        await self._session.close()

    async def start(self, port: int | None = None) -> None:
        """Listen; without a port, at the one of before."""
        app = web.Application()
        app.router.add_post("/generate", self._generate)
        app.router.add_get("/{path:.*}", self._pass_on)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port if port is None else port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{self._port}"

    async def stop(self) -> None:
        """As if the server had been killed: connections break, and new ones are refused."""
        await self._runner.cleanup()

    async def _pass_on(self, request: web.Request) -> web.Response:
        async with self._session.get(self._upstream + request.path) as reply:
            if request.path == "/server_info":
                return web.json_response(await reply.json() | self.other_settings)
            return web.Response(status=reply.status, body=await reply.read())

    async def _generate(self, request: web.Request) -> web.StreamResponse:
        self.requests += 1
        body = await request.json()

        async def fetch() -> bytes:
            async with self._session.post(f"{self._upstream}/generate", json=body) as reply:
                assert reply.status == 200
                return await reply.read()

        if not self.left or (self._once and body in self._disturbed):
            content = await fetch()
            self.answered += 1
            return web.Response(body=content)
        self._disturbed.append(body)
        fault = self.left.pop(0)
        try:
            return await fault(request, fetch)
        except asyncio.CancelledError:
            self.abandoned += 1
            raise


def status(code: int, **headers: str) -> Fault:
    """The server answers with an error."""

    async def fault(_request: web.Request, _fetch: Fetch) -> web.Response:
        return web.Response(status=code, headers=headers, text="<html>out of order</html>")

    return fault


def body(content: bytes, **headers: str) -> Fault:
    """The server answers with something else."""

    async def fault(_request: web.Request, _fetch: Fetch) -> web.Response:
        return web.Response(body=content, headers=headers)

    return fault


def with_answers(change: Callable[[list[dict[str, Any]]], Any]) -> Fault:
    """The server's answers are replaced by what `change` makes of them."""

    async def fault(_request: web.Request, fetch: Fetch) -> web.Response:
        found = json.loads(await fetch())
        return web.json_response(change(found if isinstance(found, list) else [found]))

    return fault


def aborted(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The last answer was given up by the server."""
    reason = {"type": "abort", "message": "the server had no room"}
    return [*answers[:-1], answers[-1] | {"meta_info": answers[-1]["meta_info"] | {"finish_reason": reason}}]


async def cut(request: web.Request, _fetch: Fetch) -> web.StreamResponse:
    """The connection breaks before there is a reply."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def truncated(request: web.Request, fetch: Fetch) -> web.StreamResponse:
    """The connection breaks in the middle of the reply."""
    content = await fetch()
    reply = web.StreamResponse(headers={"Content-Length": str(len(content))})
    await reply.prepare(request)
    await reply.write(content[: len(content) // 2])
    assert request.transport is not None
    request.transport.abort()
    return reply


async def half_a_body(_request: web.Request, fetch: Fetch) -> web.Response:
    """Half of the reply, as if it were whole."""
    content = await fetch()
    return web.Response(body=content[: len(content) // 2])


async def stuck(_request: web.Request, _fetch: Fetch) -> web.Response:
    """There is never a reply."""
    await asyncio.Event().wait()
    raise AssertionError


GZIPPED_GARBAGE = body(gzip.compress(b"[]")[:-9], **{"Content-Encoding": "gzip"})
