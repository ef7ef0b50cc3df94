"""tts serve: run a SGLang server, or several behind a gateway, until Ctrl-C.

$ tts serve tiny --port 30000
starting a server for harness/tiny/model, Ctrl-C stops it
serving harness/tiny/model at http://127.0.0.1:30000

tts gateway: smg, SGLang's gateway, in front of the servers of several hosts, until Ctrl-C.

$ tts gateway http://10.0.0.7:31000 http://10.0.0.8:31000
smg at http://127.0.0.1:30000, Ctrl-C stops it
"""

from pathlib import Path

import click

from results.command_help import Command


@click.command(
    cls=Command,
    context_settings={"show_default": True},
    epilog="Example: tts serve meta-llama/Llama-3.1-8B --workers 8 -- --context-length 8192",
)
@click.argument("model")
@click.argument("flags", nargs=-1, type=click.UNPROCESSED)
@click.option("--dp", default=1, type=click.IntRange(1), help="Model copies per server, one GPU each.")
@click.option(
    "--workers", default=1, type=click.IntRange(1), help="Servers of --dp copies each, behind a gateway."
)
@click.option("--device", default="auto", type=click.Choice(["auto", "cpu", "cuda"]))
@click.option(
    "--port", default=30000, type=click.IntRange(1, 65535), help="Port; with --host, of the first server."
)
@click.option(
    "--host",
    metavar="ADDRESS",
    help="Address of this host for a `tts gateway` elsewhere; its servers then have no gateway of their own.",
)
@click.option(
    "--workers-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With --host: list the servers in this file once they are ready, for `tts gateway`.",
)
@click.option("--revision", help="Commit of the model on the hub.")
def serve(
    model: str,
    flags: tuple[str, ...],
    dp: int,
    workers: int,
    device: str,
    port: int,
    host: str | None,
    workers_file: Path | None,
    revision: str | None,
) -> None:
    """Serve MODEL on this machine and show the server's log.

    MODEL is a name on the hub, a folder, or `tiny`. FLAGS after `--` are passed to SGLang unchanged. Without
    --host, only this machine can reach the servers.

    For servers on several hosts, run this on each with --host, and `tts gateway` in front of them. They
    require the key in the environment variable SGLANG_API_KEY, which `tts sample` sends.
    """
    from functools import partial

    from harness.engines.token_ids import PromptTokens
    from harness.experiment import model_location
    from harness.server.address import HERE, check_flags, key_for, url_of
    from harness.server.fleet import fleet
    from harness.server.launch import check_free, end_when_told, launch
    from results import BadInput

    if workers_file and host is None:
        raise BadInput("--workers-file is for servers of several hosts: give --host, or leave it out")
    check_flags(flags)
    key_for(host or HERE)
    end_when_told()
    location = model_location(model)
    for own in range(port, port + workers) if host else (port,):
        check_free(own, host or HERE)
    PromptTokens(location, revision, chat=False)  # raises if there is no such model, before SGLang starts

    say = partial(click.echo, err=True)
    if dp > 1 and workers == 1:
        say(f"warning: {dp} copies in one server share its random seed: --workers {dp} gives each its own")
    start = partial(launch, location, host=host or HERE, revision=revision, device=device, extra=flags)
    start = partial(start, dp=dp, workers=workers)
    several = workers > 1 or host is not None
    what, them = ("servers", "them") if several else ("a server", "it")
    start(worker=0, port=port)  # raises if SGLang cannot start here, before anything is printed
    say(f"starting {what} for {location}, Ctrl-C stops {them}")
    with fleet(
        workers, port, lambda number, own: start(worker=number, port=own), say, host, workers_file
    ) as wait:
        if not several:
            say(f"serving {location} at {url_of(HERE, port)}")
        status = wait()
    raise click.ClickException(f"SGLang ended by itself with status {status}: see its log above")


@click.command(
    cls=Command,
    context_settings={"show_default": True},
    epilog="Example: tts gateway --workers-file workers.json",
)
@click.argument("urls", nargs=-1, metavar="[URL]...")
@click.option(
    "--workers-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Use the servers that `tts serve --workers-file` lists in this file, now or later.",
)
@click.option(
    "--pods",
    multiple=True,
    metavar="LABEL=VALUE",
    help="Use the servers in Kubernetes pods with this label, on --pod-port. May be repeated.",
)
@click.option("--namespace", help="Namespace of the pods.  [default: default]")
@click.option("--pod-port", type=click.IntRange(1, 65535), help="Port in each pod.  [default: 30000]")
@click.option("--port", default=30000, type=click.IntRange(1, 65535))
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="Address to listen on.")
@click.option("--print", "show", is_flag=True, help="Print the command, without the key, and exit.")
def gateway(
    urls: tuple[str, ...],
    workers_file: Path | None,
    pods: tuple[str, ...],
    namespace: str | None,
    pod_port: int | None,
    port: int,
    host: str,
    show: bool,
) -> None:
    """Run SGLang's gateway in front of servers on several hosts.

    Give the servers' URLs, or say where to find them: in a file or in Kubernetes, where they may come and go.
    A server that dies gets no more requests after ten seconds.

    The key in the environment variable SGLANG_API_KEY is sent to the servers and required of every client. It
    must be set if other machines can reach --host.
    """
    import shlex
    from contextlib import nullcontext

    from harness.fields import ADDRESS, PLAIN_URL
    from harness.server.address import key_for, key_of_user, url_of
    from harness.server.gateway import file_discovery, gateway_launch, listed, pod_discovery
    from harness.server.launch import Server, check_free, end_when_told, free_ports
    from results import BadInput

    if sum(map(bool, (urls, workers_file, pods))) != 1:
        raise BadInput("give the servers' URLs, or --workers-file, or --pods: one of the three")
    if (namespace or pod_port) and not pods:
        raise BadInput("--namespace and --pod-port are for --pods: give that, or leave them out")
    for url in urls:
        if not ADDRESS.fullmatch(url):
            raise BadInput(f"{url}: expected {PLAIN_URL}")
    found_by: list[str] = file_discovery(workers_file) if workers_file else []
    if pods:
        found_by = pod_discovery(pods, namespace or "default", pod_port or 30000)
    (metrics_port,) = free_ports()
    key = key_for(host) or key_of_user()
    command = gateway_launch(port, metrics_port, urls, host, found_by, key)
    if show:
        click.echo(shlex.join(command.command))
        return
    check_free(port, host)
    end_when_told()
    click.echo(f"smg at {url_of(host, port)}, Ctrl-C stops it", err=True)
    with listed(workers_file, ()) if workers_file else nullcontext(), Server(command) as server:
        status = server.wait()
    raise click.ClickException(f"smg ended by itself with status {status}: see its log above")
