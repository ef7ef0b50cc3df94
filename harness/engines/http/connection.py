"""The connection under the engines behind HTTP: requests to one server, asked again until they are answered.

    connection = Connection("http://127.0.0.1:30000", ready="/health", say=print)
    async with connection:
        await connection.wait_until_ready(hint="start one with ...")
        answers = await connection.ask("/generate", {"input_ids": [2, 71], ...}, read, tokens=16 * 164)

A server that goes away in the middle is waited for by all requests together.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

import aiohttp

from harness.engines.base import EngineGone
from harness.engines.http.retrying import Attempts, Away, Busy, ReplyTimes, Stuck, TryAgain, asking_again
from harness.engines.http.status import check_status
from results import BadInput

T = TypeVar("T")

START_PATIENCE = 30.0
"""Seconds that a server at a URL has to be ready at the start."""
RETURN_PATIENCE = 600.0
"""Seconds that a server which went away has to come back: loading a large model takes minutes."""
POLL_SECONDS = 0.5
PROBE_SECONDS = 30.0
"""A busy SGLang takes a second to say that it is well, a broken one 20 s to say that it is not."""
WATCH_SECONDS = 2.0
REPLY_BYTES = 1 << 20
REPLY_BYTES_PER_TOKEN = 256
"""Room for the text of a token and its id; a larger reply is none."""


@dataclass(frozen=True)
class Reply:
    """What came back for one attempt; `retry_after` is that header, empty where there is none."""

    status: int
    retry_after: str
    content: bytes


@dataclass(eq=False)
class _InFlight:
    """One attempt that waits for its reply."""

    since: float
    tokens: int
    attempts: Attempts
    timeout: asyncio.Timeout


class Connection:
    """A session with one server, or with a router in front of several, for any number of requests."""

    def __init__(
        self,
        url: str,
        *,
        ready: str,
        say: Callable[[str], None],
        headers: Mapping[str, str] | None = None,
        check_alive: Callable[[], None] | None = None,
        on_return: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """A server is ready when GET `ready` is answered with 200.

        `check_alive` raises BadInput where the run's own server has ended; `on_return` raises it where the
        server that came back is another than went away.
        """
        self.url = url.rstrip("/")
        self.overloads = 0
        self._ready = ready
        self._say = say
        self._headers = headers
        self._check_alive = check_alive
        self._on_return = on_return
        self._times = ReplyTimes()
        self._in_flight: set[_InFlight] = set()
        self._return: asyncio.Task[None] | None = None
        self._gone: str | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=10),
            headers=self._headers,
        )
        self._watch = asyncio.create_task(self._give_up_stuck_requests())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tasks = [task for task in (self._watch, self._return) if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._session.close()

    async def wait_until_ready(self, hint: str) -> None:
        """Wait for a server that is starting: START_PATIENCE, or as long as the run's own server lives.

        Raises BadInput: no such address, nothing there in that time (with `hint`, which says what to do), the
        run's own server has ended.
        """
        state = await self._wait(0)
        if state is None:
            return
        own = self._check_alive is not None
        if not own:
            self._say(f"the server at {self.url} {state}: waiting {START_PATIENCE:.0f} s for it")
        state = await self._wait(None if own else START_PATIENCE)
        if state is not None:
            raise BadInput(f"the server at {self.url} {state} after {START_PATIENCE:.0f} s: {hint}")

    async def get(self, path: str) -> tuple[int, bytes]:
        """Status and content of a server's account of itself. Raises BadInput where there is no reply."""
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                return await self._fetch(path)
        except (aiohttp.ClientError, TimeoutError, TryAgain) as error:
            raise BadInput(f"{self.url}{path}: no reply ({_reason(error)})") from None

    async def ask(self, path: str, body: dict[str, Any], read: Callable[[bytes], T], tokens: int) -> T:
        """What `read` makes of the reply to POST `path`, asked for until there is one.

        `read` raises TryAgain for a reply that is no answer; `tokens` is the most that the answers can hold.
        Raises RequestRefused, EngineError where the server keeps failing, EngineGone where it is gone.
        """
        attempts = Attempts()
        try:
            return await asking_again(attempts)(self._attempt, attempts, path, body, read, tokens)
        except TryAgain as fault:
            raise attempts.failure(fault) from None

    async def _attempt(
        self, attempts: Attempts, path: str, body: dict[str, Any], read: Callable[[bytes], T], tokens: int
    ) -> T:
        self._check_gone()
        try:
            return read(await self._post(path, body, tokens, attempts))
        except TryAgain as fault:
            attempts.count(fault)
            self.overloads += isinstance(fault, Busy | Stuck)
            if isinstance(fault, Away):
                await self._wait_for_return()
            raise

    async def _post(self, path: str, body: dict[str, Any], tokens: int, attempts: Attempts) -> bytes:
        """The reply to one attempt, of status 200; every other outcome is an exception."""
        loop = asyncio.get_running_loop()
        since = loop.time()
        try:
            async with asyncio.timeout(None) as timeout:
                waiting = _InFlight(since, tokens, attempts, timeout)
                self._in_flight.add(waiting)
                try:
                    reply = await self._send(path, body, REPLY_BYTES + REPLY_BYTES_PER_TOKEN * tokens)
                finally:
                    self._in_flight.discard(waiting)
        except TimeoutError as error:
            if timeout.expired():
                raise Stuck(f"no reply in {loop.time() - since:.0f} s") from None
            raise Away(_reason(error)) from None
        except aiohttp.ClientConnectionError as error:
            raise Away(_reason(error)) from None
        except aiohttp.ClientError as error:
            raise TryAgain(_reason(error)) from None
        check_status(self.url + path, reply.status, reply.retry_after, reply.content)
        self._times.add(loop.time() - since, tokens)
        return reply.content

    async def _fetch(self, path: str) -> tuple[int, bytes]:
        """Status and content of the reply to GET `path`."""
        async with self._session.get(self.url + path, allow_redirects=False) as response:
            return response.status, await _content(response, REPLY_BYTES)

    async def _send(self, path: str, body: dict[str, Any], limit: int) -> Reply:
        """The reply to POST `path`, of at most `limit` bytes."""
        async with self._session.post(self.url + path, json=body, allow_redirects=False) as response:
            content = await _content(response, limit)
            return Reply(response.status, response.headers.get("Retry-After", ""), content)

    def _is_ready(self, status: int) -> bool:
        """Whether GET `ready` was answered by a server that takes requests."""
        return status == 200

    async def _give_up_stuck_requests(self) -> None:
        """Every limit moves with the replies that come in, so it is looked at again and again."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            for request in self._in_flight:
                limit = self._times.limit(request.tokens) * 2**request.attempts.stuck
                if self._gone is not None or loop.time() - request.since > limit:
                    request.timeout.reschedule(loop.time())

    async def _wait_for_return(self) -> None:
        """All requests that find the server away wait together. Raises EngineGone where it stays away."""
        self._check_gone()
        if self._return is None or self._return.done():
            self._return = asyncio.create_task(self._wait_and_say())
        await asyncio.shield(self._return)

    def _check_gone(self) -> None:
        if self._gone is not None:
            raise EngineGone(self._gone)

    async def _wait_and_say(self) -> None:
        try:
            state = await self._wait(0)
            if state is None:
                return
            self._say(
                f"the server at {self.url} {state}: waiting {RETURN_PATIENCE:.0f} s for it to come back"
            )
            state = await self._wait(RETURN_PATIENCE)
            if state is not None:
                raise BadInput(f"the server at {self.url} {state} after {RETURN_PATIENCE:.0f} s")
            if self._on_return is not None:
                await self._on_return()
            self._say(f"the server at {self.url} is back")
        except BadInput as error:
            self._gone = error.message
            raise EngineGone(self._gone) from None

    async def _wait(self, patience: float | None) -> str | None:
        """None as soon as the server is ready, or what is the matter with it after so many seconds."""
        deadline = None if patience is None else time.monotonic() + patience
        while True:
            if self._check_alive is not None:
                self._check_alive()
            state = await self._state()
            if state is None or (deadline is not None and time.monotonic() >= deadline):
                return state
            await asyncio.sleep(POLL_SECONDS)

    async def _state(self) -> str | None:
        """None where the server is ready."""
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                status, _ = await self._fetch(self._ready)
            return None if self._is_ready(status) else f"is not ready (status {status})"
        except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError):
            raise BadInput(f"{self.url}: not the address of a server, expected http://HOST:PORT") from None
        except (aiohttp.ClientError, TimeoutError, TryAgain) as error:
            return f"does not answer ({_reason(error)})"


async def _content(response: aiohttp.ClientResponse, limit: int) -> bytes:
    """The body, which whoever sends it may make as large as he likes."""
    parts, size = [], 0
    async for part in response.content.iter_any():
        parts.append(part)
        size += len(part)
        if size > limit:
            response.close()
            raise TryAgain(f"a reply of more than {limit} bytes")
    return b"".join(parts)


def _reason(error: BaseException) -> str:
    return str(error) or type(error).__name__
