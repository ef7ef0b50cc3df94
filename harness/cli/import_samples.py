"""python -m harness import: bring in answers that were sampled elsewhere.

$ python -m harness import csv aime.csv --map setting=effort --map tokens=out_tokens --out runs/aime
3240 answers to 45 questions, 0 rows left out -> runs/aime/samples.jsonl
"""

from pathlib import Path

import click

Pairs = tuple[tuple[str, str], ...]


def _pairs(_context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> Pairs:
    """COLUMN=TEXT of a repeated option, split at the first `=`."""
    for value in values:
        if "=" not in value or value.startswith("="):
            raise click.BadParameter(f"{value!r} is not of the form {option.make_metavar(_context)}.")
    return tuple((column, text) for column, _, text in (value.partition("=") for value in values))


@click.command(
    "import",
    epilog="Example: python -m harness import csv aime.csv --map setting=effort --map tokens=out_tokens"
    " --drop error=1 --out results/runs/aime",
)
@click.argument("kind", type=click.Choice(["csv", "jsonl"]))
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The folder for samples.jsonl.")
@click.option(
    "--map",
    "columns",
    multiple=True,
    metavar="COLUMN=SOURCE",
    callback=_pairs,
    help="Take a column of the samples table from the file's column SOURCE. May be repeated.",
)
@click.option(
    "--drop",
    multiple=True,
    metavar="COLUMN=VALUE",
    callback=_pairs,
    help="Leave out rows with this value in the file's column, such as failed requests. May be repeated.",
)
@click.option("--dataset", help="The data set's name, where the file has no such column.")
@click.option("--model", help="The model's name, where the file has no such column.")
def import_samples(
    kind: str, file: Path, out: Path, columns: Pairs, drop: Pairs, dataset: str | None, model: str | None
) -> None:
    """Turn FILE, one sampled answer a row, into a run folder for the other commands.

    Needed: question_id, sample, answer, and gold or correct. Used where they are there: setting, tokens,
    dataset, model, finish_reason, prompt_tokens. Other columns pass through.
    """
    from harness.imports import import_table
    from results import BadInput, write_samples

    if file.suffix != f".{kind}":
        raise BadInput(f"{file}: expected a .{kind} file")
    target = out / "samples.jsonl"
    if target.exists():
        raise BadInput(f"{target}: there is a table already, expected a new folder")
    constants = {name: text for name, text in (("dataset", dataset), ("model", model)) if text}
    table, left_out = import_table(file, dict(columns), drop, constants)
    write_samples(table, target)
    answered = table["question_id"].nunique()
    click.echo(f"{len(table)} answers to {answered} questions, {left_out} rows left out -> {target}")
