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
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial

from harness.server.launch import Launch, Server, free_ports
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
    model: str, *, port: int, dp: int, device: str, dtype: str, revision: str | None, extra: Sequence[str]
) -> Launch:
    """The command for `dp` servers of one copy each, and a gateway on 127.0.0.1:`port`."""
    command = [sys.executable, "-m", "harness", "serve", model, "--workers", str(dp)]
    command += ["--port", str(port), "--device", device]
    command += ["--revision", revision] if revision else []
    return Launch((*command, "--", *(() if dtype == "auto" else ("--dtype", dtype)), *extra), {})


@contextmanager
def fleet(
    workers: int, port: int, worker: Callable[[int, int], Launch], say: Callable[[str], None]
) -> Iterator[Callable[[], int]]:
    """Servers and the gateway in front of them on `port`, started and stopped together.

    `worker(number, port)` gives the command of one server. A server that ends does not end the fleet: the
    gateway sends its requests to the others. What is given waits until the gateway or the last server ends
    by itself, and returns its exit status. `say` is told when all are ready, and when a server has ended.
    Raises BadInput: smg is missing, or a server ends before it is ready.
    """
    *ports, metrics_port = free_ports(workers + 1)
    launches = {f"http://127.0.0.1:{own}": worker(number, own) for number, own in enumerate(ports)}
    gateway, front_url = gateway_launch(port, metrics_port, list(launches)), f"http://127.0.0.1:{port}"
    with ExitStack() as stack:
        servers = {url: stack.enter_context(Server(command)) for url, command in launches.items()}
        # On the way out these run first, so that all servers stop at the same time.
        for server in servers.values():
            stack.callback(server.ask_to_end)
        for url, server in servers.items():
            wait_until_ready(f"{url}/health", server, "SGLang")
        front = stack.enter_context(Server(gateway))
        wait_until_ready(f"{front_url}/readiness", front, "smg")
        say(f"{workers} servers at {', '.join(servers)} answer at {front_url}")
        yield partial(_wait, servers, front, say)


def _wait(servers: dict[str, Server], front: Server, say: Callable[[str], None]) -> int:
    while (status := front.ended()) is None:
        for url, server in list(servers.items()):
            if (ended := server.ended()) is not None:
                del servers[url]
                say(f"the server at {url} ended with status {ended}: {len(servers)} left")
                if not servers:
                    return ended
        time.sleep(POLL_SECONDS)
    return status


def wait_until_ready(url: str, server: Server, name: str) -> None:
    """Wait until GET `url` is answered with 200. Raises BadInput if the server ends before that."""
    while server.ended() is None:
        try:
            with _DIRECT.open(url, timeout=PROBE_SECONDS):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(POLL_SECONDS)
    raise BadInput(f"{name} ended with status {server.ended()} before it was ready: see its log above")
