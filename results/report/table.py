"""A table of text cells, and how its numbers are written. The page escapes the cells."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import pandas as pd

from results.figures.words import show
from results.visible import visible

HALF = 60
"""Characters of a row that fit into half the page."""

LONGEST = 200
"""Characters of a name that are shown."""


@dataclass(frozen=True)
class Table:
    """A table of text cells; `note` explains it in a sentence or two."""

    title: str
    head: list[str]
    rows: list[list[str]]
    note: str = ""

    @property
    def wide(self) -> bool:
        """Whether half a page is too narrow for it."""
        columns = zip(self.head, *self.rows, strict=True)
        return sum(max(map(len, cells)) for cells in columns) > HALF


Columns = dict[str, Callable[[Any], str]]
"""The columns of a table by title: what each says of a row."""


def tabled(title: str, rows: pd.DataFrame, columns: Columns, note: str = "") -> Table:
    """A table of `rows`."""
    body = [[tell(row) for tell in columns.values()] for _, row in rows.iterrows()]
    return Table(title, list(columns), body, note)


def number(value: float, digits: str = ".4g") -> str:
    """A number as text; "–" where it is not known."""
    return "–" if pd.isna(value) else f"{value:{digits}}".replace("-", "−")


def share(value: float) -> str:
    """An accuracy in per cent; "–" where it is not known."""
    return "–" if pd.isna(value) else show(value)


def readable(text: str) -> str:
    """Untrusted text for a line: what is hidden is spelled out, the end of a long one is a checksum."""
    text = visible(text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 10]}… {crc32(text.encode()):08x}"


def _interval(low: Any, high: Any) -> str:
    return "–" if pd.isna(low) else f"{show(low)} … {show(high)}"


INTERVALS: Columns = {
    "90 % interval": lambda row: _interval(row["low"], row["high"]),
    "for new questions": lambda row: _interval(row.get("new_low"), row.get("new_high")),
}
"""The columns of the two intervals of a forecast."""
