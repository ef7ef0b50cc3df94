"""The answers of a run on disk: samples.jsonl, which only ever grows.

    {"question_id": "tiny-0000", "setting": "40", "sample": 0, "answer": "18", "gold": "18", "correct": true,
     "tokens": 37, "finish_reason": "stop", "prompt_tokens": 71, "seed": 3391, "text": "...",
     "dataset": "tiny", "model": "tiny", "decoding": "sample"}

A run that was killed leaves at most one torn line, the last. It is cut off when the file is opened again,
and what is then missing from the plan is what remains to be sampled.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import filelock

from results import BadInput

SAMPLES = "samples.jsonl"
SYNC_SECONDS = 5.0
"""Rows are forced onto the disk this often, in case the machine goes down and not the run alone."""

COLUMNS = {
    *("question_id", "setting", "sample", "answer", "gold", "correct", "tokens", "finish_reason"),
    *("prompt_tokens", "seed", "text", "dataset", "model", "decoding"),
}

Row = dict[str, Any]
Key = tuple[str, str, str]
"""question_id, setting, decoding"""


def key_of(row: Row) -> Key:
    """What the sample indices of a row are counted within."""
    return row["question_id"], row["setting"], row["decoding"]


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold `folder` (made if absent) for one run; raises BadInput where another run holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with filelock.FileLock(folder / ".lock", timeout=0):
            yield
    except filelock.Timeout:
        raise BadInput(f"{folder}: another run is writing into this folder") from None


class SampleStore:
    """samples.jsonl of one run, open for appending."""

    def __init__(self, folder: Path, on_row: Callable[[Row], None]) -> None:
        """Mend and read what is there, each row going to `on_row` too. Raises BadInput naming a bad row."""
        self.path = folder / SAMPLES
        self.done: dict[Key, set[int]] = {}
        self._on_row = on_row
        if self.path.exists():
            _mend_last_line(self.path)
            for row in self._rows():
                self._count(row)
        self._file: BinaryIO | None = None
        self._synced = time.monotonic()

    def append(self, rows: Sequence[Row]) -> None:
        """Add rows to the end of the file, where another process can see them at once."""
        if self._file is None:
            self._file = self.path.open("ab")
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        self._file.write(lines.encode(errors="replace"))
        self._file.flush()
        for row in rows:
            self._count(row)
        if time.monotonic() - self._synced > SYNC_SECONDS:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()

    def _count(self, row: Row) -> None:
        self.done.setdefault(key_of(row), set()).add(row["sample"])
        self._on_row(row)

    def _rows(self) -> Iterator[Row]:
        with self.path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                where = f"{self.path}: row {number}"
                try:
                    row = json.loads(line)
                    whole = row.keys() >= COLUMNS
                except (ValueError, AttributeError):
                    whole = False
                if not whole:
                    found = line.strip()[:80].decode(errors="replace")
                    raise BadInput(f"{where}: found {found!r}, expected a row of this harness")
                if row["sample"] in self.done.get(key_of(row), ()):
                    what = ", ".join(map(str, (*key_of(row), row["sample"])))
                    raise BadInput(f"{where}: a second row for {what}, expected one")
                yield row


def _mend_last_line(path: Path) -> None:
    """Complete the last line if only its newline is missing, else cut it off."""
    with path.open("r+b") as file:
        start = _start_of_last_line(file)
        file.seek(start)
        last = file.read()
        if not last or last.endswith(b"\n"):
            return
        if _is_json_object(last):
            file.write(b"\n")
        else:
            file.truncate(start)


def _start_of_last_line(file: BinaryIO) -> int:
    """Where the bytes after the last newline but one begin, read backwards block by block."""
    end = file.seek(0, os.SEEK_END)
    position = max(0, end - 1)  # a newline that ends the file ends its last line
    while position > 0:
        size = min(position, 1 << 16)
        file.seek(position - size)
        found = file.read(size).rfind(b"\n")
        if found >= 0:
            return int(position - size + found + 1)
        position -= size
    return 0


def _is_json_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False
