"""Tables of text cells, and the format of their numbers. The page escapes the cells.

Table("The frontier", ["N", "setting", "accuracy"], [["1", "100", "52.0 %"], ["4", "100", "61.3 %"]])
  .same  ->  {"setting": "100"}, which the page shows once, above the table
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from results.normal import FORECAST_LEVEL
from results.tables.key import UNNAMED
from results.terminal import aligned, visible
from results.words.names import UNKNOWN

HALF = 60
"""The most characters of a row that fit into half the page."""

NOTHING = {"", UNKNOWN, UNNAMED, "default"}
"""Cells without information; "default" is the setting in a table that has none."""

LONGEST = 200
"""The most characters of a name that are shown."""


@dataclass(frozen=True)
class Table:
    """A table of text cells; `note` explains it in a sentence or two."""

    title: str
    head: list[str]
    rows: list[list[str]]
    note: str = ""

    @property
    def folded(self) -> list[int]:
        """The columns that are the same in all of several rows, or have no information."""
        columns = [set(cells) for cells in zip(*self.rows, strict=True)]
        several = len(self.rows) > 1
        return [
            place for place, cells in enumerate(columns) if cells <= NOTHING or (several and len(cells) == 1)
        ]

    @property
    def same(self) -> dict[str, str]:
        """The value of each folded column that has information, by title."""
        cells = {self.head[i]: self.rows[0][i] for i in self.folded}
        return {title: cell for title, cell in cells.items() if cell not in NOTHING}

    @property
    def wide(self) -> bool:
        """Whether it is too wide for half a page."""
        columns = list(zip(self.head, *self.rows, strict=True))
        shown = [cells for i, cells in enumerate(columns) if i not in self.folded]
        return sum(max(map(len, cells)) for cells in shown) > HALF


Columns = dict[str, Callable[[Any], str]]
"""The columns of a table by title: functions from a row to a cell."""


def cells_of(rows: pd.DataFrame, columns: Columns) -> list[list[str]]:
    """The cells of each row."""
    return [[tell(row) for tell in columns.values()] for _, row in rows.iterrows()]


def tabled(title: str, rows: pd.DataFrame, columns: Columns, note: str = "") -> Table:
    """A table of `rows` with these columns."""
    return Table(title, list(columns), cells_of(rows, columns), note)


TO_THE_LEFT = (
    *("set", "data set", "a", "b", "run", "question", "predictor", "setting", "rule", "along"),
    *("answer", "at", "b is", "is", "status", "problem", "to decide it"),
)
"""Columns that are left-aligned on a terminal; the others hold numbers."""


def lines_of(table: Table) -> list[str]:
    """The table's head and rows as aligned lines."""
    left = [place for place, head in enumerate(table.head) if head in TO_THE_LEFT]
    return aligned([table.head, *table.rows], left)


def described(rows: pd.DataFrame, columns: Columns) -> str:
    """The cells of each row, as aligned lines below a head."""
    return "\n".join(lines_of(tabled("", rows, columns)))


def number(value: float, digits: str = ".4g") -> str:
    """A number as text; "–" if it is unknown or infinite."""
    return UNKNOWN if pd.isna(value) or np.isinf(value) else f"{value:{digits}}".replace("-", "−")


def count(value: float) -> str:
    """Tokens or steps: 3718.4 as "3,718"; small numbers keep a decimal."""
    whole = pd.isna(value) or value >= 100 or value == round(value)
    return number(value, ",.0f" if whole else ".1f")


def level_of(rows: Any) -> str:
    """The level of intervals in a table or row; "90 %" for old tables, which do not have it."""
    levels = np.ravel(rows["level"]).tolist() if "level" in rows else []
    return f"{100 * [*levels, FORECAST_LEVEL][0]:g} %"


def readable(text: str) -> str:
    """Untrusted text for a line: hidden characters escaped, the end of a long text replaced by a checksum."""
    text = visible(text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 10]}… {crc32(text.encode()):08x}"
