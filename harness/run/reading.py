"""Reads the answers of a run without touching its folder, even while it is being sampled into.

for row in stored_rows(Path("results/runs/tiny/samples.jsonl")):
    row["question_id"], row["setting"], row["sample"], row["correct"]     # "tiny-0000", "40", 0, True
experiment_in(Path("results/runs/tiny"))                                  # from run.json, or None
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from harness.experiment import Experiment
from harness.run.record import RECORD
from harness.run.store import Row
from results import BadInput, read_samples

_ABSENT: Row = {"setting": "default", "decoding": "sample", "answer": None, "gold": None, "text": None}


def stored_rows(path: Path) -> Iterator[Row]:
    """The rows of a samples table (.jsonl, .csv, .parquet), one after the other.

    A last line that is only half written is left out. Columns that a table need not have are null or their
    default, `correct` is computed where it is absent. Raises BadInput naming file, row and what was expected.
    """
    if path.suffix != ".jsonl":
        table = read_samples(path)
        cells = table.astype(object).where(table.notna(), None)
        yield from ({**_ABSENT, **{str(k): v for k, v in row.items()}} for row in cells.to_dict("records"))
        return
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
                found = {
                    **_ABSENT,
                    **row,
                    "sample": int(row["sample"]),
                    "question_id": str(row["question_id"]),
                }
            except (ValueError, KeyError, TypeError):
                if not line.endswith(b"\n"):
                    return
                if not line.strip():
                    continue
                excerpt = line.strip()[:80].decode(errors="replace")
                raise BadInput(
                    f"{path}: row {number}: found {excerpt!r}, expected a row of the samples table"
                ) from None
            found["setting"] = str(found["setting"])
            if "correct" not in row:
                found["correct"] = found["answer"] is not None and found["answer"] == found["gold"]
            yield found


def read_record(folder: Path) -> dict[str, Any] | None:
    """What run.json says, or None where there is none that can be read."""
    try:
        found = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def experiment_in(folder: Path) -> Experiment | None:
    """The experiment on record in a folder, or None: answers of another tool, or of another version."""
    record = read_record(folder)
    try:
        return Experiment.model_validate(record["experiment"]) if record else None
    except (ValidationError, KeyError):
        return None


def measured_rate(folder: Path) -> tuple[float, str] | None:
    """Completion tokens a second, and when the session began, of the last session that has ended.

    None where none is on record.
    """
    record = read_record(folder) or {}
    for session in reversed(record.get("sessions", [])):
        if session.get("tokens") and session.get("seconds"):
            return session["tokens"] / session["seconds"], session["started"]
    return None
