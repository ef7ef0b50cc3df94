"""A proxy on 127.0.0.1 in front of a real SGLang server that injects faults into its replies.

    with FaultyProxy(sglang_url, FAULTS.values()) as proxy:
        ...                                        # sample from proxy.url
    proxy.left == []                               # no fault was left over

Each request for answers meets the next fault; after the last one, replies pass unchanged. With `each`,
identical requests (answers to one prompt) together meet at most that many faults.
"""

import json
import urllib.request
from collections.abc import Iterable
from threading import Lock
from typing import Any
from urllib.error import HTTPError

from tests.harness.engines.sglang_faults import Fault
from tests.responder import Reply, Request, Responder


class FaultyProxy(Responder):
    """Passes everything on to the server at `upstream`, and POST /generate through the faults, in order."""

    def __init__(self, upstream: str, faults: Iterable[Fault] = (), each: int | None = None) -> None:
        super().__init__({"GET": self._pass_on, "POST /generate": self._generate})
        self._upstream, self._each = upstream, each
        self._disturbed: list[Any] = []
        self._choosing = Lock()
        self.left = list(faults)
        self.answered = 0
        self.other_settings: dict[str, Any] = {}
        """Overrides what the server says at /server_info."""

    def _fetch(self, request: Request) -> bytes:
        headers = {"Content-Type": "application/json"}
        sent = urllib.request.Request(
            self._upstream + request.path, request.content or None, headers, method=request.method
        )
        with urllib.request.urlopen(sent, timeout=300) as reply:
            content: bytes = reply.read()
        return content

    def _pass_on(self, request: Request) -> Reply:
        try:
            content = self._fetch(request)
        except HTTPError as error:
            return Reply(error.read(), error.code)
        if request.path == "/server_info":
            content = json.dumps(json.loads(content) | self.other_settings).encode()
        return Reply(content)

    def _generate(self, request: Request) -> Reply:
        with self._choosing:
            disturbed = bool(self.left) and self._disturbed.count(request.body) != self._each
            if disturbed:
                self._disturbed.append(request.body)
                fault = self.left.pop(0)
        if disturbed:
            return fault(lambda: self._fetch(request))
        content = self._fetch(request)
        self.answered += 1
        return Reply(content)
