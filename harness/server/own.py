"""The server that a run starts for itself, watched from the run's own connection to it."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from harness.server.fleet import SAYS
from harness.server.launch import Launch
from harness.server.worker import Worker
from results import BadInput
from results.visible import visible


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
        self._say(f"the end of {self._log}:")
        for line in self._log.read_text(errors="replace").splitlines()[-10:]:
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
