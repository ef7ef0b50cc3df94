"""python -m studies.tiny.run: train the tiny model again, in its place, and convert it for CTranslate2.

$ python -m studies.tiny.run
training: 100%|██████████| 1000/1000 [09:42<00:00, loss=0.063]
1000 steps, mean loss of the last 50 0.0626

One thread, so that the same seed gives the same weights.
"""

import click

from results import run


@click.command()
def train() -> None:
    """Train the shipped model again, in its place: 10 minutes."""
    import torch
    import transformers

    from harness.engines.ctranslate2.convert import convert
    from harness.experiment import TINY_MODEL
    from studies.tiny.training import Training
    from studies.tiny.training import train as trained

    torch.set_num_threads(1)
    model, losses = trained(Training())
    model.generation_config = transformers.GenerationConfig.from_pretrained(TINY_MODEL)
    model.save_pretrained(TINY_MODEL)
    convert(TINY_MODEL)
    click.echo(f"{len(losses)} steps, mean loss of the last 50 {sum(losses[-50:]) / 50:.4f}")


if __name__ == "__main__":
    run(train, "python -m studies.tiny.run")
