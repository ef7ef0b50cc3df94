"""Several SGLang servers on this host behind one address: smg, SGLang's own gateway.

    python -m smg launch --port 30000 --worker-urls http://127.0.0.1:41001 http://127.0.0.1:41002
    --policy cache_aware ...

A request goes to the server that has the beginning of its prompt in its cache, unless the others have much
less to do, and to another server if that one is gone.
"""

import importlib.util
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from harness.server.launch import Launch, Server, check_free, free_ports
from results import BadInput

POLL_SECONDS = 0.5
PROBE_SECONDS = 30.0
"""A busy server takes a second to say that it is well."""


def gateway_launch(port: int, metrics_port: int, workers: Sequence[str]) -> Launch:
    """The command that answers on 127.0.0.1:`port` for the servers at the URLs `workers`.

    Raises BadInput where smg is missing.
    """
    if importlib.util.find_spec("smg") is None:
        raise BadInput("smg, SGLang's gateway, is not installed, expected `pip install smg==1.13.0`")
    flags = ["--host", "127.0.0.1", "--port", str(port), "--worker-urls", *workers]
    # Sampling sends the chunks of one prompt: on two servers this computed half as many prompt tokens anew as
    # taking turns.
    flags += ["--policy", "cache_aware"]
    flags += ["--worker-startup-check-interval", "1"]
    flags += ["--request-timeout-secs", str(24 * 3600)]  # a long queue is no fault: the client decides
    flags += ["--prometheus-host", "127.0.0.1", "--prometheus-port", str(metrics_port)]
    flags += ["--disable-tokenizer-autoload", "--log-level", "warn", "--shutdown-grace-period-secs", "1"]
    return Launch((sys.executable, "-m", "smg", "launch", *flags), {})


class Fleet:
    """Servers and the gateway in front of them, started and stopped together.

    It goes on while one server is left: the gateway sends the requests of the others to it.
    """

    def __init__(
        self, workers: int, port: int, worker: Callable[[int, int], Launch], say: Callable[[str], None]
    ) -> None:
        """`worker(number, port)` is how a server is started; the gateway answers on `port`.

        `say` is told in one line when all is ready, and when a server has ended. Raises BadInput: smg is
        missing, or the port is in use.
        """
        *ports, metrics_port = free_ports(workers + 1)
        check_free(port)
        self._launches = {f"http://127.0.0.1:{own}": worker(number, own) for number, own in enumerate(ports)}
        self._gateway = gateway_launch(port, metrics_port, list(self._launches))
        self._url = f"http://127.0.0.1:{port}"
        self._say = say

    def __enter__(self) -> Self:
        """Start the servers and, when all of them are ready, the gateway. Raises BadInput where one ends."""
        with ExitStack() as stack:
            self._servers = {
                url: stack.enter_context(Server(launch)) for url, launch in self._launches.items()
            }
            # Runs before they are waited for one by one.
            stack.callback(self._ask_all_to_end)
            for url, server in self._servers.items():
                _wait_until_ready(f"{url}/health", server, "SGLang")
            self._front = stack.enter_context(Server(self._gateway))
            _wait_until_ready(f"{self._url}/readiness", self._front, "smg")
            self._close = stack.pop_all()
        self._say(f"{len(self._servers)} servers at {', '.join(self._servers)} answer at {self._url}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close.close()

    def _ask_all_to_end(self) -> None:
        for server in self._servers.values():
            server.ask_to_end()

    def wait(self) -> int:
        """Wait until the gateway, or the last server, ends by itself; returns its exit status."""
        left = dict(self._servers)
        while True:
            for url, server in list(left.items()):
                if (status := server.ended()) is not None:
                    del left[url]
                    self._say(f"the server at {url} ended with status {status}: {len(left)} left")
                    if not left:
                        return status
            if (status := self._front.ended()) is not None:
                return status
            time.sleep(POLL_SECONDS)


def _wait_until_ready(url: str, server: Server, name: str) -> None:
    """Wait until GET `url` is answered with 200. Raises BadInput where the server ends before."""
    while server.ended() is None:
        try:
            with urllib.request.urlopen(url, timeout=PROBE_SECONDS):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(POLL_SECONDS)
    raise BadInput(f"{name} ended with status {server.ended()} before it was ready: see its log above")
