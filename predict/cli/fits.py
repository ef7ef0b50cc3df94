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
from predict.cli.wording import STATUS_WORDS, evenly, table, title
from predict.curves.appendix import appendix_fits
from predict.groups import read_groups
from predict.protocol import Status
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
@option.inputs
@option.out("Table of all fits to write.")
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
    for group, fits in zip(groups, tables, strict=True):
        click.echo(f"\n{title(group)}, the paper's fits")
        for line in (*printable(fits), *sentences(fits)):
            click.echo(line)
    units = {f"{group.unit} per answer" if group.priced else "the table's unit" for group in groups}
    click.echo(f"\nx is N (along_n), T in {' or '.join(sorted(units))} (along_t) or Δ² (along_gap).")
    write_raw(pd.concat(tables, ignore_index=True), out)
    click.echo(f"{sum(map(len, tables))} rows in {out}")


def printable(fits: pd.DataFrame) -> list[str]:
    """The fits of one group that have parameters as aligned lines, of each kind at most LINES."""
    found = fits[fits["status"] != Status.NOT_IDENTIFIABLE]
    if found.empty:
        return []
    shown = pd.concat([part.iloc[evenly(len(part), LINES)] for _, part in found.groupby("fit", sort=False)])
    told = (shown["status"] == Status.OK) & (shown["reason"] != "")
    columns = {
        "fit": shown["fit"],
        "held": [_held(fit, [held]) for fit, held in zip(shown["fit"], shown["held"], strict=True)],
        "points": shown["points"].astype(str),
        "x": shown["x_low"].map(_number) + " … " + shown["x_high"].map(_number),
        "α": map(_number, shown["alpha"]),
        "β": map(_number, shown["beta"]),
        "rate": map(_number, shown["rate"]),
        "gap": map(_number, shown["gap"]),
        "rms": map("{:.4f}".format, shown["rms"]),
        "condition": map(_number, shown["condition"]),
        "status": shown["status"].map(STATUS_WORDS.__getitem__) + np.where(told, ", see below", ""),
    }
    more = len(found) - len(shown)
    return [table(columns), *([f"… {more} more in the file"] if more else [])]


def sentences(fits: pd.DataFrame) -> list[str]:
    """What speaks against the fits of one group, those with the same fault in one sentence."""
    faulty = fits[fits["reason"] != ""]
    lines = []
    for key, part in faulty.groupby(["fit", "status", "reason"], sort=False):
        fit, status, reason = map(str, key)
        which = fit if fit == "along_t" else f"{fit} at {_held(fit, part['held'].tolist())}"
        lines.append(f"{VERDICTS.get(status, 'Do not use')} {which}: {reason}.")
    return lines


def _held(fit: str, names: list[str]) -> str:
    few = ", ".join(names) if len(names) <= NAMES else f"{names[0]} … {names[-1]} ({len(names)} of them)"
    if fit == "along_n":
        return f"setting{'s' if len(names) > 1 else ''} {few}"
    return f"N = {few}"


def _number(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.3g}".replace("-", "−")
