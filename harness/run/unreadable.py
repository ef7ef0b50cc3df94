r"""Answers that could not be read: how they end, and which readers would read them.

34.1% of the answers could not be read. They end in 'is \boxed{N}.' (412 times), 'be **N**.' (80 times).
`python -m harness regrade DIR --reader hashes,boxed --match first` reads 498 of these 510
"""

import re
from collections import Counter
from pathlib import Path

from harness.grader import READERS, Grader
from results.visible import visible

MANY = 0.05
"""The share of a setting's answers from which on a run says so."""
ENDINGS = 3
MOST_ENDINGS = 10_000
"""Different endings that are counted, so that a run of any length keeps them in memory."""
_WORDS = 2
_NUMBER = re.compile(r"[0-9][0-9,.]*+(?<![.,])")


class Unreadable:
    """Counts of the unreadable answers of a run, and of what would read them."""

    def __init__(self, grader: Grader | None) -> None:
        """`grader` has read the answers; None where that is unknown."""
        self.count = 0
        self._endings: Counter[str] = Counter()
        self._readers = grader.readers if grader else ()
        others = tuple(reader for reader in READERS if reader not in self._readers)
        self._others = Grader(others, grader.match if grader else "first")
        self._read: Counter[str] = Counter()

    def add(self, text: str | None, finish_reason: str | None) -> None:
        """Count one unreadable answer."""
        self.count += 1
        if text is None:
            return
        cut_off = finish_reason == "length"
        ending = "" if cut_off else _ending(text)
        if ending in self._endings or len(self._endings) < MOST_ENDINGS:
            self._endings[ending] += 1
        if reader := self._others.read(text, cut_off).reader:
            self._read[reader] += 1

    def advice(self, share: float, folder: Path) -> str:
        """What to tell about a run with so large a share of unreadable answers; one line."""
        ways = ", ".join(
            f"{_quoted(end)} ({count} times)" for end, count in self._endings.most_common(ENDINGS)
        )
        said = f"{share:.1%} of the answers could not be read"
        said += f": most end in {ways}" if ways else ""
        if not self._read:
            return f"{said}: see them with `python -m harness inspect {folder} --unreadable`"
        helpful = tuple(reader for reader in READERS if reader in self._readers or self._read[reader])
        ordered = (*self._readers, *(reader for reader in helpful if reader not in self._readers))
        return (
            f"{said}: `python -m harness regrade {folder} {Grader(ordered, self._others.match)}` "
            f"reads {self._read.total()} of these {self.count}"
        )


def _ending(text: str) -> str:
    """The last words, with N for a number: "so it is **26**." and "so it is **7**." end alike."""
    return _NUMBER.sub("N", " ".join(text[-100:].split()[-_WORDS:]))


def _quoted(ending: str) -> str:
    return f"'{visible(ending):.40}'" if ending else "no answer before the token limit"
