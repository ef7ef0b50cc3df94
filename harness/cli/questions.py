"""python -m harness questions: load, count and optionally write out a set of questions."""

from pathlib import Path

import click


@click.command(epilog="Example: python -m harness questions math-level1-integer --file math/test.jsonl")
@click.argument("dataset")
@click.option(
    "--file",
    type=click.Path(path_type=Path),
    help="The rows of the named data set as a local file, in place of the Hugging Face hub.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write question_id, problem and gold to this file."
)
def questions(dataset: str, file: Path | None, out: Path | None) -> None:
    """Count the questions of a data set.

    DATASET is gsm8k, math-level1-integer, math-level1-signed, tiny, or your own file: CSV, JSONL or Parquet
    with the columns problem (or question), gold (or answer, an integer or GSM8K's "... #### 18"), and
    optionally question_id.
    """
    from dataclasses import asdict

    import pandas as pd

    from harness.questions.load import load_questions
    from results.tables.files import write_raw

    loaded = load_questions(dataset, file)
    if out:
        write_raw(pd.DataFrame([asdict(question) for question in loaded]), out)
    click.echo(f"{len(loaded)} questions{f' -> {out}' if out else ''}")
