"""python -m harness serve: run a SGLang server until Ctrl-C.

$ python -m harness serve tiny --port 30000
serving harness/tiny/model at http://127.0.0.1:30000, Ctrl-C stops it
"""

import click


@click.command(
    epilog="Example: python -m harness serve meta-llama/Llama-3.1-8B-Instruct --dp 8 -- --context-length 8192"
)
@click.argument("model")
@click.argument("flags", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--dp", default=1, type=click.IntRange(1), show_default=True, help="Copies of the model, a GPU each."
)
@click.option("--device", default="auto", type=click.Choice(["auto", "cpu", "cuda"]), show_default=True)
@click.option("--port", default=30000, type=click.IntRange(1, 65535), show_default=True)
@click.option("--revision", help="The commit of the model on the hub.")
def serve(model: str, flags: tuple[str, ...], dp: int, device: str, port: int, revision: str | None) -> None:
    """Serve MODEL (on the hub, a folder, or `tiny`) on 127.0.0.1 and show the server's log.

    FLAGS after `--` go to SGLang as they are.
    """
    import signal
    import sys

    from harness.config import model_location
    from harness.serve import Server, launch

    # Whoever started this command stops it with SIGTERM; the server has to end with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    location = model_location(model)
    command = launch(location, port=port, revision=revision, device=device, dp=dp, extra=flags)
    click.echo(f"serving {location} at http://127.0.0.1:{port}, Ctrl-C stops it", err=True)
    with Server(command) as server:
        status = server.wait()
    raise click.ClickException(f"SGLang ended by itself with status {status}: see its log above")
