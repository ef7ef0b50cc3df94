"""A connection to a scripted server in simulated time: waiting takes no time, and clocks are exact.

server = SimulatedServer(lambda body: after(3.0))
simulate(server, lambda connection: connection.ask("/ask", "egg", bytes.decode, max_tokens=8))
server.sent == [(0.0, "egg")]
"""

import asyncio
import json
import selectors
from collections.abc import Awaitable, Callable
from typing import Any

from harness.http.attempt import Fault, Reply
from harness.http.connection import Connection

URL = "http://simulated"
OK = Reply(200, "", b"fine")
BUSY = Reply(429, "", b"busy")
BROKEN = Reply(500, "", b"broken")


class _NoWaiting(selectors.DefaultSelector):
    """Advances a simulated clock by the time that the loop would wait."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now += timeout or 0.0
        return super().select(0)


class SimulatedTime(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _NoWaiting()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now


class SimulatedServer:
    """Answers POST with `reply`; while `there`, answers GET with `look` of its path, or OK."""

    def __init__(
        self,
        reply: Callable[[Any], Awaitable[Reply]],
        look: Callable[[str], Reply | None] = lambda _path: None,
    ) -> None:
        self._reply, self._look = reply, look
        self.there = True
        self.probes = 0
        self.sent: list[tuple[float, Any]] = []
        """The time and body of each attempt."""
        self.abandoned: list[float] = []
        """The times when attempts without a reply were given up."""

    async def send(self, method: str, path: str, _max_bytes: int, body: Any = None) -> Reply:
        if method == "GET":
            self.probes += 1
            if not self.there:
                raise Fault("refused", "away")
            return self._look(path) or OK
        body = json.loads(body)
        self.sent.append((now(), body))
        try:
            return await self._reply(body)
        except asyncio.CancelledError:
            self.abandoned.append(now())
            raise


def now() -> float:
    return asyncio.get_running_loop().time()


async def after(seconds: float, reply: Reply = OK) -> Reply:
    await asyncio.sleep(seconds)
    return reply


def in_turn(*replies: Reply) -> Callable[[Any], Awaitable[Reply]]:
    """Give each request the next of `replies` at once, and repeat the last."""
    left = list(replies)

    async def reply(_body: Any) -> Reply:
        return left.pop(0) if len(left) > 1 else left[0]

    return reply


def simulate(
    server: SimulatedServer,
    work: Callable[[Connection], Awaitable[Any]],
    greet: Callable[[], Awaitable[None]] | None = None,
    **more: Any,
) -> Any:
    """The result of `work` with a connection to `server`; time starts at 0."""

    async def run() -> Any:
        connection = Connection(URL, **more)
        connection._send = server.send  # type: ignore[method-assign]
        connection.greet = greet or connection.greet  # type: ignore[method-assign]
        async with connection:
            return await work(connection)

    with asyncio.Runner(loop_factory=SimulatedTime) as runner:
        return runner.run(run())


def ask(connection: Connection, body: Any = "egg", max_tokens: int = 8) -> Awaitable[str]:
    return connection.ask("/ask", body, bytes.decode, max_tokens)
