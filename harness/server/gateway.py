"""Several SGLang servers, on this host or on others, behind one address: smg, SGLang's own gateway.

    python -m smg launch --port 30000 --worker-urls http://127.0.0.1:41001 http://127.0.0.1:41002
    --policy cache_aware ...

The gateway sends a request to the server that has the beginning of its prompt in its cache, or to another one
if that server is gone or much busier.
"""

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

from harness.http.api_key import ApiKey
from harness.server.address import HERE, with_key
from harness.server.launch import Launch
from results import BadInput


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
    and asked of everybody. Raises BadInput if smg is missing.
    """
    if importlib.util.find_spec("smg") is None:
        raise BadInput("smg, SGLang's gateway, is not installed: `pip install smg==1.13.0` installs it")
    flags = ["--host", host, "--port", str(port)]
    flags += ["--worker-urls", *workers] if workers else [*found_by]
    # Requests with the same prompt follow one another: on two servers, half as many prompt tokens had to be
    # computed as with taking turns.
    flags += ["--policy", "cache_aware"]
    # By default a server may have half as much again as the others before a prompt goes elsewhere: prompts
    # that begin alike would keep one too full and the others idle.
    flags += ["--balance-rel-threshold", "1.05", "--balance-abs-threshold", "4"]
    flags += ["--worker-startup-check-interval", "1"]
    # By default a server that has died counts as healthy for more than two minutes.
    flags += ["--health-check-interval-secs", "5", "--health-failure-threshold", "2"]
    flags += ["--health-check-timeout-secs", "10"]
    # So long a server gets nothing after its requests have failed; by default a minute, started again or not.
    flags += ["--cb-timeout-duration-secs", "5"]
    flags += ["--max-concurrent-requests", "0"]  # by default as few as 4,096: the client decides
    flags += ["--request-timeout-secs", str(24 * 3600)]  # the client decides how long to wait
    flags += ["--max-concurrent-requests", "0"]  # and how many requests; by default some thousands
    flags += ["--prometheus-host", "127.0.0.1", "--prometheus-port", str(metrics_port)]
    flags += ["--disable-tokenizer-autoload", "--log-level", "warn", "--shutdown-grace-period-secs", "1"]
    # A proxy for the world outside has no way to the servers.
    command = with_key(key, "smg", ["launch", *flags])
    return Launch(command, {"NO_PROXY": "*", "no_proxy": "*"})


def file_discovery(file: Path) -> list[str]:
    """smg's flags for finding servers in `file` (see workers_file.py), which may be there later."""
    # A change on another host is seen by reading again only.
    return [
        "--discovery-provider",
        "file",
        "--discovery-file",
        str(file),
        "--discovery-check-interval-secs",
        "5",
    ]


def pod_discovery(labels: Sequence[str], namespace: str, port: int) -> list[str]:
    """smg's flags for finding servers in the pods of a Kubernetes namespace that have all `labels`."""
    where = ["--service-discovery-namespace", namespace, "--service-discovery-port", str(port)]
    return ["--discovery-provider", "kubernetes", "--selector", *labels, *where]


def fleet_launch(
    model: str, *, port: int, dp: int, device: str, dtype: str, revision: str | None, extra: Sequence[str]
) -> Launch:
    """The command for `dp` servers of one copy each, and a gateway on 127.0.0.1:`port`."""
    command = [sys.executable, "-m", "harness", "serve", model, "--workers", str(dp)]
    command += ["--port", str(port), "--device", device]
    command += ["--revision", revision] if revision else []
    return Launch((*command, "--", *(() if dtype == "auto" else ("--dtype", dtype)), *extra), {})
