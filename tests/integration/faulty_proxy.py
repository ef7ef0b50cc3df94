"""A proxy on 127.0.0.1 in front of a real SGLang server that brings faults into its replies.

    async with FaultyProxy(sglang_url, FAULTS.values()) as proxy:
        ...                                        # sample from proxy.url
    proxy.left == []                               # no fault was left over

Each request for answers meets the next fault; after the last one, replies pass unchanged. `each`: requests
for answers to one prompt are alike, and together they meet so many faults at most.
"""

from collections.abc import Iterable
from typing import Any, Self

import aiohttp
from aiohttp import web

from tests.harness.engines.sglang_faults import Fault


class FaultyProxy:
    """Passes everything on to the server at `upstream`, and POST /generate through the faults, in order."""

    def __init__(self, upstream: str, faults: Iterable[Fault] = (), each: int | None = None) -> None:
        self._upstream = upstream
        self._each = each
        self._disturbed: list[Any] = []
        self.left = list(faults)
        self.requests = self.answered = 0
        self.other_settings: dict[str, Any] = {}
        """What /server_info says in place of the truth."""

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession()
        await self.start(port=0)
        return self

    async def __aexit__(self, *_: object) -> None:
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

        if not self.left or self._disturbed.count(body) == self._each:
            content = await fetch()
            self.answered += 1
            return web.Response(body=content)
        self._disturbed.append(body)
        return await self.left.pop(0)(request, fetch)
