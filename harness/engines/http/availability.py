"""Whether the server takes requests: waits for it at the start, and when it goes away during a run.

    the server at http://127.0.0.1:30000 does not answer (...): waiting up to 600 s for its return
    the server at http://127.0.0.1:30000 is back

All requests that find the server away wait together; if it stays away, all of them end with EngineGone.
"""

import asyncio
from collections.abc import Awaitable, Callable

import aiohttp

from harness.engines.base import EngineGone
from harness.engines.http.reply import Fault, Reply
from results import BadInput

START_PATIENCE = 30.0
"""Seconds that a server at a given URL has to be ready at the start."""
RETURN_PATIENCE = 600.0
"""Seconds that a server has to come back: loading a large model takes minutes."""
POLL_SECONDS = 0.5
PROBE_SECONDS = 30.0
"""A busy SGLang takes a second to say that it is well, a broken one 20 s to say that it is not."""


class Availability:
    """Watches one server, or a router in front of several, by asking for `path`.

    A server is ready when it answers with a status below 500: not every server knows the path.
    """

    def __init__(
        self,
        url: str,
        path: str,
        get: Callable[[str], Awaitable[Reply]],
        say: Callable[[str], None],
        reason: Callable[[BaseException], str],
        check_alive: Callable[[], None] | None = None,
        on_return: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`get` fetches a path; `reason` says in words what an error is, without the key.

        `check_alive` raises BadInput if the run's own server has ended. `on_return` raises BadInput if a
        different server has come back.
        """
        self._url, self._path, self._get, self._say, self._reason = url, path, get, say, reason
        self._check_alive = check_alive
        self._on_return = on_return
        self._return: asyncio.Task[None] | None = None
        self._gone: str | None = None

    async def close(self) -> None:
        if self._return is not None:
            self._return.cancel()
            await asyncio.gather(self._return, return_exceptions=True)

    def check(self) -> None:
        """Raises EngineGone if the server did not come back."""
        if self._gone is not None:
            raise EngineGone(self._gone)

    async def wait_for_start(self, hint: str) -> None:
        """Wait until the server is ready: START_PATIENCE, or for as long as the run's own server lives.

        Raises BadInput: no such address, no server in that time (with `hint`, which says what to do), or the
        run's own server has ended.
        """
        state = await self._wait(0 if self._check_alive is None else None)
        if state is None:
            return
        self._say(f"the server at {self._url} {state}: waiting up to {START_PATIENCE:.0f} s for it")
        state = await self._wait(START_PATIENCE)
        if state is not None:
            raise BadInput(f"the server at {self._url} {state} after {START_PATIENCE:.0f} s: {hint}")

    async def wait_for_return(self) -> None:
        """Wait until the server is ready again. Raises EngineGone if it stays away."""
        self.check()
        if self._return is None or self._return.done():
            self._return = asyncio.create_task(self._wait_and_say())
        await asyncio.shield(self._return)

    async def _wait_and_say(self) -> None:
        try:
            state = await self._wait(0)
            if state is None:
                return
            self._say(
                f"the server at {self._url} {state}: waiting up to {RETURN_PATIENCE:.0f} s for its return"
            )
            state = await self._wait(RETURN_PATIENCE)
            if state is not None:
                raise BadInput(f"the server at {self._url} {state} after {RETURN_PATIENCE:.0f} s")
            if self._on_return is not None:
                await self._on_return()
            self._say(f"the server at {self._url} is back")
        except BadInput as error:
            self._gone = error.message
            raise EngineGone(self._gone) from None

    async def _wait(self, patience: float | None) -> str | None:
        """None as soon as the server is ready, or what is wrong with it after `patience` seconds."""
        loop = asyncio.get_running_loop()
        deadline = None if patience is None else loop.time() + patience
        while True:
            if self._check_alive is not None:
                self._check_alive()
            state = await self._state()
            if state is None or (deadline is not None and loop.time() >= deadline):
                return state
            await asyncio.sleep(POLL_SECONDS)

    async def _state(self) -> str | None:
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                reply = await self._get(self._path)
        except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError):
            raise BadInput(f"{self._url}: not a server's address, expected http://HOST:PORT") from None
        except (aiohttp.ClientError, TimeoutError, Fault) as error:
            return f"does not answer ({self._reason(error)})"
        return None if reply.status < 500 else f"is not ready (status {reply.status})"
