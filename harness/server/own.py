"""The server that a run starts for itself, watched from the run's own connection to it."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from harness.server.fleet import SAYS
from harness.server.launch import Launch
from harness.server.worker import Worker
from results import BadInput
from results.visible import visible

LINES_SHOWN = 10
_ERROR = re.compile(r"(\[[^]]*\] *)?([\w.]*(Error|Exception)\b|Fatal Python error|error:)")
"""How the line begins that says what was raised, with or without the date of SGLang's log."""


class OwnServer:
    """The server that a run starts; once more if it ends by itself, or is stuck, in the middle of the run."""

    def __init__(self, url: str, command: Launch, log: Path, say: Callable[[str], None]) -> None:
        self.may_restart = False
        self.events: list[str] = []
        """What happened to it, or to the servers of its fleet, for run.json."""
        self._worker = Worker(url, command, log)
        self._log, self._say = log, say
        self._read = log.stat().st_size if log.exists() else 0

    def __enter__(self) -> Self:
        self._worker.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._worker.server.stop()

    def check(self) -> None:
        """Tell what a fleet says, and start the server again if it has ended.

        Raises BadInput if that is no use.
        """
        for line in self._new_lines():
            if line.startswith(SAYS):
                self._note(visible(line.removeprefix(SAYS)))
        status = self._worker.ended()
        if status is None:
            return
        self._note(f"SGLang ended with status {status}")
        self._say(f"its last error in {self._log}:")
        for line in last_error(self._log.read_text(errors="replace").splitlines()):
            self._say(f"  {visible(line)}")
        if not (self.may_restart and self._worker.starts_left):
            raise BadInput(f"SGLang ended with status {status}: see {self._log}")
        self._note("starting SGLang once more")
        self._worker.start_again()

    def _note(self, event: str) -> None:
        self.events.append(f"{datetime.now(UTC).isoformat(timespec='seconds')} {event}")
        self._say(event)

    def _new_lines(self) -> list[str]:
        """The whole lines that the log has got since the last look."""
        with self._log.open("rb") as log:
            log.seek(self._read)
            whole, end, _ = log.read().rpartition(b"\n")
        self._read += len(whole) + len(end)
        return whole.decode(errors="replace").splitlines()


def last_error(lines: Sequence[str]) -> Sequence[str]:
    """The ten lines of a log that end with its last error; without one, its last ten.

    A process of SGLang that has crashed is followed by what the others do about it, in tens of lines, and by
    errors of theirs; they begin with SIGQUIT.

    >>> last_error(["ready", "torch.OutOfMemoryError: out of memory", "[10:32:07] SIGQUIT received", "…"])
    ['ready', 'torch.OutOfMemoryError: out of memory']
    """
    ends = [number for number, line in enumerate(lines) if "SIGQUIT received" in line]
    before = lines[: ends[-1]] if ends else lines
    errors = [number for number, line in enumerate(before, start=1) if _ERROR.match(line)]
    return before[: errors[-1]][-LINES_SHOWN:] if errors else lines[-LINES_SHOWN:]
