"""The server that a run starts for itself: `tts serve` in a process of its own."""

import re
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from harness.server.fleet import ENDED, SAYS
from harness.server.launch import Launch, Server
from results import BadInput
from results.terminal import visible

LINES_SHOWN = 10
_ERROR = re.compile(r"(\[[^]]*\] *)?([\w.]*(Error|Exception)\b|Fatal Python error|error:)")
"""The beginning of a line that names an exception, with or without the date of SGLang's log."""


def serve_launch(
    model: str,
    *,
    port: int,
    workers: int,
    device: str,
    dtype: str,
    revision: str | None,
    extra: Sequence[str],
) -> Launch:
    """`tts serve` with `workers` servers of one copy each, behind 127.0.0.1:`port`."""
    command = [sys.executable, "-m", "harness", "serve", model, "--workers", str(workers)]
    command += ["--port", str(port), "--device", device]
    command += ["--revision", revision] if revision else []
    return Launch((*command, "--", *(() if dtype == "auto" else ("--dtype", dtype)), *extra), {})


class OwnServer:
    """The run's own server, with a log; `events`: what has happened to it, for run.json."""

    def __init__(self, command: Launch, log: Path, say: Callable[[str], None]) -> None:
        self.events: list[str] = []
        self._command, self._log, self._say = command, log, say
        self._told: Sequence[str] = ()
        self._read = log.stat().st_size if log.exists() else 0

    def __enter__(self) -> Self:
        with self._log.open("ab") as output:
            self._server = Server(self._command, output)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()

    def check(self) -> None:
        """Report what has happened since the last call. Raises BadInput if the server has ended for good."""
        status = self._server.ended()
        for line in self._new_lines():
            if line.startswith(SAYS):
                event = visible(line.removeprefix(SAYS))
                self.events.append(f"{datetime.now(UTC).isoformat(timespec='seconds')} {event}")
                self._say(event)
                if ENDED in event:
                    self._tell_last_error()
        if status is not None:
            self._tell_last_error()
            raise BadInput(f"SGLang has ended: see {self._log}")

    def _tell_last_error(self) -> None:
        lines = self._log.read_text(errors="replace").splitlines()
        told = last_error([line for line in lines if not line.startswith(SAYS)])
        if told == self._told:  # several callers may find that a server has ended
            return
        self._told = told
        self._say(f"the last error in {self._log}:")
        for line in told:
            self._say(f"  {visible(line)}")

    def _new_lines(self) -> list[str]:
        """The complete lines added to the log since the last call."""
        with self._log.open("rb") as log:
            log.seek(self._read)
            whole, end, _ = log.read().rpartition(b"\n")
        self._read += len(whole) + len(end)
        return whole.decode(errors="replace").splitlines()


def last_error(lines: Sequence[str]) -> Sequence[str]:
    """The ten lines of a log that end with its last error; without one, its last ten.

    When a process of SGLang has crashed, the others write tens of lines about it, and errors of their own.
    These begin with SIGQUIT, written in two ways: before a server is ready, and after.

    >>> last_error(["ready", "torch.OutOfMemoryError: out of memory", "[10:32:07] SIGQUIT received", "…"])
    ['ready', 'torch.OutOfMemoryError: out of memory']
    """
    ends = [number for number, line in enumerate(lines) if "sigquit" in line.lower()]
    before = lines[: ends[-1]] if ends else lines
    errors = [number for number, line in enumerate(before, start=1) if _ERROR.match(line)]
    return before[: errors[-1]][-LINES_SHOWN:] if errors else lines[-LINES_SHOWN:]
