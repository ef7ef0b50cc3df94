"""Commands of the tiny model: write its word problems, train it.

$ python -m harness.tiny problems --out test.jsonl
300 problems in test.jsonl
"""

import json
from pathlib import Path
from typing import get_args

import click

from harness.tiny.problems import Split, distinct_problems
from results.commandline import run

MODEL_FOLDER = Path(__file__).parent / "model"


@click.group()
def tiny() -> None:
    """A language model small enough to live in this repository, and the word problems it solves."""


@tiny.command(epilog="Example: python -m harness.tiny problems --split test --out test.jsonl")
@click.option("--split", type=click.Choice(get_args(Split)), default="test", show_default=True)
@click.option("--count", type=click.IntRange(1, 100_000), default=300, show_default=True)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True)
def problems(split: Split, count: int, out: Path) -> None:
    """Write word problems as a GSM8K file: one {question, answer} a line."""
    rows = [problem.row() for problem in distinct_problems(split, 0, count)]
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    click.echo(f"{len(rows)} problems in {out}")


@tiny.command(epilog="Example: python -m harness.tiny train --out results/runs/tiny-model")
@click.option("--threads", type=click.IntRange(1), default=2, show_default=True)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=MODEL_FOLDER)
def train(threads: int, out: Path) -> None:
    """Train the tiny model on a CPU and write its folder, by default that of the shipped model."""
    import torch

    from harness.tiny import train as training

    torch.set_num_threads(threads)
    model, tokenizer, losses = training.train(training.Training())
    training.save(model, tokenizer, out)
    click.echo(f"{len(losses)} steps, mean loss of the last 50 {sum(losses[-50:]) / 50:.4f}: {out}")


if __name__ == "__main__":
    run(tiny, "python -m harness.tiny")
