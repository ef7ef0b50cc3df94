"""`python -m results compare`: two or more runs on the same questions, a table of paired differences out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from results.aligned import aligned
from results.commandline import BadInput, warnings_last

if TYPE_CHECKING:
    import pandas as pd


def price_option(what: str) -> Callable[..., Any]:
    """The option --price NAME=USD, as `prices`: a dictionary by the name of a `what`."""

    def read(
        _context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]
    ) -> dict[str, float]:
        prices = {}
        for one in given:
            name, _, number = one.rpartition("=")
            try:
                prices[name] = float(number)
            except ValueError:
                prices[name] = 0.0
            if not (name and 0 < prices[name] < float("inf")):
                raise click.BadParameter(f"{one!r}: give NAME=USD, a name and a number above 0.")
        return prices

    words = f"US dollars for a million answer tokens of a {what}; once for each {what}. Cost is then money."
    return click.option("--price", "prices", multiple=True, metavar="NAME=USD", callback=read, help=words)


@click.command(
    "compare",
    epilog="Example: python -m results compare results/runs/small results/runs/large --out compare.csv",
)
@click.argument("samples", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="File to write (.csv, .jsonl, .parquet)."
)
@price_option("run")
def compare_command(samples: tuple[Path, ...], out: Path, prices: dict[str, float]) -> None:
    """Compare runs on the questions they share.

    SAMPLES are files or run folders. Two or more runs are compared at each setting they have in common; one
    run is compared across its settings. Each row is accuracy of B − accuracy of A by majority vote or
    best-of-N, at equal N and at equal cost (tokens, or with --price US dollars, per question), with the 90 %
    interval for new questions of the kind, the questions that flip, and how many questions or answers would
    tell the two apart.
    """
    from results.paired.runs import compare_runs
    from results.tables.contract import check_out, read_samples, write_table

    check_out(out, samples)
    names = _names(samples)
    if prices and prices.keys() != set(names):
        raise BadInput(f"--price: give a price for each run, {', '.join(names)}, and for nothing else")
    with warnings_last():
        tables = {name: read_samples(path, texts=False) for name, path in zip(names, samples, strict=True)}
        compared = compare_runs(tables, {name: price / 1e6 for name, price in prices.items()})
    write_table(compared, out, "comparison")
    click.echo("\n".join(_summary(compared)))
    click.echo(f"{', '.join(map(str, samples))} -> {out}: {len(compared)} rows")


def _names(paths: tuple[Path, ...]) -> list[str]:
    """What each input is called: its folder or file; the whole path where two would share a name."""
    inputs = [path.parent if path.stem == "samples" else path for path in map(Path.resolve, paths)]
    names = [one.name if one.is_dir() else one.stem for one in inputs]
    return names if len(set(names)) == len(names) else [str(path) for path in paths]


def _summary(compared: pd.DataFrame) -> list[str]:
    """For each pair a line for one answer, and one each for vote and best-of-N over the most answers."""
    from results.report.differences import COLUMNS

    several = len(set(compared["setting_a"])) > 1 and (compared["a"] != compared["setting_a"]).any()
    names = ["a", "b", *(["setting_a"] if several else [])]
    most = compared.groupby(["a", "b", "setting_a", "setting_b", "method"])["N"].transform("max")
    once = (compared["N"] == 1) & (compared["method"] == "majority")
    rows = compared[once | ((compared["N"] > 1) & (compared["N"] == most))]
    head = [*(name.removesuffix("_a") for name in names), *COLUMNS]
    body = [
        [*(str(row[name]) for name in names), *(tell(row) for tell in COLUMNS.values())]
        for _, row in rows.iterrows()
    ]
    return ["b − a in points with 90 % intervals:", *aligned([head, *body], left=range(len(names) + 1))]
