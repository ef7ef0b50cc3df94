"""`python -m results compare`: two or more runs on the same questions, a table of paired differences out."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from results.aligned import aligned
from results.commandline import numbers, warnings_last

if TYPE_CHECKING:
    import pandas as pd

_METHODS = {"majority": "vote over", "best_of_n": "best of"}


@click.command(
    "compare",
    epilog="Example: python -m results compare results/runs/small results/runs/large --out compare.csv",
)
@click.argument("samples", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="File to write (.csv, .jsonl, .parquet)."
)
@click.option(
    "--n",
    callback=numbers,
    help="Values of N, separated by commas.  [default: 1, 2, 4, … and the smaller pool]",
)
@click.option(
    "--prices", help="Price of a token of each of SAMPLES, separated by commas: cost is then money."
)
def compare_command(samples: tuple[Path, ...], out: Path, n: tuple[int, ...], prices: str | None) -> None:
    """Compare SAMPLES (files or run folders) on the questions they share, each question with itself.

    Two or more runs are compared at each setting they have in common; one run is compared across its
    settings. Each row is accuracy of B − accuracy of A by majority vote or best-of-N, at equal N and at equal
    cost (tokens, or with --prices money, per question), with the 90 % interval for new questions of the kind,
    the questions that flip, and how many questions or answers would tell the two apart.
    """
    from results.paired.runs import compare_runs
    from results.tables.contract import check_out, read_samples, write_table

    check_out(out, samples)
    each = None if prices is None else _prices(prices, len(samples))
    with warnings_last():
        names = _names(samples)
        tables = {name: read_samples(path, texts=False) for name, path in zip(names, samples, strict=True)}
        compared = compare_runs(tables, n or None, each)
    write_table(compared, out, "comparison")
    click.echo("\n".join(_summary(compared)))
    click.echo(f"{', '.join(map(str, samples))} -> {out}: {len(compared)} rows")


def _prices(listed: str, inputs: int) -> list[float]:
    try:
        prices = [float(part) for part in listed.split(",")]
    except ValueError:
        prices = []
    if len(prices) != inputs or not all(0 < price < float("inf") for price in prices):
        raise click.BadParameter(
            f"give {inputs} numbers above 0, one for each input.", param_hint="'--prices'"
        )
    return prices


def _names(paths: tuple[Path, ...]) -> list[str]:
    """What each input is called: its folder or file; the whole path where two would share a name."""
    names = [path.resolve().name if path.is_dir() else path.stem for path in paths]
    names = [
        path.resolve().parent.name if name == "samples" else name
        for path, name in zip(paths, names, strict=True)
    ]
    if len(set(names)) < len(names):
        names = [str(path) for path in paths]
    return [name if name not in names[:i] else f"{name} ({i + 1})" for i, name in enumerate(names)]


def _summary(compared: pd.DataFrame) -> list[str]:
    """For each pair a line for one answer, and one each for vote and best-of-N over the most answers."""
    several = len(set(compared["setting_a"])) > 1 and (compared["a"] != compared["setting_a"]).any()
    names = ["a", "b", *(["setting_a"] if several else [])]
    head = ["b − a, points (90 %)", "at equal cost", "better, worse", "to tell them apart"]
    lines = [[name.removesuffix("_a") for name in names] + ["by", *head]]
    single = compared["N"] == 1
    most = compared.groupby(["a", "b", "setting_a", "setting_b", "method"])["N"].transform("max")
    vote = compared["method"] == "majority"
    for _, row in compared[(single & vote) | (~single & (compared["N"] == most))].iterrows():
        by = "one answer" if row["N"] == 1 else f"{_METHODS[row['method']]} {row['N']}"
        lines.append(
            [str(row[name]) for name in names]
            + [
                by,
                _points(row, ""),
                _points(row, "_at_cost"),
                f"{row['gained']}, {row['lost']}",
                _needed(row),
            ]
        )
    return aligned(lines, left=range(len(names) + 1))


def _points(row: pd.Series[Any], basis: str) -> str:
    """ "+7.2 (+3.1 to +11.3)", or "–" where it is not known."""
    ends = [float(row[name + basis]) for name in ("difference", "low", "high")]
    if isnan(ends[0]):
        return "–"
    mean, low, high = (f"{100 * end:+.1f}" for end in ends)
    return mean if isnan(ends[1]) else f"{mean} ({low} to {high})"


def _needed(row: pd.Series[Any]) -> str:
    from results.paired.differences import LEVEL

    if row["p_value"] < LEVEL:
        return "they differ"
    wanted = [
        f"{row[name]:,.0f} {what}"
        for name, what in (("questions_needed", "questions"), ("answers_needed", "answers to each"))
        if not isnan(row[name])
    ]
    return " or ".join(wanted) or "no difference seen"
