"""Rows of text as a table for a terminal: text columns are aligned to the left, numbers to the right."""

from collections.abc import Collection, Sequence

from results.visible import visible


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> list[str]:
    """One line for each row, the first a header; the columns numbered in `left` are aligned to the left.

    Cells may be untrusted text: what a terminal would obey is escaped.
    """
    rows = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = ["<" if index in left else ">" for index in range(len(widths))]
    formats = [f"{{:{side}{width}}}" for side, width in zip(sides, widths, strict=True)]
    return ["  ".join(formats).format(*row).rstrip() for row in rows]
