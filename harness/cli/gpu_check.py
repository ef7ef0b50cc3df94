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
@click.option("--answers", default=96, type=click.IntRange(1), help="Answers to each prompt, for each copy.")
@click.option("--dp", default=1, type=click.IntRange(1), help="Copies of the model, a GPU each.")
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
    """Measure SGLang on random weights of Llama-3.1-8B's shape.

    FLAGS after `--` go to SGLang as they are. A GPU is measured with CUDA graphs for all answers in flight,
    as a run has them, and without any. Shape `small` is for trying this command out on a CPU.

    Prompts and answers are as long as those of a real run that ships with the project, each answer with a
    length of its own. So tokens/s, while the server is full, is what a run may expect. Beside it stand the
    share of the server's places at work, the share of prompt tokens from the prefix cache, and the share of
    the time in which the client kept a core busy: at 100 % the client is the limit, not the GPU.
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
