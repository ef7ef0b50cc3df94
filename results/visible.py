r"""Make untrusted text safe to print: terminals obey control characters, and a model may send any.

>>> visible("18\x1b[2J\u202e")
'18\\x1b[2J\\u202e'
"""

import unicodedata

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
"""Categories of control and formatting characters, surrogates and line separators."""


def visible(text: str, keep: str = "") -> str:
    """`text` with every character that a terminal may obey or hide escaped, except those in `keep`."""
    return "".join(
        char
        if char in keep or unicodedata.category(char) not in _HIDDEN
        else char.encode("unicode_escape").decode("ascii")
        for char in text
    )
