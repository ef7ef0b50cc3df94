r"""Untrusted text made safe to print: a terminal obeys what it is sent, and a model may send anything.

>>> visible("18\x1b[2J\u202e")
'18\\x1b[2J\\u202e'
"""

import unicodedata

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
"""Control and formatting characters (escape, bidirectional marks), half characters, line separators."""


def visible(text: str, keep: str = "") -> str:
    """`text` with every character that a terminal may obey or hide written as its escape, but for `keep`."""
    return "".join(
        char if char in keep or unicodedata.category(char) not in _HIDDEN else _escaped(char) for char in text
    )


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
