"""What a run's answers look like, setting by setting, counted while they come in.

    setting  decoding  answers  tokens  cut off  unreadable  distinct  correct
    40       sample       6400    39.8     0.4%        1.2%     88.1%    31.1%

Tokens are the mean really used, beside the budget asked for; distinct is the share of texts that differ
from the others of their question: answers that are copies of one another tell of a fixed seed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Counts:
    """The answers of one setting and decoding."""

    answers: int = 0
    tokens: int = 0
    cut_off: int = 0
    unreadable: int = 0
    correct: int = 0
    texts: set[int] = field(default_factory=set)

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one row of the samples table."""
        self.answers += 1
        self.tokens += row["tokens"]
        self.cut_off += row["finish_reason"] == "length"
        self.unreadable += row["answer"] is None
        self.correct += row["correct"]
        self.texts.add(hash((row["question_id"], row["text"])))


class Tally:
    """Counts for every setting, in the order of their first answer."""

    def __init__(self) -> None:
        self.settings: dict[tuple[str, str], Counts] = {}

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one row of the samples table."""
        self.settings.setdefault((row["setting"], row["decoding"]), Counts()).add(row)

    @property
    def answers(self) -> int:
        return sum(counts.answers for counts in self.settings.values())

    @property
    def tokens(self) -> int:
        return sum(counts.tokens for counts in self.settings.values())

    @property
    def correct(self) -> int:
        return sum(counts.correct for counts in self.settings.values())

    def table(self) -> str:
        """The counts as lines of text, one a setting: budgets by size, then others by name."""
        header = ("setting", "decoding", "answers", "tokens", "cut off", "unreadable", "distinct", "correct")
        lines: list[tuple[str, ...]] = [header]
        for (setting, decoding), counts in sorted(self.settings.items(), key=_order):
            shares = (counts.cut_off, counts.unreadable, len(counts.texts), counts.correct)
            percent = (f"{share / counts.answers:.1%}" for share in shares)
            lines.append(
                (setting, decoding, str(counts.answers), f"{counts.tokens / counts.answers:.1f}", *percent)
            )
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if index < 2 else cell.rjust(width)
                for index, (cell, width) in enumerate(zip(line, widths, strict=True))
            )
            for line in lines
        )


def _order(item: tuple[tuple[str, str], Counts]) -> tuple[bool, int, str, str]:
    (setting, decoding), _ = item
    number = setting.isdecimal()
    return not number, int(setting) if number else 0, setting, decoding
