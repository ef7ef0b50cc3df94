"""What the status of a reply over HTTP means for its request, and for all others.

200                        -> the reply is read
429, 503 with Retry-After  -> Busy: the request is put off
502, 503, 504              -> Away: all requests wait for the server
301, 401, 404, 405         -> EngineGone: every other request would meet it, too
400, 413, 422, ...         -> RequestRefused: this request would meet it again
408, 425, 500, ...         -> TryAgain
"""

from harness.engines.base import EngineGone, RequestRefused
from harness.engines.http.retrying import Away, Busy, TryAgain, retry_after

STATUSES_AWAY = {502, 503, 504}
QUEUE_IS_FULL = b"queue is full"
"""What a SGLang server with --max-queued-requests says with status 503, and no Retry-After."""
STATUSES_FOR_ALL = {401, 404, 405}
"""Those which every other request would meet, too; redirections are not followed either."""
STATUSES_IN_PASSING = {408, 425}
"""Statuses below 500, besides 429, which the same request may not meet again."""


def check_status(url: str, status: int, after: str, content: bytes) -> None:
    """Raise what any status but 200 means; `after` is the header Retry-After."""
    what = f"status {status}: {excerpt(content)}"
    if status == 429 or (status == 503 and (after or QUEUE_IS_FULL in content)):
        raise Busy(what, retry_after(after))
    if status in STATUSES_AWAY:
        raise Away(what)
    if 300 <= status < 400 or status in STATUSES_FOR_ALL:
        raise EngineGone(f"{url} refuses every request with {what}")
    if 400 <= status < 500 and status not in STATUSES_IN_PASSING:
        raise RequestRefused(f"refused with {what}")
    if status != 200:
        raise TryAgain(what)


def excerpt(content: bytes) -> str:
    """The beginning of a server's reply, for a message."""
    return content[:200].decode(errors="replace")
