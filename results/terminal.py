r"""Text for a terminal: control characters are escaped, and rows are aligned in columns.

Terminals obey control characters, and a model may output any of them.

>>> visible("18\x1b[2J\u202e")
'18\\x1b[2J\\u202e'
"""

import unicodedata
from collections.abc import Callable, Collection, Sequence
from typing import Any

NBSP = "\N{NO-BREAK SPACE}"

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
"""Categories of control and formatting characters, surrogates and line separators."""


def visible(text: str, keep: str = "") -> str:
    """`text` with control and invisible characters escaped, except those in `keep`."""
    return "".join(
        char
        if char in keep or (unicodedata.category(char) not in _HIDDEN and char not in "\ufffe\uffff")
        else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def in_texts(cell: Any, change: Callable[[str], str]) -> Any:
    """`cell` with `change` applied to every text in it, also within lists and dicts."""
    if isinstance(cell, list):
        return [in_texts(item, change) for item in cell]
    if isinstance(cell, dict):
        return {in_texts(name, change): in_texts(item, change) for name, item in cell.items()}
    return change(cell) if isinstance(cell, str) else cell


def plural(number: object, noun: str) -> str:
    """A number with its noun: "1 answer", "1,319 answers"."""
    return f"{number} {noun}" if str(number) == "1" else f"{number} {noun}s"


def first_of(names: Sequence[str], most: int) -> str:
    """At most `most` names and the number of the others: "1/9, 2/9 and 3 more"."""
    others = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + others


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> list[str]:
    """One line per row, the first a header; columns whose numbers are in `left` are left-aligned.

    All others are right-aligned, as numbers should be; cells may be untrusted text.
    """
    rows = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = ["<" if index in left else ">" for index in range(len(widths))]
    formats = [f"{{:{side}{width}}}" for side, width in zip(sides, widths, strict=True)]
    return ["  ".join(formats).format(*row).rstrip() for row in rows]
