"""A connection's sockets and API key, and one request over them: a whole reply, or why there is none.

    ApiKey.from_environment("OPENAI_API_KEY").hide("Incorrect API key provided: sk-abcdefgh...wxyz.")
    -> "Incorrect API key provided: [key]"

Servers quote keys in their errors, whole or in part, and errors end up in logs.
"""

import errno
import json
import os
import re
import resource
import socket
from dataclasses import dataclass, field
from typing import Any, Self

import aiohttp

from harness.errors import reason
from harness.http.attempt import Fault, Nobody, Reply
from results import BadInput

HIDDEN = "[key]"
LEAST_SECRET = 16
"""Shorter keys are placeholders, and hiding `x` or `8` would garble messages."""
QUOTED = 8
"""A word with this many characters of the key's beginning or end is taken for a quotation of it."""


@dataclass(frozen=True)
class ApiKey:
    """The key in the environment variable `name`, empty if there is none. Its repr does not show it."""

    name: str
    value: str = field(repr=False)

    @classmethod
    def from_environment(cls, name: str) -> Self:
        """Read the key. Raises BadInput if the variable holds characters that no key has."""
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


KEEPALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 15, "TCP_KEEPCNT": 4}
"""A connection is broken if the other host's kernel has not answered for two minutes."""

OTHER_FILES = 256
"""Files and sockets that a process needs besides those of its requests."""


def allow_in_flight(requests: int) -> None:
    """Raise the limit on open files of this process, and of a gateway that it starts, to fit `requests`.

    A gateway has two sockets per request. Raises BadInput if the system allows fewer.
    """
    needed = 2 * requests + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    except (ValueError, OSError):
        raise BadInput(
            f"{requests:,} answers in flight need {needed:,} open files, and this system allows {hard:,}: "
            f"raise that (`ulimit -Hn`), or give --set concurrency={max(1, (hard - OTHER_FILES) // 2)}"
        ) from None


def open_session(key: str | None) -> aiohttp.ClientSession:
    """A session without limits on connections or time, which sends `key`, if any, with each request."""
    headers = {"Accept-Encoding": "identity"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, socket_factory=_kept_alive),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=10),
        headers=headers,
        auto_decompress=False,  # a small reply could unpack to a huge one
    )


async def send(
    session: aiohttp.ClientSession, method: str, url: str, max_bytes: int, body: bytes | None = None
) -> Reply:
    """The reply to one request, whose body is JSON.

    Raises Fault if none comes, if it is larger than `max_bytes`, or if it is compressed.
    """
    content = bytearray()
    try:
        headers = None if body is None else {"Content-Type": "application/json"}
        request = session.request(method, url, data=body, headers=headers, allow_redirects=False)
        async with request as response:
            if response.headers.get("Content-Encoding", "identity") != "identity":
                raise Fault("a compressed reply, although none was asked for")
            async for part in response.content.iter_any():
                content += part
                if len(content) > max_bytes:
                    response.close()
                    raise Fault(f"a reply of more than {max_bytes} bytes")
            return Reply(response.status, response.headers.get("Retry-After", ""), bytes(content))
    except (aiohttp.ClientError, TimeoutError) as error:
        away = isinstance(error, aiohttp.ClientConnectionError | TimeoutError)
        nobody = isinstance(error, OSError) and error.errno == errno.ECONNREFUSED
        raise (Nobody if nobody else Fault)(reason(error), "away" if away else "failed") from None


def encoded(body: Any) -> bytes:
    """The bytes of a JSON request body."""
    return json.dumps(body).encode()


def _kept_alive(address: aiohttp.AddrInfoType) -> socket.socket:
    """A socket with keep-alive: it notices a vanished host, and no router on the way forgets it."""
    family, kind, protocol, *_ = address
    made = socket.socket(family, kind, protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEPALIVE.items():
        if hasattr(socket, name):  # not on every system
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return made
