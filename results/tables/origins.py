"""Checks, by their run.json, that run folders joined into one curve were sampled in the same way.

    {"experiment": {"dataset": "gsm8k", "model": "tiny", "budgets": [100], "temperature": 1.0, ...},
     "plan_fields": ["budgets", "limit", ...], "prompt_sha256": "9f2c...", ...}

The plan fields say how many answers were asked for, and where; they may differ between folders.
Everything else must be equal: prompt and temperature are not columns of the samples table.
"""

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from results.commandline import BadInput

RECORD = "run.json"


def check_origins(files: Sequence[Path]) -> None:
    """Raise BadInput if two samples files share a curve and were sampled in different ways.

    A file without a run.json of this harness beside it is not checked.
    """
    records = [(file, record) for file in files if (record := read_record(file)) is not None]
    for (file, one), (other_file, other) in itertools.combinations(records, 2):
        if _curves(one).isdisjoint(_curves(other)):
            continue
        ours, theirs = _conditions(one), _conditions(other)
        differing = [
            f"{name} ({json.dumps(ours[name]):.24} and {json.dumps(theirs[name]):.24})"
            for name in ours
            if name in theirs and ours[name] != theirs[name]
        ]
        if differing:
            raise BadInput(
                f"{file.parent} and {other_file.parent} were sampled with different {', '.join(differing)} "
                "and cannot share a curve: pass the folders one at a time"
            )


def read_record(file: Path) -> dict[str, Any] | None:
    """The run.json beside a samples file; None where there is none of this harness."""
    try:
        found = json.loads((file.parent / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    ours = isinstance(found, dict) and isinstance(found.get("experiment"), dict) and "plan_fields" in found
    return found if ours else None


def _curves(record: dict[str, Any]) -> set[tuple[str, str, str]]:
    """Dataset, model and setting of the answers."""
    experiment = record["experiment"]
    settings = experiment.get("budgets") or ["default"]
    return {(str(experiment.get("dataset")), str(experiment.get("model")), str(name)) for name in settings}


def _conditions(record: dict[str, Any]) -> dict[str, Any]:
    """What the answers depend on: the experiment without its plan fields, and the digests."""
    fields = {k: v for k, v in record["experiment"].items() if k not in record["plan_fields"]}
    return fields | {k: v for k, v in record.items() if k.endswith("_sha256")}
