"""Several SGLang servers, on this host or on others, behind one address: smg, SGLang's own gateway.

    python -m smg launch --port 30000 --worker-urls http://127.0.0.1:41001 http://127.0.0.1:41002
    --policy cache_aware ...

The gateway sends a request to the server that has the prompt's prefix in its cache, or to another if that
server is gone or much busier. Servers on several hosts can register with it in a file:

    {"version": 1, "workers": [{"id": "http://10.0.0.7:31000", "url": "http://10.0.0.7:31000"}, ...]}
"""

import importlib.util
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import filelock

from harness.http.sockets import ApiKey
from harness.server.address import HERE, with_key
from harness.server.launch import Launch
from results import BadInput
from results.tables.files import replacing

LOCK_SECONDS = 60.0


def gateway_launch(
    port: int,
    metrics_port: int,
    workers: Sequence[str] = (),
    host: str = HERE,
    found_by: Sequence[str] = (),
    key: ApiKey | None = None,
) -> Launch:
    """The command for a gateway on `host`:`port` to the servers at the URLs `workers`.

    found_by: smg's flags for finding servers in a file or in Kubernetes instead. `key` is sent to the servers
    and required of clients. Raises BadInput if smg is missing.
    """
    if importlib.util.find_spec("smg") is None:
        raise BadInput("smg, SGLang's gateway, is not installed: `pip install smg==1.13.0` installs it")
    flags = ["--host", host, "--port", str(port)]
    flags += ["--worker-urls", *workers] if workers else [*found_by]
    # Requests with the same prompt follow one another: on two servers, half as many prompt tokens had to be
    # computed as with round robin.
    flags += ["--policy", "cache_aware"]
    # By default a server may have half as many requests again as the others before a prompt goes elsewhere:
    # prompts with a common prefix would overload one and leave the others idle.
    flags += ["--balance-rel-threshold", "1.05", "--balance-abs-threshold", "4"]
    flags += ["--worker-startup-check-interval", "1"]
    # By default a server that has died counts as healthy for more than two minutes.
    flags += ["--health-check-interval-secs", "5", "--health-failure-threshold", "2"]
    flags += ["--health-check-timeout-secs", "10"]
    # How long a server gets no requests after failures; by default a minute, even if it is back.
    flags += ["--cb-timeout-duration-secs", "5"]
    flags += ["--request-timeout-secs", str(24 * 3600)]  # the client decides how long to wait
    flags += ["--max-concurrent-requests", "0"]  # and how many to send; by default some thousands
    flags += ["--prometheus-host", "127.0.0.1", "--prometheus-port", str(metrics_port)]
    flags += ["--disable-tokenizer-autoload", "--log-level", "warn", "--shutdown-grace-period-secs", "1"]
    # A proxy to the internet cannot reach the servers.
    command = with_key(key, "smg", ["launch", *flags])
    return Launch(command, {"NO_PROXY": "*", "no_proxy": "*"})


def file_discovery(file: Path) -> list[str]:
    """smg's flags for finding servers in `file` (see `listed`), which need not exist yet."""
    # A change on another host is seen only by reading the file again.
    return [
        "--discovery-provider",
        "file",
        "--discovery-file",
        str(file),
        "--discovery-check-interval-secs",
        "5",
    ]


@contextmanager
def listed(file: Path, urls: Sequence[str]) -> Iterator[None]:
    """Keep `urls` in the file, which other hosts write, too. A killed server's URL stays until it is back.

    Raises BadInput if the file is something else or cannot be written.
    """
    _change(file, add=urls, remove=urls)
    try:
        yield
    finally:
        _change(file, add=(), remove=urls)


def _change(file: Path, add: Sequence[str], remove: Sequence[str]) -> None:
    try:
        with filelock.FileLock(f"{file}.lock", timeout=LOCK_SECONDS), replacing(file) as new:
            others = [one for one in _workers(file) if one["url"] not in remove]
            workers = [*others, *({"id": url, "url": url} for url in add)]
            new.write_text(json.dumps({"version": 1, "workers": workers}, indent=1) + "\n")
    except filelock.Timeout:
        raise BadInput(f"{file}.lock: locked for {LOCK_SECONDS:.0f} s: delete it if nobody uses it") from None
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror or error}") from None


def _workers(file: Path) -> list[dict[str, str]]:
    """The workers listed in the file."""
    if not file.exists():
        return []
    try:
        workers = json.loads(file.read_text())["workers"]
        return [{"id": str(one["id"]), "url": str(one["url"])} for one in workers]
    except (ValueError, KeyError, TypeError):
        raise BadInput(f"{file}: not a list of workers: give another --workers-file") from None


def pod_discovery(labels: Sequence[str], namespace: str, port: int) -> list[str]:
    """smg's flags for finding servers in the pods of a Kubernetes namespace that have all `labels`."""
    where = ["--service-discovery-namespace", namespace, "--service-discovery-port", str(port)]
    return ["--discovery-provider", "kubernetes", "--selector", *labels, *where]
