"""The types of values that an experiment's keys take, and the messages for other values.

On the command line, text that is neither TOML nor a JSON object, or not of the right type, is read by its
key's type:

    budgets=10,20 -> [10, 20]    revision=1e5 -> "1e5"    server_flags=--tp-size 2 -> ["--tp-size", "2"]
"""

import json
import re
import shlex
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

from pydantic import AfterValidator, Field
from pydantic.fields import FieldInfo

RESERVED = {
    *("model", "messages", "prompt", "text", "input_ids", "n", "stream"),
    *("max_tokens", "max_completion_tokens", "max_new_tokens", "temperature", "top_p", "top_k", "stop"),
    *("thinking_token_budget", "max_thinking_tokens"),
}
"""Fields of a request or its sampling_params that the engine or other keys of an experiment set."""


def only(valid: Callable[[Any], object], expected: str) -> AfterValidator:
    """A validator that accepts None and `valid` values; `expected` is the message for others."""

    def check(value: Any) -> Any:
        if value is not None and not valid(value):
            raise ValueError(expected)
        return value

    return AfterValidator(check)


def rule_in_full(text: str | None) -> str | None:
    """A stop rule with its threshold, by default its usual one. Raises ValueError."""
    from results.stopping import spelt_out  # not needed by most runs

    return None if text is None else spelt_out(text)


Count = Annotated[int, Field(ge=0, le=10**9, strict=True)]
Positive = Annotated[int, Field(ge=1, le=10**9, strict=True)]
InFlight = Annotated[int, Field(ge=1, le=100_000, strict=True)]
ADDRESS = re.compile("(?i:https?)://[^/@?]+[^@?]*")
PLAIN_URL = "http://HOST:PORT, without user name, password or query, as run.json records it"
DISTINCT = only(lambda values: len(set(values)) == len(values), "each value only once")

WORDS = {"server_flags"}
"""Fields whose text is split into words as by a shell."""


def value_of(key: str, field: FieldInfo | None, text: str) -> Any:
    """`text` as a value of `field` (None if `key` is unknown): `a,b` as a list, empty text as None."""
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
    """`text` split as by a shell; unchanged, and so invalid as a list, if a quote is left open."""
    try:
        return shlex.split(text)
    except ValueError:
        return text


def _toml(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return _json_object(text)


def _json_object(text: str) -> Any:
    """The JSON object in `text`, which unlike one of TOML may hold a null; other text is unchanged."""
    with suppress(ValueError, RecursionError):
        if text.lstrip().startswith("{"):
            return json.loads(text)
    return text
