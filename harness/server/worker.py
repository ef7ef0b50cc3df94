"""Watches one server: finds out when it is dead or stuck, and can start it again.

A server may run and yet answer nothing, if it was stopped (SIGSTOP) or its GPU hangs. It is then killed, so
that all its requests fail and are sent again, those with long answers as well as those with short ones.
"""

import asyncio
import time
from dataclasses import dataclass
from threading import Thread

from harness.http import connection
from harness.http.attempt import Fault
from harness.http.connection import PROBE_SECONDS, REPLY_BYTES
from harness.http.sockets import open_session, send
from harness.server.launch import Launch, Server
from results import BadInput

UNWELL_SECONDS = 120.0
"""A server that has not been healthy for this long is taken to be stuck."""
PROBES_APART = 5.0
"""Seconds between two health checks."""


@dataclass
class Worker:
    """The server that `command` starts at `url`; its output goes to that of this process."""

    url: str
    command: Launch
    starts_left: int = 1
    """How often it may be started again."""

    def start(self) -> None:
        """Start the server, on the port of its command."""
        self.server = Server(self.command)
        self._well: float | None = None
        """When it was last healthy; None while it loads its model, which may take any time."""
        Thread(target=self._look_after, args=(self.server,), daemon=True).start()

    def start_again(self) -> None:
        """End what is left of the server's processes, and start it once more."""
        self.starts_left -= 1
        self.server.stop()
        self.start()

    def ended(self) -> int | None:
        """The exit status if the server has ended, else None; a stuck server is killed first."""
        if self._well is not None and time.monotonic() - self._well >= UNWELL_SECONDS:
            self.server.kill()
        return self.server.ended()

    def _look_after(self, server: Server) -> None:
        while server.ended() is None:
            if is_well(f"{self.url}/health", PROBE_SECONDS) and server is self.server:
                self._well = time.monotonic()
            time.sleep(PROBES_APART)


def is_well(url: str, seconds: float) -> bool:
    """Whether GET `url` is answered with 200 within `seconds`."""
    return asyncio.run(_is_well(url, seconds))


async def _is_well(url: str, seconds: float) -> bool:
    try:
        async with open_session(None) as session, asyncio.timeout(seconds):
            return (await send(session, "GET", url, REPLY_BYTES)).status == 200
    except (TimeoutError, Fault):
        return False


def wait_until_ready(url: str, path: str, server: Server, name: str) -> None:
    """Wait until `server` is ready at `url`: until it answers GET `path` with 200.

    Raises BadInput if it ends before that.
    """
    while not is_well(url + path, PROBE_SECONDS):
        if (status := server.ended()) is not None:
            raise BadInput(f"{name} ended with status {status} before it was ready: see its log above")
        time.sleep(connection.POLL_SECONDS)
