"""The kinds of values that the keys of an experiment take, and what is said of other ones."""

import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AfterValidator, Field

RESERVED = {
    *("model", "messages", "prompt", "text", "input_ids", "n", "stream"),
    *("max_tokens", "max_completion_tokens", "temperature", "top_p", "top_k", "stop"),
    *("thinking_token_budget", "max_thinking_tokens"),
}
"""Fields of a request that the other keys of an experiment, or the engine itself, decide."""


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
