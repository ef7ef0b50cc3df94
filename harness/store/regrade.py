"""Reads the stored texts of a run again: other readers, no sampling.

    regrade(Path("runs/gsm8k"), Grader(("hashes", "boxed"))) -> Regraded(changed=512, ...)

The verdicts before are kept in verdicts-TIME.csv, one row per answer, and the change is noted in run.json.
"""

import csv
import json
from dataclasses import dataclass
from pathlib import Path

from harness.grader import Grader, required_gold
from harness.store.record import note_reading, tally_of
from harness.store.resume import unused
from harness.store.samples_file import SAMPLES, not_a_row, numbered_lines
from harness.tally.counts import Tally
from results import BadInput
from results.tables.files import replacing
from results.tables.formulas import harmless
from results.tables.schemas import SAMPLE_KEY

_VERDICT = ("answer", "correct", "reader")


@dataclass(frozen=True)
class Regraded:
    """How many answers are read differently now, where the verdicts before are kept, and the new counts."""

    changed: int
    kept: Path
    tally: Tally


def regrade(folder: Path, grader: Grader) -> Regraded:
    """Read all answers in the folder's samples.jsonl with `grader`.

    The caller holds the folder's lock. Raises BadInput, and then changes nothing: no samples.jsonl, an answer
    without its text or without a right answer.
    """
    grader.check_installed()
    path = folder / SAMPLES
    if not path.exists():
        raise BadInput(f"{path}: no such file: only a folder with {SAMPLES} can be read again")
    kept = unused(folder, "verdicts", ".csv")
    changed = 0
    tally = tally_of(folder, grader=grader)
    with (
        replacing(path) as again,
        replacing(kept) as aside,
        aside.open("w", encoding="utf-8", errors="replace", newline="") as verdicts,
        again.open("w", encoding="utf-8", errors="replace") as rows,
    ):
        before = csv.writer(verdicts)
        before.writerow((*SAMPLE_KEY, *_VERDICT))
        for number, line, row in numbered_lines(path):
            where = f"{path}: row {number}"
            if row is None:
                said = f"{where}: {not_a_row(line)}"
                raise BadInput(f"{said}: `harness sample --quarantine` puts such rows aside")
            if not isinstance(row.get("text"), str):
                raise BadInput(f"{where}: no text to read again")
            cells = [row.get(name) for name in (*SAMPLE_KEY, *_VERDICT)]
            before.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in cells])
            labels = str(row.get("labels") or "").split()
            gold = required_gold(str(row.get("gold")), where, grader.grader, labels)
            verdict = grader.verdict(row["text"], gold, row.get("finish_reason"), labels)
            changed += verdict["answer"] != row.get("answer")
            row |= verdict
            tally.add(row)
            rows.write(json.dumps(row, ensure_ascii=False) + "\n")
    note_reading(folder, grader, kept.name, changed, tally.summary())
    return Regraded(changed, kept, tally)
