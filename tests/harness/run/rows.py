"""Rows of samples.jsonl, as the harness writes them, and helpers to read and write such files."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness.store.samples_file import SAMPLES, SamplesFile


def row(
    sample: int, text: str = "The answer is ##18##.", setting: str = "40", **changes: Any
) -> dict[str, Any]:
    return {
        "question_id": "tiny-0000",
        "setting": setting,
        "sample": sample,
        "answer": "18",
        "gold": "18",
        "correct": True,
        "reader": "hashes",
        "tokens": 9,
        "finish_reason": "stop",
        "prompt_tokens": 71,
        "seed": None,
        "text": text,
        "dataset": "tiny",
        "model": "tiny",
        "decoding": "sample",
        **changes,
    }


def write(folder: Path, rows: list[dict[str, Any]]) -> bytes:
    """Add rows to a folder's file, and return its new content."""
    with SamplesFile(folder) as file:
        for one in rows:
            file.append(one)
    return (folder / SAMPLES).read_bytes()


def stored(folder: Path) -> list[dict[str, Any]]:
    """The rows of a folder's file, read as plain JSON lines."""
    return [json.loads(line) for line in (folder / SAMPLES).read_bytes().splitlines()]


def rewrite(folder: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Replace the rows of the file by `rows`."""
    (folder / SAMPLES).write_text("".join(json.dumps(row) + "\n" for row in rows))


def record_in(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return found


def change_record(folder: Path, change: Any) -> dict[str, Any]:
    """Replace the folder's record by `change`, or by `change` of it where that is a function."""
    record: dict[str, Any] = change(record_in(folder)) if callable(change) else change
    (folder / "run.json").write_text(json.dumps(record))
    return record
