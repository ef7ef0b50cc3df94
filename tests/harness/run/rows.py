"""Rows of samples.jsonl, as the harness writes them."""

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
    """Add rows to a folder's file; returns what is in it now."""
    with SamplesFile(folder) as file:
        file.append(rows)
    return (folder / SAMPLES).read_bytes()
