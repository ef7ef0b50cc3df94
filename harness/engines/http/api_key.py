"""A server's key: read from the environment, and taken out of everything that the server says.

    ApiKey.from_environment("OPENAI_API_KEY").hide("Incorrect API key provided: sk-ab***yz.")
    -> "Incorrect API key provided: [key]"

Servers quote keys in their errors, whole or in part, and errors end up in logs.
"""

import os
import re
from dataclasses import dataclass, field
from typing import Self

from results import BadInput

HIDDEN = "[key]"
NONE = "none"
"""What is sent without a key: servers of one's own ask for none."""
QUOTED = 8
"""Characters of a key that are enough to take a word for a quotation of it."""


@dataclass(frozen=True)
class ApiKey:
    """The key in the environment variable `name`, empty where there is none; its repr does not show it."""

    name: str
    value: str = field(repr=False)

    @classmethod
    def from_environment(cls, name: str) -> Self:
        """Raises BadInput where the variable holds what cannot be a key."""
        value = os.environ.get(name, "").strip()
        if not (value.isascii() and value.isprintable()):
            raise BadInput(f"environment variable {name}: not a key, expected printable ASCII characters")
        return cls(name, value)

    @property
    def sent(self) -> str:
        """What goes into the request's header."""
        return self.value or NONE

    def remove(self, content: bytes) -> bytes:
        """`content` without the key as a whole."""
        return content.replace(self.value.encode(), HIDDEN.encode()) if self.value else content

    def hide(self, message: str) -> str:
        """`message` without the key, and without words that quote a part of it or stars in its place."""
        if self.value:
            message = message.replace(self.value, HIDDEN)
        parts = [r"\*{3,}"]
        if len(self.value) >= 2 * QUOTED:
            parts += [re.escape(self.value[:QUOTED]), re.escape(self.value[-QUOTED:])]
        return re.sub(rf"[^\s\"']*(?:{'|'.join(parts)})[^\s\"']*", HIDDEN, message)
