"""Every fault that an SGLang server can have, for the mock server and for the proxy in front of a real one.

FAULTS["no text"](fetch)    sends the reply that `fetch` returns, without its text

Connections that break off are in http/test_connection.py.
"""

import gzip
import json
from collections.abc import Callable
from typing import Any

from tests.responder import Reply

Fetch = Callable[[], bytes]
"""Returns the body of the reply that the server would give."""
Fault = Callable[[Fetch], Reply]


def status(code: int, content: bytes = b"<html>out of order</html>", **headers: str) -> Fault:
    return lambda _fetch: Reply(content, code, headers)


def body(content: bytes, **headers: str) -> Fault:
    return status(200, content, **headers)


def answer(change: Callable[[dict[str, Any]], Any]) -> Fault:
    """A fault that replaces the server's answer by `change` of it."""
    return lambda fetch: Reply(json.dumps(change(json.loads(fetch()))).encode())


def meta(**values: Any) -> Fault:
    """A fault that sets other values in the answer's meta_info."""
    return answer(lambda found: found | {"meta_info": found["meta_info"] | values})


def half_a_body(fetch: Fetch) -> Reply:
    content = fetch()
    return Reply(content[: len(content) // 2])


GZIPPED = {"Content-Encoding": "gzip"}
FAULTS: dict[str, Fault] = {
    "server error": status(500),
    "request timeout": status(408),
    "too early": status(425),
    "bad gateway": status(502),
    "not ready": status(503),
    "half a body": half_a_body,
    "nothing": body(b""),
    "not JSON": body(b"<html>"),
    "not UTF-8": body(b'{"text": "\xff"}'),
    "not gzip": body(b"no gzip", **GZIPPED),
    "half of a gzip": body(gzip.compress(b"[]")[:-9], **GZIPPED),
    "huge": body(b"[" + b" " * (4 << 20) + b"]"),
    "a gzip bomb": body(gzip.compress(b" " * (1 << 26)), **GZIPPED),
    "deep nesting": body(b"[" * 100_000),
    "an error in place of an answer": body(b'{"object": "error", "message": "out of memory"}'),
    "no answers": body(b"[]"),
    "a list of nothing": body(b"[[]]"),
    "a list of answers": answer(lambda found: [found, found]),
    "no text": answer(lambda found: found | {"text": None}),
    "no meta_info": answer(lambda _found: {"text": "x"}),
    "an aborted answer": meta(finish_reason={"type": "abort", "message": "no room"}),
    "an unknown reason": meta(finish_reason={"type": "odd"}),
    "no reason": meta(finish_reason=None),
    "fewer tokens than none": meta(completion_tokens=-1),
    "half a token": meta(completion_tokens=2.5),
    "tokens as text": meta(completion_tokens="9"),
    "NaN tokens": meta(completion_tokens=float("nan")),
}
"""Faults after which a request is sent again, up to a few times."""
BUSY: dict[str, Fault] = {"busy": status(429), "busy for a second": status(429, **{"Retry-After": "1"})}
"""Faults after which a request is sent again as long as it takes."""
