"""`python -m predict fits`: the fits of the paper's appendix as a table, and which of them not to use.

fit      held         points             x      α      β   rate    gap     rms  condition  status
along_n  setting 120       7      1 … 64  0.961  0.113  0.352  0.839  0.0073       4.45  ok
"""

from collections.abc import Mapping
from pathlib import Path

import click
import numpy as np
import pandas as pd

from predict.cli import options as option
from predict.cli.wording import METHOD_WORDS, STATUS_WORDS
from predict.curves.appendix import appendix_fits
from predict.groups import Group, read_groups
from predict.protocol import Status
from results.aligned import aligned
from results.tables.files import write_raw

LINES = 8
"""Rows of one kind of fit that are printed; the file has all."""

NAMES = 6
"""Settings or N that one sentence lists."""

VERDICTS: Mapping[str, str] = {
    Status.OK: "With care:",
    Status.POOR_FIT: "With care:",
    Status.NOT_IDENTIFIABLE: "No fit",
}
"""How the sentence on a fit begins, where not with "Do not use"."""


@click.command("fits", epilog="Example: python -m predict fits results/cached/tiny.csv --out fits.csv")
@option.inputs("INPUT")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Table of all fits to write.")
@option.method
def fits_command(inputs: tuple[Path, ...], out: Path, method: str) -> None:
    """Fit the three curves of the paper's appendix to INPUT (samples or curves tables).

    \b
    along_n    at each setting  Acc(T, N) = α − β e^(−rate·N), gap Δ = √(2·rate)
    along_t    at N = 1         Acc(T, 1) = α − β e^(−rate·T)
    along_gap  at each N > 1    Acc(T, N) = α − β e^(−rate·Δ²), Δ read from along_t

    T is in tokens (for the twin: steps) per answer. Each fit needs three different N or T. An error of ε in
    the accuracies moves α by at most ε times the condition number; above 100 a fit is unstable. With an rms
    residual above 0.02 it is poor. The column "reason", also printed below the table, says what speaks
    against a fit; it is empty where nothing does.
    """
    option.check_out(out, inputs)
    groups = read_groups(inputs, method)
    tables = [appendix_fits(group) for group in groups]
    for group, table in zip(groups, tables, strict=True):
        click.echo(f"\n{group.model} on {group.dataset}, {METHOD_WORDS[method]}, the paper's fits")
        for line in (*printable(table), *sentences(table)):
            click.echo(line)
    click.echo(f"\n{legend(groups)}")
    write_raw(pd.concat(tables, ignore_index=True), out)
    click.echo(f"{sum(map(len, tables))} rows in {out}")


def printable(table: pd.DataFrame) -> list[str]:
    """The fits of one group that have parameters as aligned lines, of each kind at most LINES."""
    found = table[table["status"] != Status.NOT_IDENTIFIABLE]
    if found.empty:
        return []
    shown = pd.concat([_evenly(part) for _, part in found.groupby("fit", sort=False)])
    body = [
        [
            row["fit"],
            _held(row["fit"], [row["held"]]),
            str(row["points"]),
            f"{_number(row['x_low'])} … {_number(row['x_high'])}",
            *(_number(row[name]) for name in ("alpha", "beta", "rate", "gap")),
            f"{row['rms']:.4f}",
            _number(row["condition"]),
            STATUS_WORDS[row["status"]] + (", see below" if row["status"] == "ok" and row["reason"] else ""),
        ]
        for _, row in shown.iterrows()
    ]
    head = ["fit", "held", "points", "x", "α", "β", "rate", "gap", "rms", "condition", "status"]
    lines = aligned([head, *body], left=(0, 1, 10))
    return lines if len(shown) == len(found) else [*lines, f"… {len(found) - len(shown)} more in the file"]


def sentences(table: pd.DataFrame) -> list[str]:
    """What speaks against the fits of one group, those with the same fault in one sentence."""
    faulty = table[table["reason"] != ""]
    lines = []
    for key, part in faulty.groupby(["fit", "status", "reason"], sort=False):
        fit, status, reason = map(str, key)
        which = fit if fit == "along_t" else f"{fit} at {_held(fit, part['held'].tolist())}"
        lines.append(f"{VERDICTS.get(status, 'Do not use')} {which}: {reason}.")
    return lines


def legend(groups: list[Group]) -> str:
    """What x is, in the units of these tables."""
    units = {f"{group.unit} per answer" if group.priced else "the table's unit" for group in groups}
    return f"x is N (along_n), T in {' or '.join(sorted(units))} (along_t) or Δ² (along_gap)."


def _evenly(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.iloc[np.unique(np.linspace(0, len(rows) - 1, min(LINES, len(rows))).round().astype(int))]


def _held(fit: str, names: list[str]) -> str:
    few = ", ".join(names) if len(names) <= NAMES else f"{names[0]} … {names[-1]} ({len(names)} of them)"
    if fit == "along_n":
        return f"setting{'s' if len(names) > 1 else ''} {few}"
    return f"N = {few}"


def _number(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.3g}".replace("-", "−")
