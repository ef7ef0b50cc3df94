"""The answers of a run on disk: samples.jsonl, which only ever grows.

    {"question_id": "tiny-0000", "setting": "40", "sample": 0, "answer": "18", "gold": "18", "correct": true,
     "tokens": 37, "finish_reason": "stop", "prompt_tokens": 71, "seed": 3391, "text": "...",
     "dataset": "tiny", "model": "tiny", "decoding": "sample"}

A run that was killed leaves at most one torn line, the last. It is cut off when the file is opened again,
and what is then missing from the plan is what remains to be sampled. A write that fails (a full disk) is
undone, so that what it was to add is missing, too.
"""

import io
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self, TypeGuard

import filelock

from results import BadInput

SAMPLES = "samples.jsonl"
SYNC_SECONDS = 5.0
"""Rows are forced onto the disk this often, in case the machine goes down and not the run alone."""

NULL = type(None)
COLUMNS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("question_id", "setting", "gold", "finish_reason", "text"), (str,)),
    **dict.fromkeys(("dataset", "model", "decoding"), (str,)),
    **dict.fromkeys(("sample", "tokens", "prompt_tokens"), (int,)),
    "correct": (bool,),
    "answer": (str, NULL),
    "seed": (int, NULL),
}
"""What the cells of a row are."""

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
        self._file: io.FileIO | None = None
        self._synced = time.monotonic()

    def append(self, rows: Sequence[Row]) -> None:
        """Add rows to the end of the file, where another process can see them at once.

        Raises BadInput where they cannot be written; the file is then as it was before.
        """
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        with self._full_disk_in_words():
            self._write(lines.encode(errors="replace"))
        for row in rows:
            self._count(row)
        if time.monotonic() - self._synced > SYNC_SECONDS:
            self._sync()

    def _write(self, content: bytes) -> None:
        """All of it or nothing; without a buffer, which would try again to write what was undone."""
        if self._file is None:
            self._file = io.FileIO(self.path, "a")
        end = os.fstat(self._file.fileno()).st_size
        left = memoryview(content)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError:
            self._file.truncate(end)
            raise

    def _sync(self) -> None:
        if self._file is not None:
            with self._full_disk_in_words():
                os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    @contextmanager
    def _full_disk_in_words(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise BadInput(
                f"{self.path}: {reason}: what it holds is whole; once there is room, the same command goes on"
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            with closing(self._file), suppress(BadInput) if error else nullcontext():
                self._sync()

    def _count(self, row: Row) -> None:
        self.done.setdefault(key_of(row), set()).add(row["sample"])
        self._on_row(row)

    def _rows(self) -> Iterator[Row]:
        with self.path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                where = f"{self.path}: row {number}"
                row = _json_object(line)
                if not _is_row(row):
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
        if _json_object(last) is not None:
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


def _json_object(line: bytes) -> Row | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _is_row(found: Row | None) -> TypeGuard[Row]:
    return found is not None and all(type(found.get(name, ...)) in types for name, types in COLUMNS.items())
