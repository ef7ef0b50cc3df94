"""An engine's connection to a server: retries requests until they are answered, refused or hopeless.

    async with Connection("http://127.0.0.1:30000", say=print) as connection:
        answers = await connection.ask("/generate", {"input_ids": [2, 71], ...}, read, max_tokens=16 * 164)

`_until_answered` handles one request; attempt.py says what each reply means. Beside the requests,
one task watches the server. It ends all requests when none has been answered for PATIENCE seconds,
unless the server's own count of tokens shows that it is slow but working.

>>> tokens_generated('vllm:generation_tokens_total{engine="0"} 40.0\\nvllm:generation_tokens_total 2e1')
60.0
"""

import asyncio
import random
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

from harness.errors import EngineError, EngineGone, reason
from harness.http.attempt import Fault, Nobody, Reply, check_status, excerpt
from harness.http.sockets import ApiKey, encoded, open_session, send
from results import BadInput

METRICS = ("/metrics", "/engine_metrics")
"""Paths of a server's metrics in Prometheus' format, and of SGLang's gateway for those of its servers."""
# SGLang's generation_tokens_total counts ended answers only; realtime_tokens_total counts as they grow.
_GENERATED = (
    "(?:sglang|vllm):generation_tokens_total|llamacpp:tokens_predicted_total"
    r'|sglang:realtime_tokens_total\{[^}]*mode="decode"[^}]*\}'
)


def total(counters: str, metrics: str) -> float | None:
    """The sum over all ranks and servers of counters that match a regular expression; None without any."""
    cells = re.findall(rf"^(?:{counters}).* (\S+)$", metrics, re.MULTILINE)
    try:
        return sum(map(float, cells)) if cells else None
    except ValueError:
        return None


def tokens_generated(metrics: str) -> float | None:
    """The sum of all counts of generated tokens in `metrics`; None if there are none.

    Only an increase means something, as the sum may include two counters of one server.
    """
    return total(_GENERATED, metrics)


T = TypeVar("T")

ATTEMPTS = 6
"""A request is given up after this many failures. A reply that the server is busy is no failure."""
FIRST_PAUSE = 1.0
"""Seconds before the second attempt. Each pause is twice the last, plus up to FIRST_PAUSE at random."""
LONGEST_PAUSE = 30.0

FORBIDDEN = 64
"""After this many 403 replies in a row, to any requests, the server is taken to refuse everything."""

START_PATIENCE = 30.0
"""Seconds that a server at a given URL has to appear at the start, unless it is plainly absent."""
THIS_MACHINE = {"localhost", "127.0.0.1", "::1"}
MEND_PATIENCE = 180.0
"""Seconds for a server that answers 5xx to recover: a gateway may first have to notice what has died."""
PATIENCE = 1800.0
"""Seconds without any answer or sign of work after which the run gives up on the server.

A time limit for each request would cut off long answers more often than short ones, and
bias the sample.
"""
SAY_SECONDS = 60.0
POLL_SECONDS = 0.5
PROBE_SECONDS = 30.0
"""A busy SGLang takes a second to say that it is healthy, a broken one 20 s to say that it is not."""

REPLY_BYTES = 1 << 20
REPLY_BYTES_PER_TOKEN = 256
"""Room for a token's text and id. A larger reply is rejected, so that no server can fill the memory."""


class Connection:
    """A session with one server, or with a router in front of several, for any number of requests."""

    ready = "/health"
    """A server is ready when GET of this path returns a status below 500 or 501, as some do not know it."""
    hint = ""
    """What to do if no server is there."""
    at_root: tuple[str, ...] = METRICS
    """Paths below the server's root rather than below the path in its URL."""

    def __init__(
        self,
        url: str,
        *,
        say: Callable[[str], None] = lambda _line: None,
        key: ApiKey | None = None,
        check_alive: Callable[[], None] | None = None,
    ) -> None:
        """`say` reports what is waited for. The key is sent with every request and hidden in every message.

        `check_alive`: for a server that the run has started; raises BadInput once that has
        ended. Such a server may take any time to start.
        """
        self.url = url.rstrip("/")
        self._root = "/".join(self.url.split("/")[:3])
        self._key, self._check_alive = key, check_alive
        self._hide = key.hide if key else str
        self._say: Callable[[str], None] = lambda line: say(self._hide(line))
        self._here = asyncio.Event()
        """Unset while requests wait for the server to come back."""
        self._here.set()
        self._missed = False
        """Whether the server was seen to be away."""
        self._answers = False
        """Whether it answered at the last check, if only that it is not ready."""
        self._nobody = False
        """Whether nothing listened at its address."""
        self._open: dict[asyncio.Task[Any], float] = {}
        """The requests in progress and when each began, oldest first."""
        self._last_answer = self._next_line = 0.0
        self._trouble = "nothing received"
        self._forbidden = 0
        self._gone: str | None = None
        self.patience = PATIENCE
        self.events: list[str] = []
        """What has happened to the server, for run.json."""
        self._tokens: float | None = None
        """The server's own count of generated tokens when it was last read."""
        self._looked = self._worked = 0.0
        """When that was, and when the count was last seen to rise."""

    async def __aenter__(self) -> Self:
        """Wait until the server is ready: the run's own as long as it lives, any other for START_PATIENCE.

        If another one answers, it has MEND_PATIENCE. Raises BadInput: no server in that time,
        the run's own has ended, or what `greet` raises.
        """
        # Some servers require a key, but accept any.
        self._session = open_session((self._key.value or "none") if self._key else None)
        self._watching = asyncio.create_task(self._watch())
        try:
            await self._wait_for_start()
            await self.greet()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        self._watching.cancel()
        with suppress(asyncio.CancelledError):
            await self._watching
        await self._session.close()

    async def greet(self) -> None:
        """Check a server that is ready, at the start and when it has come back; engines override this.

        Raises BadInput if it is not the expected one. When it has come back, only `get` can be
        used here.
        """

    async def _wait_for_start(self) -> None:
        begun = asyncio.get_running_loop().time()
        if self._check_alive is not None:  # its start was announced
            self._next_line = begun + SAY_SECONDS
        while (state := await self._state()) is not None:
            waited = asyncio.get_running_loop().time() - begun
            patience = MEND_PATIENCE if self._answers else START_PATIENCE
            most = ""
            if self._check_alive is None:
                if self._nobody and urlsplit(self.url).hostname in THIS_MACHINE:
                    raise BadInput(self._hide(f"nothing listens at {self.url}: {self.hint}"))
                if waited >= patience:
                    raise BadInput(self._hide(f"{state} after {waited:.0f} s: {self.hint}"))
                most = f", for {patience:.0f} s at most"
            self._say_now_and_then(f"{state}: waiting for it{most}")
            await asyncio.sleep(POLL_SECONDS)

    async def get(self, path: str) -> Reply:
        """The reply to GET `path`, whatever its status. Raises BadInput if there is none."""
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                return await self._send("GET", path, REPLY_BYTES)
        except (TimeoutError, Fault) as error:
            self._nobody = isinstance(error, Nobody)
            message = f"the server at {self.url} does not answer GET {path} ({reason(error)})"
            raise BadInput(self._hide(message)) from None

    async def ask(
        self, path: str, body: dict[str, Any] | bytes, read: Callable[[bytes], T], max_tokens: int
    ) -> T:
        """The result of `read` for the reply to POST `path`, which is retried until it succeeds.

        `body` may be encoded already. `read` raises Fault for a reply that is no answer;
        `max_tokens`: the token limit of an answer. Raises RequestRefused, EngineError
        if the server keeps failing, EngineGone if it is gone.
        """
        if self._gone is not None:
            raise EngineGone(self._gone)
        content = body if isinstance(body, bytes) else encoded(body)
        asking = asyncio.create_task(self._until_answered(path, content, read, max_tokens))
        self._open[asking] = asyncio.get_running_loop().time()
        try:
            await asyncio.wait({asking})
            if asking.cancelled():
                raise EngineGone(str(self._gone))
            return asking.result()
        except EngineError as error:
            raise type(error)(self._hide(str(error))) from None
        finally:
            asking.cancel()  # if the caller gave up: the server stops when the connection closes
            del self._open[asking]

    async def _until_answered(self, path: str, body: bytes, read: Callable[[bytes], T], max_tokens: int) -> T:
        attempts = failed = 0
        while True:
            try:
                answer = read(await self._attempt(path, body, max_tokens))
                self._last_answer = asyncio.get_running_loop().time()
                return answer
            except Fault as fault:
                self._trouble = str(fault)
                failed += fault.kind != "busy"
                if failed >= ATTEMPTS:
                    raise EngineError(f"{failed} attempts failed, the last with: {fault}") from None
                if fault.kind == "away":
                    self._here.clear()
                    await self._here.wait()
                await asyncio.sleep(_pause(attempts) + fault.retry_after)
            attempts += 1

    async def _attempt(self, path: str, body: bytes, max_tokens: int) -> bytes:
        """The content of a reply with status 200; raises for every other outcome."""
        reply = await self._send("POST", path, REPLY_BYTES + REPLY_BYTES_PER_TOKEN * max_tokens, body)
        if reply.status == 401 and self._key:
            state = "not accepted" if self._key.value else "not set"
            raise EngineGone(f"{self.url} asks for a key: the one in {self._key.name} is {state}")
        self._forbidden = self._forbidden + 1 if reply.status == 403 else 0
        if self._forbidden >= FORBIDDEN:
            self._end(f"{self.url} has forbidden {FORBIDDEN} requests in a row: {excerpt(reply.content)}")
        check_status(self.url + path, reply)
        return reply.content

    async def _watch(self) -> None:
        try:
            while True:
                await asyncio.sleep(POLL_SECONDS)
                if not self._here.is_set():
                    await self._look_for_return()
                elif self._check_alive is not None:
                    self._check_alive()
                if self._open:
                    await self._check_patience()
        except Exception as error:  # whatever it is: otherwise requests would wait forever
            self._end(reason(error))

    async def _look_for_return(self) -> None:
        """Check whether the server is back. Raises BadInput if it has ended or another has come back."""
        if (state := await self._state()) is not None:
            self._trouble = state
            if not self._missed:
                self._say(f"{state}: waiting for it")
            self._missed = True
            return
        if self._missed:
            await self.greet()
            self._say(f"the server at {self.url} is back")
        self._missed = False
        self._here.set()

    async def _check_patience(self) -> None:
        now, oldest = asyncio.get_running_loop().time(), next(iter(self._open.values()))
        quiet = now - max(self._last_answer, oldest)
        if quiet >= SAY_SECONDS <= now - self._looked:
            await self._look_for_work()
        if now - max(self._last_answer, oldest, self._worked) >= self.patience:
            self._end(f"the server at {self.url} has answered nobody for {quiet:.0f} s: {self._trouble}")
        elif quiet >= SAY_SECONDS:
            works = self._worked > max(self._last_answer, oldest)
            self._say_now_and_then(
                f"{len(self._open)} requests wait for {self.url}, no answer for {quiet / 60:.0f} min: "
                f"{'it generates tokens' if works else self._trouble}"
            )

    async def _look_for_work(self) -> None:
        """Read the server's own count of generated tokens, if it has one and is there."""
        now = self._looked = asyncio.get_running_loop().time()
        for path in METRICS if self._here.is_set() else ():
            with suppress(BadInput):
                reply = await self.get(path)
                count = tokens_generated(reply.content.decode(errors="replace"))
                if reply.status == 200 and count is not None:
                    if self._tokens is not None and count > self._tokens:
                        self._worked = now
                    self._tokens = count
                    return

    def _say_now_and_then(self, line: str) -> None:
        """Say `line` if nothing was said here for SAY_SECONDS."""
        now = asyncio.get_running_loop().time()
        if now >= self._next_line:
            self._say(line)
            self._next_line = now + SAY_SECONDS

    def _end(self, reason: str) -> None:
        """Make all current and future requests fail with EngineGone."""
        self._gone = reason
        for asking in self._open:
            asking.cancel()

    async def _state(self) -> str | None:
        """None if the server is ready, else what is wrong with it. Raises BadInput: see `check_alive`."""
        if self._check_alive is not None:
            self._check_alive()
        try:
            reply = await self.get(self.ready)
        except BadInput as error:
            self._answers = False
            return error.message
        self._answers = True
        if reply.status < 500 or reply.status == 501:
            return None
        return f"the server at {self.url} is not ready (status {reply.status})"

    async def _send(self, method: str, path: str, max_bytes: int, body: bytes | None = None) -> Reply:
        root = self._root if path in self.at_root else self.url
        return await send(self._session, method, root + path, max_bytes, body)


def _pause(attempt: int) -> float:
    """Seconds after attempt number `attempt`, from 0; partly random, so that requests spread out."""
    growing = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(attempt, 10))
    return growing + random.uniform(0, FIRST_PAUSE)
