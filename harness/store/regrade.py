"""Reads the stored texts of a run again with other readers, without sampling.

    regrade(Path("runs/gsm8k"), Grader(("hashes", "boxed"))) -> Regraded(changed=512, ...)

The old verdicts are kept in verdicts-TIME.csv, and run.json notes the change.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.grader import Grader, required_gold
from harness.grading.choice import labels_in
from harness.store.record import note_reading, tally_of
from harness.store.resume import unused
from harness.store.row import Row
from harness.store.samples_file import SAMPLES, Block, line_of, not_a_row, read_blocks
from harness.tally.answer_groups import groups_of
from harness.tally.counts import Tallies
from results import BadInput
from results.tables.files import replacing
from results.tables.formulas import harmless
from results.tables.schemas import SAMPLE_KEY

_VERDICT = ("answer", "correct", "reader")
_safe = lru_cache(maxsize=4096)(harmless)  # the same few hundred cells recur


@dataclass(frozen=True)
class Regraded:
    """How many answers are now read differently, the file with the old verdicts, and the new counts."""

    changed: int
    kept: Path
    tallies: Tallies


def regrade(folder: Path, grader: Grader, asked: bool = False) -> Regraded:
    """Read all answers in the folder's samples.jsonl with `grader`; `asked`: the experiment asks for it.

    The caller holds the folder's lock. Raises BadInput, and then changes nothing: no samples.jsonl, an answer
    without its text or without a right answer.
    """
    grader.check_installed()
    path = folder / SAMPLES
    if not path.exists():
        raise BadInput(f"{path}: no such file: only a folder with {SAMPLES} can be read again")
    kept = unused(folder, "verdicts", ".csv")
    reading = _Reading(path, grader, Tallies(lambda *_: tally_of(folder, grader=grader)))
    with (
        replacing(path) as again,
        replacing(kept) as aside,
        aside.open("w", encoding="utf-8", errors="replace", newline="") as verdicts,
        again.open("wb") as rows,
    ):
        before = csv.writer(verdicts)
        before.writerow((*SAMPLE_KEY, *_VERDICT))
        for block in read_blocks(path):
            for verdict, line in reading.read(block):
                before.writerow([_safe(cell) if isinstance(cell, str) else cell for cell in verdict])
                rows.write(line)
    tallies = [tally for _, tally in reading.tallies.named]
    of_run = tallies[0] if tallies else tally_of(folder, grader=grader)
    note_reading(folder, grader, kept.name, reading.changed, of_run.summary(), asked)
    return Regraded(reading.changed, kept, reading.tallies)


class _Reading:
    """One pass over a file, giving each row's key with its old verdict, and its line with the new one."""

    def __init__(self, path: Path, grader: Grader, tallies: Tallies) -> None:
        self._path, self._grader, self.tallies = path, grader, tallies
        self._golds: dict[tuple[str, tuple[str, ...]], str] = {}
        self.changed = 0

    def read(self, block: Block) -> Iterator[tuple[list[Any], bytes]]:
        """The (key and old verdict, line) of each row; unchanged rows keep their line. Raises BadInput."""
        again = list[Row]()
        for number, line, row in block.numbered():
            if row is None:
                raise BadInput(f"{self._path}: row {number}: {not_a_row(line)}: delete the row")
            before = [row.get(name) for name in (*SAMPLE_KEY, *_VERDICT)]
            verdict = self._verdict(row, number)
            self.changed += verdict["answer"] != row.get("answer")
            same = verdict.items() <= row.items() and isinstance(row["correct"], bool)
            again.append(row if same else row | verdict)
            yield before, line if same and line.endswith(b"\n") else line_of(again[-1])
        self.tallies.add(groups_of(again))

    def _verdict(self, row: Row, number: int) -> dict[str, Any]:
        """The new cells of the columns _VERDICT. Raises BadInput."""
        where = f"{self._path}: row {number}"
        if not isinstance(row.get("text"), str):
            raise BadInput(f"{where}: no text to read again")
        asked = str(row.get("gold")), labels_in(row.get("labels"))
        if asked not in self._golds:
            self._golds[asked] = required_gold(asked[0], where, self._grader.grader, asked[1])
        return self._grader.verdict(row["text"], self._golds[asked], row.get("finish_reason"), asked[1])
