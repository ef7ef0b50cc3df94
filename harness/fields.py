"""The kinds of values that the keys of an experiment take, and what is said of other ones.

On the command line a value is TOML where it is TOML, else what the key's field takes:

    budgets=10,20 -> [10, 20]    revision=1e5 -> "1e5"    server_flags=--tp-size 2 -> ["--tp-size", "2"]
"""

import re
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

from pydantic import AfterValidator, Field
from pydantic.fields import FieldInfo

RESERVED = {
    *("model", "messages", "prompt", "text", "input_ids", "n", "stream"),
    *("max_tokens", "max_completion_tokens", "max_new_tokens", "temperature", "top_p", "top_k", "stop"),
    *("thinking_token_budget", "max_thinking_tokens"),
}
"""Fields of a request, or its sampling_params, that other keys of an experiment, or the engine, decide."""


def only(valid: Callable[[Any], object], expected: str) -> AfterValidator:
    """Refuses a field's value unless it is None or `valid`; `expected` then says what it should be."""

    def check(value: Any) -> Any:
        if value is not None and not valid(value):
            raise ValueError(expected)
        return value

    return AfterValidator(check)


def rule_in_full(text: str | None) -> str | None:
    """A stop rule with its threshold. Raises ValueError."""
    from results.stopping import spelt_out  # not needed by most runs

    return None if text is None else spelt_out(text)


Count = Annotated[int, Field(ge=0, le=10**9, strict=True)]
Positive = Annotated[int, Field(ge=1, le=10**9, strict=True)]
InFlight = Annotated[int, Field(ge=1, le=100_000, strict=True)]
ADDRESS = re.compile("(?i:https?)://[^/@?]+[^@?]*")
PLAIN_URL = "http://HOST:PORT, without user name, password or query, as run.json records it"
DISTINCT = only(lambda values: len(set(values)) == len(values), "each value only once")

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
