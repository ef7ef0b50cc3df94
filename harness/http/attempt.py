"""The outcome of one attempt at a request: a reply, or a reason to retry, to drop it or to end the run.

200                           the reply is read
429, 503 with Retry-After     Fault "busy": sent again after that time
502, 503, 504, no connection  Fault "away": all requests wait until the server is ready
408, 425, 500, half a reply   Fault "failed": sent again after a pause
400, 403, 413, 422, ...       RequestRefused: this request would be refused again
301, 401, 404, 405, 501       EngineGone: every request would be refused
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AliasPath, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from harness.errors import EngineError, EngineGone, RequestRefused
from results.terminal import visible

T = TypeVar("T")

LONGEST_RETRY_AFTER = 600.0  # seconds

AWAY = {502, 503, 504}
QUEUE_IS_FULL = b"queue is full"
"""Text in the 503 reply of a SGLang server with --max-queued-requests, which has no Retry-After."""
NO_QUOTA = b"insufficient_quota"
"""Text in OpenAI's 429 reply to an account without credit, where waiting is useless."""
REFUSES_ALL = {401, 404, 405, 501}
PASSING = {408, 425}
"""Statuses below 500, besides 429, that may not recur at the next attempt."""


class Fault(Exception):
    """An attempt failed; another may succeed, `retry_after` seconds later if the server says so."""

    def __init__(
        self, message: str, kind: Literal["failed", "busy", "away"] = "failed", retry_after: float = 0.0
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after


class Nobody(Fault):
    """Nothing listens at the address."""


@dataclass(frozen=True)
class Reply:
    """An HTTP reply; `retry_after` is the header of that name, empty if there is none."""

    status: int
    retry_after: str
    content: bytes


def check_status(url: str, reply: Reply) -> None:
    """Raise what any status but 200 means: Fault, RequestRefused or EngineGone."""
    status, content = reply.status, reply.content
    if status == 200:
        return
    what = f"status {status}: {excerpt(content)}"
    if 300 <= status < 400 or status in REFUSES_ALL or (status == 429 and NO_QUOTA in content):
        raise EngineGone(f"{url} refuses every request with {what}")
    if status == 429 or (status == 503 and (reply.retry_after or QUEUE_IS_FULL in content)):
        raise Fault(what, "busy", seconds_until(reply.retry_after))
    if status in AWAY:
        raise Fault(what, "away")
    if 400 <= status < 500 and status not in PASSING:
        raise RequestRefused(f"refused with {what}")
    raise Fault(what)


def seconds_until(retry_after: str) -> float:
    """Seconds to wait by a Retry-After header; 0 if it is a date or not a number."""
    with suppress(ValueError):
        return min(max(0.0, float(retry_after)), LONGEST_RETRY_AFTER)  # NaN is 0
    return 0.0


def excerpt(content: bytes) -> str:
    """The beginning of a reply, for a message."""
    return visible(content[:200].decode(errors="replace"))


TokenCount = Annotated[int, Field(ge=0)]
LONE_SURROGATE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
"""Half of a surrogate pair in JSON: an answer that was cut off within an emoji ends with one."""


class FromServer(BaseModel):
    """Part of a reply: no value is converted, and unknown keys are ignored."""

    model_config = ConfigDict(strict=True)


def inside(*path: str, default: Any = ...) -> Any:
    """A field of FromServer with the value at `path` in the reply; required without a `default`."""
    return Field(default, validation_alias=AliasPath(*path))


def parse(schema: TypeAdapter[T], content: bytes) -> T:
    """`content` parsed by `schema`, with U+FFFD for half a surrogate pair.

    Raises Fault with the first mismatch.
    """
    try:
        return schema.validate_json(content)
    except ValidationError as error:
        whole = LONE_SURROGATE.sub(rb"\\ufffd", content)
        if whole != content:
            return parse(schema, whole)
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise Fault(f"unexpected reply '{excerpt(content)}': {where}: {first['msg']}") from None


def check_length(tokens: int, limit: int) -> None:
    """Raise EngineError for an answer of more tokens than its limit."""
    if tokens > limit:
        raise EngineError(f"the server counts {tokens} tokens in an answer that was allowed {limit}")
