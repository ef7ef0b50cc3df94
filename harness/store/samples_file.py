"""samples.jsonl, the answers of a run: one row per answer (`harness/store/row.py`), append-only.

A run that is killed leaves at most one torn line, the last, which readers skip. A write that fails, as on a
full disk, is undone. The run ends if its file or folder is moved away while it writes.
"""

import io
import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple, Self

from pydantic_core import from_json

from harness.store.row import Row, are_rows, is_row
from results import BadInput

SAMPLES, LOCK = "samples.jsonl", ".lock"
ROWS_AT_A_TIME = 512
"""As many as fit into a processor's cache: 4,096 at a time take half as long again."""
SYNC_SECONDS = 5.0
"""How often rows are forced onto the disk, in case the machine goes down, not just the run."""


class Block(NamedTuple):
    """Some lines of a file: their numbers, from 1 on, the lines, and the JSON objects in them."""

    numbers: Sequence[int]
    lines: Sequence[bytes]
    rows: Sequence[Row | None]

    def numbered(self) -> Iterator[tuple[int, bytes, Row | None]]:
        """The (number, line, row) of each line."""
        return zip(self.numbers, self.lines, self.rows, strict=True)

    def without_blank(self) -> "Block":
        """The block without blank lines and without a torn last line."""
        if all(self.rows):
            return self
        there = [
            (number, line, row)
            for number, line, row in self.numbered()
            if row is not None or (line.endswith(b"\n") and line.strip())
        ]
        return Block(*zip(*there, strict=True)) if there else Block((), (), ())


def read_rows(path: Path, **cells: str | None) -> Iterator[Row]:
    """The rows of `row_blocks`, one by one."""
    return chain.from_iterable(row_blocks(path, **cells))


def row_blocks(path: Path, **cells: str | None) -> Iterator[Sequence[Row]]:
    """The rows of a run's samples.jsonl, also while a run adds to it; a torn last line is left out.

    Only rows with the given `cells`; lines that do not contain their text are skipped unparsed. Raises
    BadInput naming the first parsed line that is not a row of this harness.
    """
    wanted = {column: value for column, value in cells.items() if value is not None}
    texts = [json.dumps(value).encode() for value in wanted.values() if value.isascii()]
    for block in read_blocks(path, texts):
        rows = block.rows
        if not are_rows(rows):
            number, line = next((number, line) for number, line, row in block.numbered() if not is_row(row))
            raise BadInput(f"{path}: row {number}: {not_a_row(line)}")
        yield [row for row in rows if wanted.items() <= row.items()] if wanted else rows


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes, Row | None]]:
    """The lines of a file, also while a run adds to it; without blank lines and a torn last one.

    Each with its number, from 1 on, and the JSON object in it.
    """
    for block in read_blocks(path):
        yield from block.numbered()


def read_blocks(path: Path, texts: Sequence[bytes] = ()) -> Iterator[Block]:
    """The lines of `numbered_lines`, some hundreds at a time, so that checks may handle many at once.

    Only lines that contain all of `texts`: searching takes a tenth of the time of parsing.
    """
    first = 1
    with path.open("rb") as file:
        while lines := list(islice(file, ROWS_AT_A_TIME)):
            numbers: Sequence[int] = range(first, first + len(lines))
            first += len(lines)
            if texts:
                places = [i for i, line in enumerate(lines) if all(text in line for text in texts)]
                numbers, lines = [numbers[i] for i in places], [lines[i] for i in places]
            yield Block(numbers, lines, _objects(lines)).without_blank()


def _objects(lines: Sequence[bytes]) -> list[Row | None]:
    try:
        rows = list(map(from_json, lines))  # in a third of the time of json.loads
    except ValueError:
        return list(map(parse_object, lines))
    return [row if isinstance(row, dict) else None for row in rows]


def line_of(row: Row) -> bytes:
    """A row as a line of the file."""
    return (json.dumps(row, ensure_ascii=False) + "\n").encode(errors="replace")


def not_a_row(line: bytes) -> str:
    """The error message for a line that is not a row of this harness."""
    return f"found {line.strip()[:80].decode(errors='replace')!r}, expected a row of this harness"


def parse_object(line: bytes) -> Row | None:
    """The JSON object in `line`, or None if there is none."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def mend(path: Path) -> None:
    """Complete the last line of a file if it lacks only its newline, or cut it off if it is torn."""
    with path.open("r+b") as file:
        last = b"\n"
        for line in file:
            last = line
        if parse_object(last) is not None and not last.endswith(b"\n"):
            file.write(b"\n")
        elif not last.endswith(b"\n"):
            file.truncate(file.tell() - len(last))


class Moved(BadInput):
    """The file, or the lock that keeps other runs out, is no longer where the run opened it."""


class SamplesFile:
    """samples.jsonl of one run, open for appending; it is created with the first row.

    `name` may be another file of JSON lines in the run's folder.
    """

    def __init__(self, folder: Path, name: str = SAMPLES) -> None:
        self.path = folder / name
        self._file: io.FileIO | None = None
        self._synced = time.monotonic()
        self._lock = folder / LOCK
        self._lock_there = _inode(self._lock)

    def append(self, row: Row) -> None:
        """Add a row at the end of the file, where other processes see it at once.

        Raises BadInput if it cannot be written; the file is then as it was before.
        """
        with self._bad_input_if_full():
            self._write(line_of(row))
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
        """Force all rows onto the disk. Raises BadInput if this fails, Moved if the file is elsewhere."""
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
    """The device and inode that identify the file at `path`; None if there is none."""
    with suppress(OSError):
        stat = path.stat()
        return stat.st_dev, stat.st_ino
    return None
