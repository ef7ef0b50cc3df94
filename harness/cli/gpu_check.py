"""tts gpu-check: how fast this machine would sample an 8B model, without downloading one."""

from typing import Literal

import click

from results.command_help import Command


@click.command(
    "gpu-check",
    cls=Command,
    context_settings={"show_default": True},
    epilog="Example: tts gpu-check --dp 8 -- --quantization fp8",
)
@click.argument("flags", nargs=-1, type=click.UNPROCESSED)
@click.option("--prompts", default=64, type=click.IntRange(1, 300))
@click.option("--answers", default=96, type=click.IntRange(1), help="Answers per prompt and model copy.")
@click.option("--dp", default=1, type=click.IntRange(1), help="Model copies, one GPU each.")
@click.option("--shape", default="llama-3.1-8b", type=click.Choice(["llama-3.1-8b", "small"]))
@click.option("--device", default="cuda", type=click.Choice(["cuda", "cpu"]))
def gpu_check(
    flags: tuple[str, ...],
    prompts: int,
    answers: int,
    dp: int,
    shape: str,
    device: Literal["cpu", "cuda"],
) -> None:
    """Benchmark SGLang with random weights in Llama-3.1-8B's shape.

    FLAGS after `--` are passed to SGLang unchanged. A GPU is measured twice: with CUDA graphs for all answers
    in flight, as in a run, and without. Use the shape `small` to try this command on a CPU.

    Prompts and answers have the lengths of a real run that ships with the project, so a run can expect the
    tokens/s measured while the server is full. Also prints the share of the server's slots in use, the share
    of prompt tokens found in the prefix cache, and the share of the time for which the client kept one core
    busy: at 100 %, the client is the bottleneck, not the GPU.
    """
    import asyncio
    import shutil
    import tempfile
    from functools import partial
    from pathlib import Path

    from harness.gpu_check import measure
    from harness.server.gpus import usable_gpus
    from harness.server.launch import end_when_told

    usable_gpus(device)  # raises if there is no such GPU, before anything is written
    end_when_told()
    answers *= dp
    click.echo(f"{prompts} prompts x {answers} answers of a real run's lengths, {shape} with random weights")
    graphless = ("--disable-cuda-graph",)
    ways = {"with CUDA graphs": flags, "without": (*flags, *graphless)} if device == "cuda" else {"": flags}
    for way, given in ways.items():
        folder = Path(tempfile.mkdtemp(prefix="gpu-check-"))
        size = {"prompts": prompts, "answers": answers, "dp": dp}
        say = partial(click.echo, err=True)
        measured = asyncio.run(measure(shape, folder, **size, device=device, say=say, flags=given))
        shutil.rmtree(folder)  # not after a failure, when its log is needed
        click.echo(f"{way}:\n{measured}" if way else measured)
