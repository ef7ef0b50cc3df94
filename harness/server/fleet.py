"""Starts, watches and stops servers together, with a gateway in front if there are several.

fleet: 2 servers at http://127.0.0.1:41001, http://127.0.0.1:41002 answer at http://127.0.0.1:30000
fleet: the server at http://127.0.0.1:41001 ended with status -9: starting it once more
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from harness.http import connection
from harness.server import gateway
from harness.server.address import HERE, url_of
from harness.server.gateway import listed
from harness.server.launch import Launch, Server, free_ports
from harness.server.worker import Worker, wait_until_ready

SAYS = "fleet: "
"""Prefix of a fleet's own lines, to find them in the log that it shares with its servers."""
ENDED = " ended with status "
"""Text in the lines about a server that has ended."""


@contextmanager
def fleet(
    workers: int,
    port: int,
    worker: Callable[[int, int], Launch],
    say: Callable[[str], None],
    host: str | None = None,
    workers_file: Path | None = None,
) -> Iterator[Callable[[], int]]:
    """A server on `port`, or several behind a gateway on `port`, started and stopped together.

    `worker(number, port)` gives the command of one server. A server that ends does not end the
    fleet: it is started once more, and the gateway sends its requests to the others. The
    function yielded waits until the gateway or the last server ends by itself, and returns its
    exit status. `say` reports when several are ready, and when a server has ended.

    host: the address at which the gateway for several hosts reaches these servers, on `port`
    and the ports after it; no gateway is then started here. `workers_file` lists the servers
    once they are ready.

    Raises BadInput: smg is missing, or a server ends before it is ready.
    """
    *ports, metrics_port = free_ports(workers + 1)
    alone = host is not None or workers == 1
    if alone:
        ports = list(range(port, port + workers))
    launches = {url_of(host or HERE, own): worker(number, own) for number, own in enumerate(ports)}
    if not alone:
        command, front_url = gateway.gateway_launch(port, metrics_port, list(launches)), url_of(HERE, port)
    servers = [Worker(url, own) for url, own in launches.items()]
    with ExitStack() as stack:
        for one in servers:
            one.start()
            stack.callback(_stop, one)
        # On exit this runs first, so that all servers stop at the same time.
        stack.callback(_ask_to_end, servers)
        for one in servers:
            wait_until_ready(one.url, "/health", one.server, "SGLang")
        front, at = None, "there"
        if not alone:
            front, at = stack.enter_context(Server(command)), front_url
            wait_until_ready(front_url, "/readiness", front, "smg")
        elif workers_file:
            stack.enter_context(listed(workers_file, list(launches)))
        if workers > 1 or host:
            say(f"{SAYS}{workers} servers at {', '.join(launches)} answer at {at}")
        yield partial(_wait, servers, front, lambda line: say(SAYS + line))


def _stop(one: Worker) -> None:
    one.server.stop()  # it may have been restarted since


def _ask_to_end(servers: Sequence[Worker]) -> None:
    for one in servers:
        one.server.ask_to_end()


def _wait(servers: Sequence[Worker], front: Server | None, say: Callable[[str], None]) -> int:
    there = list(servers)
    while front is None or (status := front.ended()) is None:
        for one in list(there):
            if (ended := one.ended()) is None:
                continue
            what = f"the server at {one.url}{ENDED}{ended}"
            if one.starts_left:
                say(f"{what}: starting it once more")
                one.start_again()
                continue
            there.remove(one)
            say(f"{what}: {len(there)} left")
            if not there:
                return ended
        time.sleep(connection.POLL_SECONDS)
    return status
