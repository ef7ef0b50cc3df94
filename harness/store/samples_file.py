"""samples.jsonl, the answers of a run: one row per answer, read whole and only ever added to.

    {"question_id": "tiny-0000", "setting": "40", "sample": 0, "answer": "18", "gold": "18", "correct": true,
     "reader": "hashes", "tokens": 37, "finish_reason": "stop", "prompt_tokens": 71, "seed": 3391,
     "text": "...", "dataset": "tiny", "model": "tiny", "decoding": "sample"}

A run that is killed leaves at most one torn line, the last, which readers skip. A write that fails, as on a
full disk, is undone. A file or folder that is moved away while a run writes into it ends the run.
"""

import io
import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Self

from harness.store.row import Row, is_row
from results import BadInput

SAMPLES, LOCK = "samples.jsonl", ".lock"
SYNC_SECONDS = 5.0
"""How often rows are forced onto the disk, in case the machine goes down and not only the run."""


def read_rows(path: Path, **cells: str | None) -> Iterator[Row]:
    """The rows of a run's samples.jsonl, also while a run adds to it; a torn last line is left out.

    Only those with the `cells` that are given; lines without their text are passed over. Raises BadInput
    naming the first line, of those that are looked at, that is not a row of this harness.
    """
    wanted = {column: value for column, value in cells.items() if value is not None}
    texts = [json.dumps(value).encode() for value in wanted.values() if value.isascii()]
    for row in checked(path, numbered_lines(path, texts)):
        if all(row[column] == value for column, value in wanted.items()):
            yield row


def checked(path: Path, lines: Iterable[tuple[int, bytes, Row | None]]) -> Iterator[Row]:
    """The rows in some of the file's lines. Raises BadInput naming the first that is none of this harness."""
    for number, line, row in lines:
        if not is_row(row):
            raise BadInput(f"{path}: row {number}: {not_a_row(line)}")
        yield row


def numbered_lines(path: Path, texts: Sequence[bytes] = ()) -> Iterator[tuple[int, bytes, Row | None]]:
    """The lines of a file, from 1 on, and the objects in them; without blank lines and a torn last one.

    Only lines that hold all of `texts`, which takes a tenth of the time of reading what is in them.
    """
    with path.open("rb") as lines:
        yield from numbered(lines, 1, texts)


def numbered(
    lines: Iterable[bytes], first: int, texts: Sequence[bytes] = ()
) -> Iterator[tuple[int, bytes, Row | None]]:
    """As `numbered_lines`, of lines at hand."""
    for number, line in enumerate(lines, start=first):
        if not all(text in line for text in texts):
            continue
        row = parse_object(line)
        if line.strip() and (line.endswith(b"\n") or row is not None):
            yield number, line, row


def not_a_row(line: bytes) -> str:
    """What to say of a line that is no row of this harness."""
    return f"found {line.strip()[:80].decode(errors='replace')!r}, expected a row of this harness"


def parse_object(line: bytes) -> Row | None:
    """The JSON object in `line`, or None."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def mend(path: Path) -> None:
    """Complete the last line of a file if only its newline is missing, else cut it off."""
    with path.open("r+b") as file:
        last = b"\n"
        for line in file:
            last = line
        if parse_object(last) is not None and not last.endswith(b"\n"):
            file.write(b"\n")
        elif not last.endswith(b"\n"):
            file.truncate(file.tell() - len(last))


class Moved(BadInput):
    """The file, or the lock that keeps other runs out, is no longer where the run has opened it."""


class SamplesFile:
    """samples.jsonl of one run, open for adding rows; it is made with the first of them.

    Or another file of such lines in the run's folder, by its `name`.
    """

    def __init__(self, folder: Path, name: str = SAMPLES) -> None:
        self.path = folder / name
        self._file: io.FileIO | None = None
        self._synced = time.monotonic()
        self._lock = folder / LOCK
        self._lock_there = _inode(self._lock)

    def append(self, rows: Sequence[Row]) -> None:
        """Add rows at the end of the file, where other processes see them at once.

        Raises BadInput where they cannot be written; the file is then as it was before.
        """
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        with self._bad_input_if_full():
            self._write(lines.encode(errors="replace"))
        if time.monotonic() - self._synced > SYNC_SECONDS:
            self.sync()

    def _write(self, content: bytes) -> None:
        """Write all of `content` or nothing; unbuffered, as a buffer would retry what has been undone."""
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

    def sync(self) -> None:
        """Force all rows onto the disk. Raises BadInput if it cannot be done, Moved if that is elsewhere."""
        if self._file is not None:
            with self._bad_input_if_full():
                os.fsync(self._file.fileno())
            opened = os.fstat(self._file.fileno())
            if _inode(self.path) != (opened.st_dev, opened.st_ino) or _inode(self._lock) != self._lock_there:
                raise Moved(
                    f"{self.path.parent}: its files were moved, removed or replaced under this run: "
                    "put them back, then run the same command again"
                )
        self._synced = time.monotonic()

    @contextmanager
    def _bad_input_if_full(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise BadInput(
                f"{self.path}: {reason}; the answers stored so far are safe: "
                "make room and run the same command again"
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if self._file is not None:
            with closing(self._file), suppress(BadInput) if error else nullcontext():
                self.sync()


def _inode(path: Path) -> tuple[int, int] | None:
    """What tells the file at `path` from another; None if there is none."""
    with suppress(OSError):
        found = path.stat()
        return found.st_dev, found.st_ino
    return None
