"""Escapes CSV cells that a spreadsheet would run as a formula, and undoes the escape on reading.

    =1+1           '=1+1
    x;=1+1         x;'=1+1        some spreadsheets split cells at semicolons, whatever the file's name
    (tab)x         '(tab)x        and some skip a tab before a formula
    -5  -x  a=b    unchanged

Text that begins with = or @ is a formula, as is text that begins with + or - and contains a call. It gets a
quote in front at the start of a cell, and after a semicolon, a tab or a line break within one.
"""

import re

_AT_START = r"'*(?:[=@\t\r]|[+-].*[|!(])"
_INSIDE = r"'*(?:[=@]|[+-][^;\t\r\n]*[|!(])"
_PLACE = re.compile(rf"^(?={_AT_START})|(?<=[;\t\r\n])(?={_INSIDE})", re.DOTALL)
_QUOTE = re.compile(rf"^'(?={_AT_START})|(?<=[;\t\r\n])'(?={_INSIDE})", re.DOTALL)


def harmless(cell: str) -> str:
    """The cell with its formulas quoted, for a CSV.

    >>> harmless("=cmd|'/C calc'!A0"), harmless("-5")
    ("'=cmd|'/C calc'!A0", '-5')
    """
    return _PLACE.sub("'", cell)


def as_told(cell: str) -> str:
    """The original of a cell that `harmless` wrote."""
    return _QUOTE.sub("", cell)
