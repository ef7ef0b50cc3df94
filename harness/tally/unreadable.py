r"""Answers that could not be read: how they end, and which readers would read them.

34.1% of the answers could not be read. They end in 'is \boxed{N}.' (412 times), 'be **N**.' (80 times).
`tts regrade DIR --reader hashes,boxed --match first` reads 498 of these 510
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.grader import Grader, ends_in_code
from harness.grading.choice import labels_in
from harness.grading.places import READERS, Reader
from results.terminal import plural, visible

MANY = 0.05
"""A run warns if more than this share of a setting's answers could not be read."""
HELD = 1 << 26
"""The most characters of texts that wait to be examined; few runs have that many unreadable answers."""
ENDINGS = 3
_WORDS = 2
_NUMBER = re.compile(r"[0-9](?:[0-9,.]*[0-9])?")


class Unreadable:
    """Counts a run's unreadable answers, and how many of them each reader would read."""

    def __init__(self, grader: Grader | None) -> None:
        """`grader`: the one that read the answers; None if that is unknown."""
        self.count = self._never_sampled = 0
        self._endings: Counter[str | None] = Counter()
        """The key None is for answers that were cut off."""
        self._grader = grader
        self._all = grader and replace(grader, readers=READERS)
        self._read: Counter[Reader] = Counter()
        self._waiting: list[tuple[str, bool, Any]] = []
        self._held = 0

    def add(
        self, text: str | None, finish_reason: str | None, tokens: int | None = None, labels: Any = None
    ) -> None:
        """Count one unreadable answer; `labels`: the cell of its row."""
        self.count += 1
        self._never_sampled += tokens == 0 and not text
        if text is not None:
            self._waiting.append((text, finish_reason == "length", labels))
            self._held += len(text)
        if self._held > HELD:
            self._look()

    def _look(self) -> None:
        for waiting in self._waiting:
            self._look_at(*waiting)
        self._waiting, self._held = [], 0

    def _look_at(self, text: str, cut_off: bool, labels: Any) -> None:
        # The last words, with N for a number: "so it is **26**." and "so it is **7**." end alike.
        ending = None if cut_off else _NUMBER.sub("N", " ".join(text[-100:].split()[-_WORDS:]))
        self._endings[ending] += 1
        if self._all and (reader := self._all.read(text, cut_off, labels_in(labels)).reader):
            self._read[reader] += not (reader == READERS[-1] and ends_in_code(text))

    def advice(self, share: float, runs: Sequence[Path]) -> str:
        """One line of advice about a run with this share of unreadable answers."""
        self._look()
        ways = ", ".join(
            f"{_quoted(end)} ({plural(count, 'time')})" for end, count in self._endings.most_common(ENDINGS)
        )
        lost = f"{share:.1%} of the answers could not be read"
        if self._never_sampled > self.count / 2:
            cause = f"{self._never_sampled} of these {self.count} have 0 tokens and no text"
            return f"{lost}: {cause}: they were never generated; leave them out with --drop tokens=0"
        lost += f": most end in {ways}" if ways else ""
        if not (self._read.total() and self._grader):
            return f"{lost}: see them with `tts inspect {' '.join(map(str, runs))} --unreadable`"
        more = (reader for reader in READERS if self._read[reader])
        helpful = replace(self._grader, readers=(*self._grader.readers, *more))
        reads = f"reads {self._read.total()} of these {self.count}"
        if len(runs) > 1:
            return f"{lost}: `tts regrade DIR {helpful}`, for each folder, {reads}"
        return f"{lost}: `tts regrade {runs[0]} {helpful}` {reads}"


def _quoted(ending: str | None) -> str:
    if ending is None:
        return "no answer before the token limit"
    return f"'{visible(ending):.40}'" if ending else "nothing at all"
