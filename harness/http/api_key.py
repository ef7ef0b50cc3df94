"""A server's key: read from the environment, sent with every request, hidden in every message.

    ApiKey.from_environment("OPENAI_API_KEY").hide("Incorrect API key provided: sk-abcdefgh...wxyz.")
    -> "Incorrect API key provided: [key]"

Servers quote keys in their errors, whole or in part, and errors end up in logs.
"""

import os
import re
from dataclasses import dataclass, field
from typing import Self

from results import BadInput

HIDDEN = "[key]"
LEAST_SECRET = 16
"""Shorter keys are made up, and hiding such as `x` or `8` would spoil messages."""
QUOTED = 8
"""A word that holds this many characters of the key's beginning or end is taken for a quotation of it."""


@dataclass(frozen=True)
class ApiKey:
    """The key in the environment variable `name`, empty if there is none. Its repr does not show it."""

    name: str
    value: str = field(repr=False)

    @classmethod
    def from_environment(cls, name: str) -> Self:
        """Raises BadInput if the variable holds characters that no key has."""
        value = os.environ.get(name, "").strip()
        if not (value.isascii() and value.isprintable()):
            raise BadInput(f"environment variable {name}: not a key, expected printable ASCII characters")
        return cls(name, value)

    def hide(self, message: str) -> str:
        """`message` without the key and without words that quote its beginning or end."""
        if len(self.value) < LEAST_SECRET:
            return message
        ends = f"{re.escape(self.value[:QUOTED])}|{re.escape(self.value[-QUOTED:])}"
        return re.sub(rf"[^\s\"']*(?:{ends})[^\s\"']*", HIDDEN, message.replace(self.value, HIDDEN))
