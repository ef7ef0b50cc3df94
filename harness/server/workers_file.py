"""The file in which servers of several hosts tell one gateway, smg, that they are there.

{"version": 1, "workers": [{"id": "http://10.0.0.7:31000", "url": "http://10.0.0.7:31000"}, ...]}
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import filelock

from results import BadInput
from results.tables.files import replacing

LOCK_SECONDS = 60.0


@contextmanager
def listed(file: Path, urls: Sequence[str]) -> Iterator[None]:
    """Hold `urls` in the file, which other hosts write, too. One of a killed server stays until it is back.

    Raises BadInput where the file is another or cannot be written.
    """
    _change(file, add=urls, remove=urls)
    try:
        yield
    finally:
        _change(file, add=(), remove=urls)


def _change(file: Path, add: Sequence[str], remove: Sequence[str]) -> None:
    try:
        with filelock.FileLock(f"{file}.lock", timeout=LOCK_SECONDS), replacing(file) as new:
            others = [one for one in _workers(file) if one["url"] not in remove]
            workers = [*others, *({"id": url, "url": url} for url in add)]
            new.write_text(json.dumps({"version": 1, "workers": workers}, indent=1) + "\n")
    except filelock.Timeout:
        raise BadInput(f"{file}.lock: locked for {LOCK_SECONDS:.0f} s: delete it if nobody uses it") from None
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror or error}") from None


def _workers(file: Path) -> list[dict[str, str]]:
    """The workers that are in the file."""
    if not file.exists():
        return []
    try:
        found = json.loads(file.read_text())["workers"]
        return [{"id": str(one["id"]), "url": str(one["url"])} for one in found]
    except (ValueError, KeyError, TypeError):
        raise BadInput(f"{file}: not a list of workers: give another --workers-file") from None
