"""The connection of an engine to a server: sends a request until it is answered, or given up.

    async with Connection("http://127.0.0.1:30000", ready="/health", say=print) as connection:
        await connection.wait_for_start(hint="start one with ...")
        answers = await connection.ask("/generate", {"input_ids": [2, 71], ...}, read, max_tokens=16 * 164)

`Connection.ask` is the whole life of a request; reply.py says which reply means what.
"""

import asyncio
import itertools
import random
from collections.abc import Awaitable, Callable
from typing import Any, Self, TypeVar

import aiohttp

from harness.engines.base import EngineError, EngineGone
from harness.engines.http.api_key import ApiKey
from harness.engines.http.availability import PROBE_SECONDS, Availability
from harness.engines.http.reply import Fault, Reply, check_status
from results import BadInput

T = TypeVar("T")

ATTEMPTS = 6
"""A request that has failed so often is given up. To be told that the server is busy is no failure."""
TIMED_OUT_ATTEMPTS = 3
"""A request that has timed out so often is given up; each attempt may take twice as long as the last."""
FIRST_PAUSE = 1.0
"""Seconds before the second attempt. Each pause is twice the last, plus up to FIRST_PAUSE at random."""
LONGEST_PAUSE = 30.0
BUSY_PATIENCE = 600.0
"""A request is given up when the server has called itself busy, and answered none, for so many seconds."""

LONGEST_FIRST_REPLY = 3600.0
"""Seconds that a reply may take as long as no other has come in."""
SLOWER_THAN_ALL = 10.0
"""A request times out when it takes this many times as long as the slowest reply so far.

A fixed limit would be too short on some machine. It would cut off long answers more often than short ones
there, and bias the sample.
"""
SHORTEST_LIMIT = 120.0
"""Seconds that every request is given, however fast the others were."""
CHECK_SECONDS = 2.0
"""The limit grows with the replies that come in, so each waiting request looks at it this often."""

REPLY_BYTES = 1 << 20
REPLY_BYTES_PER_TOKEN = 256
"""Room for a token's text and id. A larger reply is rejected, so that no server can fill the memory."""


class ReplyTimes:
    """How long a request may wait for its reply, judged by those that were answered."""

    def __init__(self) -> None:
        self.slowest = 0.0
        self.most_tokens = 0

    def add(self, seconds: float, max_tokens: int) -> None:
        """Take in a reply to a request for at most `max_tokens` tokens."""
        self.slowest = max(self.slowest, seconds)
        self.most_tokens = max(self.most_tokens, max_tokens)

    def limit(self, max_tokens: int) -> float:
        """Seconds for a request for at most `max_tokens`; in proportion if no other asked for so many."""
        if not self.most_tokens:
            return LONGEST_FIRST_REPLY
        larger = max(1.0, max_tokens / self.most_tokens)
        return max(SHORTEST_LIMIT, SLOWER_THAN_ALL * self.slowest * larger)


class Connection:
    """A session with one server, or with a router in front of several, for any number of requests."""

    def __init__(
        self,
        url: str,
        *,
        ready: str,
        say: Callable[[str], None],
        key: ApiKey | None = None,
        check_alive: Callable[[], None] | None = None,
        on_return: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`ready` is the path that tells whether the server is ready; for the rest see Availability.

        The key goes into every request and is taken out of every reply: servers quote it in errors.
        """
        self.url = url.rstrip("/")
        self._key = key
        self._times = ReplyTimes()
        self._last_reply = 0.0
        self._availability = Availability(
            self.url, ready, self._get, say, self._reason, check_alive, on_return
        )
        self.wait_for_start = self._availability.wait_for_start

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=10),
            headers={"Authorization": f"Bearer {self._key.sent}"} if self._key else None,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._availability.close()
        await self._session.close()

    async def get(self, path: str) -> Reply:
        """The reply to GET `path`, whatever its status. Raises BadInput if there is none."""
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                return await self._get(path)
        except (aiohttp.ClientError, TimeoutError, Fault) as error:
            raise BadInput(f"{self.url}{path}: no reply ({self._reason(error)})") from None

    async def ask(self, path: str, body: dict[str, Any], read: Callable[[bytes], T], max_tokens: int) -> T:
        """What `read` makes of the reply to POST `path`, which is sent until there is such a reply.

        `read` raises Fault for a reply that is no answer; `max_tokens` is the most that the answers together
        can hold. Raises RequestRefused, EngineError if the server keeps failing, EngineGone if it is gone.
        """
        loop = asyncio.get_running_loop()
        begun = loop.time()
        failed = timed_out = 0
        for attempt in itertools.count():
            try:
                return read(await self._attempt(path, body, max_tokens, patience=2**timed_out))
            except Fault as caught:
                fault = caught
            if fault.kind == "busy":
                waited = loop.time() - max(begun, self._last_reply)
                if waited > BUSY_PATIENCE:
                    raise EngineError(f"the server has been busy for {waited:.0f} s: {fault}")
            else:
                failed += 1
                timed_out += fault.kind == "timed out"
                if failed >= ATTEMPTS or timed_out >= TIMED_OUT_ATTEMPTS:
                    raise EngineError(f"{failed} attempts failed, the last with: {fault}")
            if fault.kind in ("away", "timed out"):
                await self._availability.wait_for_return()
            await asyncio.sleep(_pause(attempt) + fault.retry_after)
        raise AssertionError("unreachable")

    async def _attempt(self, path: str, body: dict[str, Any], max_tokens: int, patience: int) -> bytes:
        """The content of a reply with status 200; raises for every other outcome."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        self._availability.check()
        sending = asyncio.create_task(
            self._post(path, body, REPLY_BYTES + REPLY_BYTES_PER_TOKEN * max_tokens)
        )
        try:
            while not sending.done():
                self._availability.check()
                waited = loop.time() - begun
                if waited > patience * self._times.limit(max_tokens):
                    raise Fault(f"no reply in {waited:.0f} s", "timed out")
                await asyncio.wait({sending}, timeout=CHECK_SECONDS)
            reply = sending.result()
        except (aiohttp.ClientConnectionError, TimeoutError) as error:
            raise Fault(self._reason(error), "away") from None
        except aiohttp.ClientError as error:
            raise Fault(self._reason(error)) from None
        finally:
            sending.cancel()  # if it was given up: the server stops its work when the connection closes
        if reply.status == 401 and self._key:
            state = "not accepted" if self._key.value else "not set"
            raise EngineGone(f"{self.url} asks for a key: the one in {self._key.name} is {state}")
        check_status(self.url + path, reply)
        self._last_reply = loop.time()
        self._times.add(self._last_reply - begun, max_tokens)
        return reply.content

    async def _get(self, path: str) -> Reply:
        async with self._session.get(self.url + path, allow_redirects=False) as response:
            return await self._read(response, REPLY_BYTES)

    async def _post(self, path: str, body: dict[str, Any], max_bytes: int) -> Reply:
        async with self._session.post(self.url + path, json=body, allow_redirects=False) as response:
            return await self._read(response, max_bytes)

    async def _read(self, response: aiohttp.ClientResponse, max_bytes: int) -> Reply:
        """The reply without the key. Raises Fault as soon as it is larger than `max_bytes`."""
        content = bytearray()
        async for part in response.content.iter_any():
            content += part
            if len(content) > max_bytes:
                response.close()
                raise Fault(f"a reply of more than {max_bytes} bytes")
        found = bytes(content)
        if self._key:
            found = self._key.remove(found)
            if response.status != 200:
                found = self._key.hide(found.decode(errors="replace")).encode()
        return Reply(response.status, response.headers.get("Retry-After", ""), found)

    def _reason(self, error: BaseException) -> str:
        reason = str(error) or type(error).__name__
        return self._key.hide(reason) if self._key else reason


def _pause(attempt: int) -> float:
    """Seconds after attempt number `attempt`, from 0; partly random, so that requests spread out."""
    growing = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(attempt, 10))
    return growing + random.uniform(0, FIRST_PAUSE)
