"""The values of `--set KEY=VALUE`: TOML where it is TOML, else what the key's field takes.

budgets=10,20 -> [10, 20]    revision=1e5 -> "1e5"    server_flags=--tp-size 2 -> ["--tp-size", "2"]
"""

import shlex
import tomllib
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic.fields import FieldInfo

WORDS = {"server_flags"}
"""Fields whose text is split as a shell would split it."""


def value_of(key: str, field: FieldInfo | None, text: str) -> Any:
    """`text` as the value of `field`, None for an unknown key; `a,b` is a list, nothing is null."""
    kinds = {field.annotation, get_origin(field.annotation), *get_args(field.annotation)} if field else set()
    value = _toml(text)
    if key in WORDS and not isinstance(value, list):
        return _words(text)
    if tuple in kinds and not isinstance(value, list):
        return [_toml(part.strip()) for part in text.split(",") if part.strip()]
    if type(None) in kinds and not text.strip():
        return None
    if kinds & {str, Path} and not isinstance(value, str | dict):
        return text  # a revision such as 1e5 is not a number
    return value


def _words(text: str) -> list[str] | str:
    """`text` split as a shell would; itself where a quote is left open, which no list of words is."""
    try:
        return shlex.split(text)
    except ValueError:
        return text


def _toml(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
