"""Cells of a CSV that a spreadsheet would run as a formula, written so that it does not, and read back.

    =1+1           '=1+1
    x;=1+1         x;'=1+1        some spreadsheets separate cells by semicolons, whatever a file's name
    (tab)x         '(tab)x        and some skip a tab before a formula
    -5  -x  a=b    as they are

What begins with = or @ is a formula, and what begins with + or - and calls something. A quote is put before
it at the start of a cell, and after a semicolon, a tab or the end of a line inside; reading takes it off.
"""

import re

_AT_START = r"'*(?:[=@\t\r]|[+-].*[|!(])"
_INSIDE = r"'*(?:[=@]|[+-][^;\t\r\n]*[|!(])"
_PLACE = re.compile(rf"^(?={_AT_START})|(?<=[;\t\r\n])(?={_INSIDE})", re.DOTALL)
_QUOTE = re.compile(rf"^'(?={_AT_START})|(?<=[;\t\r\n])'(?={_INSIDE})", re.DOTALL)


def harmless(cell: str) -> str:
    """The cell as it is written to a CSV.

    >>> harmless("=cmd|'/C calc'!A0"), harmless("-5")
    ("'=cmd|'/C calc'!A0", '-5')
    """
    return _PLACE.sub("'", cell)


def as_told(cell: str) -> str:
    """The cell that `harmless` wrote so."""
    return _QUOTE.sub("", cell)
