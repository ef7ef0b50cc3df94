"""python -m harness.tiny: train the tiny model again."""

from pathlib import Path

import click

from results.commandline import run

MODEL_FOLDER = Path(__file__).parent / "model"


@click.group()
def tiny() -> None:
    """A language model small enough to live in this repository."""


@tiny.command(epilog="Example: python -m harness.tiny train --out results/runs/tiny-model")
@click.option("--threads", type=click.IntRange(1), default=2, show_default=True)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=MODEL_FOLDER,
    show_default="that of the model that ships",
)
def train(threads: int, out: Path) -> None:
    """Train the tiny model on a CPU and write its folder."""
    import torch

    from harness.tiny import train as training

    torch.set_num_threads(threads)
    model, tokenizer, losses = training.train(training.Training())
    training.save(model, tokenizer, out)
    click.echo(f"{len(losses)} steps, mean loss of the last 50 {sum(losses[-50:]) / 50:.4f}: {out}")


if __name__ == "__main__":
    run(tiny, "python -m harness.tiny")
