"""Several SGLang servers on this host behind one address: smg, SGLang's own gateway.

    python -m smg launch --port 30000 --worker-urls http://127.0.0.1:41001 http://127.0.0.1:41002
    --policy cache_aware ...

The gateway sends a request to the server that has the beginning of its prompt in its cache, or to another one
if that server is gone or much busier.
"""

import importlib.util
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Self

from harness.server.launch import Launch, Server, check_free, free_ports
from results import BadInput

POLL_SECONDS = 0.5
PROBE_SECONDS = 30.0
"""A busy server may take a second or more to answer."""
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def gateway_launch(port: int, metrics_port: int, workers: Sequence[str]) -> Launch:
    """The command for a gateway on 127.0.0.1:`port` to the servers at the URLs `workers`.

    Raises BadInput if smg is missing.
    """
    if importlib.util.find_spec("smg") is None:
        raise BadInput("smg, SGLang's gateway, is not installed: `pip install smg==1.13.0` installs it")
    flags = ["--host", "127.0.0.1", "--port", str(port), "--worker-urls", *workers]
    # Requests with the same prompt follow one another: on two servers, half as many prompt tokens had to be
    # computed as with taking turns.
    flags += ["--policy", "cache_aware"]
    flags += ["--worker-startup-check-interval", "1"]
    flags += ["--request-timeout-secs", str(24 * 3600)]  # the client decides how long to wait
    flags += ["--prometheus-host", "127.0.0.1", "--prometheus-port", str(metrics_port)]
    flags += ["--disable-tokenizer-autoload", "--log-level", "warn", "--shutdown-grace-period-secs", "1"]
    # A proxy for the world outside has no way to the servers.
    return Launch((sys.executable, "-m", "smg", "launch", *flags), {"NO_PROXY": "127.0.0.1"})


def fleet_launch(
    model: str, *, port: int, workers: int, device: str, dtype: str, revision: str | None
) -> Launch:
    """The command for `workers` servers of one copy each, and a gateway on 127.0.0.1:`port`."""
    command = [sys.executable, "-m", "harness", "serve", model, "--workers", str(workers)]
    command += ["--port", str(port), "--device", device]
    command += ["--revision", revision] if revision else []
    return Launch((*command, *(() if dtype == "auto" else ("--", "--dtype", dtype))), {})


class Fleet:
    """Servers and the gateway in front of them, started and stopped together.

    A server that ends does not end the fleet: the gateway sends its requests to the others.
    """

    def __init__(
        self, workers: int, port: int, worker: Callable[[int, int], Launch], say: Callable[[str], None]
    ) -> None:
        """`worker(number, port)` gives the command of one server; the gateway listens on `port`.

        `say` is told when all servers are ready, and when one has ended. Raises BadInput: smg is missing, or
        the port is in use.
        """
        *ports, metrics_port = free_ports(workers + 1)
        check_free(port)
        self._launches = {f"http://127.0.0.1:{own}": worker(number, own) for number, own in enumerate(ports)}
        self._gateway = gateway_launch(port, metrics_port, list(self._launches))
        self._url = f"http://127.0.0.1:{port}"
        self._say = say

    def __enter__(self) -> Self:
        """Start the servers and, once all are ready, the gateway. Raises BadInput if one ends before that."""
        with ExitStack() as stack:
            self._servers = {
                url: stack.enter_context(Server(launch)) for url, launch in self._launches.items()
            }
            # On the way out these run first, so that all servers stop at the same time.
            for server in self._servers.values():
                stack.callback(server.ask_to_end)
            for url, server in self._servers.items():
                wait_until_ready(f"{url}/health", server, "SGLang")
            self._front = stack.enter_context(Server(self._gateway))
            wait_until_ready(f"{self._url}/readiness", self._front, "smg")
            self._close = stack.pop_all()
        self._say(f"{len(self._servers)} servers at {', '.join(self._servers)} answer at {self._url}")
        return self

    def __exit__(self, *_: object) -> None:
        self._close.close()

    def wait(self) -> int:
        """Wait until the gateway or the last server ends by itself, and return its exit status."""
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


def wait_until_ready(url: str, server: Server, name: str) -> None:
    """Wait until GET `url` is answered with 200. Raises BadInput if the server ends before that."""
    while server.ended() is None:
        try:
            with _DIRECT.open(url, timeout=PROBE_SECONDS):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(POLL_SECONDS)
    raise BadInput(f"{name} ended with status {server.ended()} before it was ready: see its log above")
