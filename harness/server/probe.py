"""Asking a server whether it is well."""

import time
import urllib.error
import urllib.request

from harness.server.launch import Server
from results import BadInput

POLL_SECONDS = 0.5
PROBE_SECONDS = 30.0
"""A busy server may take a second or more to answer, and a broken one 20 s to say that it is not well."""
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def is_well(url: str, seconds: float = PROBE_SECONDS) -> bool:
    """Whether GET `url` is answered with 200, without a proxy, within `seconds`."""
    try:
        with _DIRECT.open(url, timeout=seconds):
            return True
    except (urllib.error.URLError, OSError):
        return False


def wait_until_ready(url: str, server: Server, name: str) -> None:
    """Wait until GET `url` is answered with 200. Raises BadInput if the server ends before that."""
    while server.ended() is None:
        if is_well(url):
            return
        time.sleep(POLL_SECONDS)
    raise BadInput(f"{name} ended with status {server.ended()} before it was ready: see its log above")
