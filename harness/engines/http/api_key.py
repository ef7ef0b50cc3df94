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
NO_KEY = "none"
"""Sent when there is no key: some servers insist on a header, but accept anything in it."""
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

    @property
    def sent(self) -> str:
        """What goes into the request's header."""
        return self.value or NO_KEY

    def remove(self, content: bytes) -> bytes:
        """`content` without the whole key."""
        return content.replace(self.value.encode(), HIDDEN.encode()) if self.value else content

    def hide(self, message: str) -> str:
        """`message` without the key, and without words that quote a part of it or show stars in its place."""
        if self.value:
            message = message.replace(self.value, HIDDEN)
        parts = [r"\*{3,}"]
        if len(self.value) >= 2 * QUOTED:
            parts += [re.escape(self.value[:QUOTED]), re.escape(self.value[-QUOTED:])]
        return re.sub(rf"[^\s\"']*(?:{'|'.join(parts)})[^\s\"']*", HIDDEN, message)
