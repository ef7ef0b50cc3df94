"""Commands of the results room.

$ python -m results curves results/runs/gsm8k --out curves.csv
results/runs/gsm8k: 422080 answers -> curves.csv: 792 rows
"""

import warnings
from pathlib import Path

import click

from results.report.command import report


@click.group()
def cli() -> None:
    """Turn samples into curves, and curves and forecasts into a report."""


@cli.command(epilog="Example: python -m results curves results/runs/tiny --out curves.csv")
@click.argument("samples", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The .csv, .jsonl or .parquet to write."
)
@click.option(
    "--method", default="majority,best_of_n", show_default=True, help="Methods, with commas between."
)
@click.option(
    "--n", default=None, help="Values of N, with commas between.  [default: 1, 2, 4, … and the pool]"
)
@click.option(
    "--caps",
    default=None,
    help="Cut every answer at these numbers of tokens, with commas between: settings cap=2000, ….",
)
@click.option(
    "--permutations",
    default=10,
    show_default=True,
    type=click.IntRange(min=0),
    help="Random orders drawn beside the exact value; 0 for the exact value alone.",
)
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Seed of the random orders."
)
def curves(
    samples: tuple[Path, ...],
    out: Path,
    method: str,
    n: str | None,
    caps: str | None,
    permutations: int,
    seed: int,
) -> None:
    """Accuracy of a majority vote and of best-of-N at each N, from the SAMPLES (files or run folders).

    Several SAMPLES make one table: other models and data sets, or the shards of one run. "exact" rows are the
    mean over all subsets of N answers; rows 0, 1, … use the first N answers of a random order. An N that some
    question has too few answers for is left out, and said so.

    With --caps the settings are hard limits on the tokens of an answer: longer ones cast no vote, and T
    counts them at the cap.
    """
    from results.commandline import BadInput
    from results.tables.contract import read_samples, sample_files, write_curves
    from results.tables.files import check_suffix
    from results.tables.origins import missing_shards
    from results.votes.caps import cap_samples
    from results.votes.curves import build_curves

    ns = None if n is None else [_whole(part, "--n") for part in n.split(",")]
    limits = [] if caps is None else [_whole(part, "--caps") for part in caps.split(",")]
    methods = [part.strip() for part in method.split(",")]
    check_suffix(out)
    if out.resolve() in {path.resolve() for path in sample_files(*samples)}:
        raise BadInput(f"{out}: is one of the inputs, expected another name for the curves")
    table = read_samples(*samples)
    for line in missing_shards(sample_files(*samples)):
        click.echo(f"warning: {line}", err=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        capped = cap_samples(table, limits) if limits else table
        result = build_curves(capped, methods, ns, permutations, seed, progress=True)
    for warning in caught:
        click.echo(f"warning: {warning.message}", err=True)
    write_curves(result, out)
    click.echo(f"{', '.join(map(str, samples))}: {len(table)} answers -> {out}: {len(result)} rows")


def _whole(part: str, option: str) -> int:
    try:
        value = int(part)
    except ValueError:
        value = 0
    if value < 1:
        raise click.BadParameter(
            f"{part.strip()!r} is not a whole number of at least 1.", param_hint=f"'{option}'"
        )
    return value


cli.add_command(report)
