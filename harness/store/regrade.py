"""Reads the stored texts of a run again: other readers, no sampling.

    regrade(Path("runs/gsm8k"), Grader(("hashes", "boxed"))) -> Regraded(changed=512, ...)

The verdicts before are kept in verdicts-TIME.csv, one row per answer, and the change is noted in run.json.
"""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from harness.grader import Grader, required_gold
from harness.store.blocks import Block, read_blocks
from harness.store.record import note_reading, tally_of
from harness.store.resume import unused
from harness.store.row import Row
from harness.store.samples_file import SAMPLES, not_a_row
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
    reading = _Reading(path, grader, tally_of(folder, grader=grader))
    with (
        replacing(path) as again,
        replacing(kept) as aside,
        aside.open("w", encoding="utf-8", errors="replace", newline="") as verdicts,
        again.open("wb") as rows,
    ):
        before = csv.writer(verdicts)
        before.writerow((*SAMPLE_KEY, *_VERDICT))
        for block in read_blocks(path):
            table = block.table
            found = reading.by_row(block) if table is None else reading.by_column(block, table)
            for verdict, line in found:
                before.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in verdict])
                rows.write(line)
    changed, tally = reading.changed, reading.tally
    note_reading(folder, grader, kept.name, changed, tally.summary())
    return Regraded(changed, kept, tally)


class _Reading:
    """One pass over a file: of each row its key with the verdict before, and its line with the new one."""

    def __init__(self, path: Path, grader: Grader, tally: Tally) -> None:
        self._path, self._grader, self.tally = path, grader, tally
        self._golds: dict[tuple[str, str], str] = {}
        self.changed = 0

    def by_row(self, block: Block) -> Iterator[tuple[list[Any], bytes]]:
        """Any rows. Raises BadInput."""
        for number, line, row in block.rows():
            if row is None:
                said = f"{self._path}: row {number}: {not_a_row(line)}"
                raise BadInput(f"{said}: `harness sample --quarantine` puts such rows aside")
            if not isinstance(row.get("text"), str):
                raise BadInput(f"{self._path}: row {number}: no text to read again")
            told = [row.get(name) for name in (*SAMPLE_KEY, *_VERDICT)]
            gold, labels = str(row.get("gold")), str(row.get("labels") or "")
            verdict = self._verdict(row["text"], gold, row.get("finish_reason"), labels, number)
            self.changed += verdict["answer"] != row.get("answer")
            row |= verdict
            self.tally.add(row)
            yield told, _line(row)

    def by_column(self, block: Block, table: pa.Table) -> Iterator[tuple[list[Any], bytes]]:
        """Plain rows; the lines of those that are read as before stay as they are. Raises BadInput."""
        told = [table[name].to_pylist() for name in (*SAMPLE_KEY, *_VERDICT)]
        asked = [table[name].to_pylist() for name in ("text", "gold", "finish_reason", "labels")]
        verdicts = []
        for number, (text, gold, ending, labels) in enumerate(zip(*asked, strict=True), start=block.first):
            verdicts.append(self._verdict(text, gold, ending, labels or "", number))
        columns = {name: [verdict[name] for verdict in verdicts] for name in _VERDICT}
        for group in block.groups(columns):
            self.tally.add_group(group)
        for line, verdict, *cells in zip(io.BytesIO(block.content), verdicts, *told, strict=True):
            if cells[-len(_VERDICT) :] != [verdict[name] for name in _VERDICT]:
                self.changed += verdict["answer"] != cells[-len(_VERDICT)]
                line = _line(json.loads(line) | verdict)
            yield cells, line

    def _verdict(self, text: str, gold: str, ending: str | None, labels: str, number: int) -> dict[str, Any]:
        names = labels.split()
        if (gold, labels) not in self._golds:
            where = f"{self._path}: row {number}"
            self._golds[gold, labels] = required_gold(gold, where, self._grader.grader, names)
        return self._grader.verdict(text, self._golds[gold, labels], ending, names)


def _line(row: Row) -> bytes:
    return (json.dumps(row, ensure_ascii=False) + "\n").encode(errors="replace")
