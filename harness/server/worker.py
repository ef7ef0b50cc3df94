"""One server that is looked after: told from one that is dead or stuck, and started once more.

A server may be there and answer nothing, as one that was stopped (SIGSTOP) or whose GPU hangs. It is killed,
so that all its requests end with it: all are asked again, those with long answers as those with short ones.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from harness.http.connection import PROBE_SECONDS
from harness.server import probe
from harness.server.launch import Launch, Server

UNWELL_SECONDS = 120.0
"""A server that has not said for so long that it is well is taken to be stuck."""
PROBES_APART = 5.0
"""Seconds between two questions for its health."""


@dataclass
class Worker:
    """The server that `command` starts at `url`; its output goes to `log`, or to that of this process."""

    url: str
    command: Launch
    log: Path | None = None
    starts_left: int = 1
    """How often it may be started again."""

    def start(self) -> None:
        """Start the server, on the port of its command."""
        if self.log is None:
            self.server = Server(self.command)
        else:
            with self.log.open("ab") as output:
                self.server = Server(self.command, output)
        self._well: float | None = None
        """When it was last seen to be well; None while it loads its model, which may take any time."""
        Thread(target=self._look_after, args=(self.server,), daemon=True).start()

    def start_again(self) -> None:
        """End what is left of the server's processes, and start it once more."""
        self.starts_left -= 1
        self.server.stop()
        self.start()

    def ended(self) -> int | None:
        """The exit status if the server has ended, else None; one that is stuck is killed."""
        if self._well is not None and time.monotonic() - self._well >= UNWELL_SECONDS:
            self.server.kill()
        return self.server.ended()

    def _look_after(self, server: Server) -> None:
        while server.ended() is None:
            if probe.is_well(f"{self.url}/health", PROBE_SECONDS) and server is self.server:
                self._well = time.monotonic()
            time.sleep(PROBES_APART)
