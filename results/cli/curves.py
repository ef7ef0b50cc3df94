"""`python -m results curves`: samples in, a curves table out."""

from collections.abc import Sequence
from pathlib import Path

import click

from results.commandline import BadInput, warnings_last


@click.command("curves", epilog="Example: python -m results curves results/runs/tiny --out curves.csv")
@click.argument("samples", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="File to write (.csv, .jsonl, .parquet)."
)
@click.option(
    "--method", default="majority,best_of_n", show_default=True, help="Methods, separated by commas."
)
@click.option("--n", help="Values of N, separated by commas.  [default: 1, 2, 4, … and the pool]")
@click.option(
    "--caps", help="Cut every answer at these numbers of tokens, separated by commas: settings cap=2000, …"
)
@click.option(
    "--permutations",
    default=10,
    show_default=True,
    type=click.IntRange(min=0),
    help="Random orders of the answers to draw beside the exact value; 0 for none.",
)
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Seed of the random orders."
)
def curves_command(
    samples: tuple[Path, ...],
    out: Path,
    method: str,
    n: str | None,
    caps: str | None,
    permutations: int,
    seed: int,
) -> None:
    """Compute the accuracy of a majority vote and of best-of-N at each N from SAMPLES (files or run folders).

    Several SAMPLES make one table: different models and datasets, or the shards of one run. Rows with
    permutation "exact" are the mean over all subsets of N answers; rows 0, 1, … use the first N answers of a
    random order. An N larger than the number of answers of some question is left out with a warning.

    With --caps the settings are hard limits on the tokens of an answer: longer answers cast no vote and count
    with the tokens of the cap.
    """
    from results.tables.contract import read_samples, sample_files, write_curves
    from results.tables.files import check_suffix
    from results.tables.origins import missing_shards
    from results.votes.caps import cap_samples
    from results.votes.curves import build_curves

    ns = None if n is None else positive(n, "--n")
    limits = None if caps is None else positive(caps, "--caps")
    methods = [part.strip() for part in method.split(",")]
    check_suffix(out)
    files = sample_files(*samples)
    refuse_input(out, files)
    for line in missing_shards(files):
        click.echo(f"warning: {line}", err=True)
    with warnings_last():
        table = read_samples(*samples, texts=False)
        capped = cap_samples(table, limits) if limits else table
        result = build_curves(capped, methods, ns, permutations, seed, progress=True, checked=True)
    write_curves(result, out)
    click.echo(f"{', '.join(map(str, samples))}: {len(table)} answers -> {out}: {len(result)} rows")


def refuse_input(out: Path, files: Sequence[Path]) -> None:
    """Raise BadInput where `out` is one of the files that are read."""
    if out.resolve() in {path.resolve() for path in files}:
        raise BadInput(f"{out}: is one of the inputs; choose another name for the output")


def positive(listed: str, option: str) -> list[int]:
    """The whole numbers of an option: "1,2,4". Raises click.BadParameter."""
    parts = [part.strip() for part in listed.split(",")]
    for part in parts:
        if not (part.isdecimal() and int(part)):
            raise click.BadParameter(
                f"{part!r} is not a whole number of at least 1.", param_hint=f"'{option}'"
            )
    return [int(part) for part in parts]
