"""`python -m predict backtest`: how good each predictor is on answers or settings hidden from it."""

from collections.abc import Sequence
from pathlib import Path

import click
import pandas as pd
from tqdm import tqdm

from predict.backtest import backtest, summary
from predict.cli import options as option
from predict.groups import Group, read_groups
from predict.protocol import Options
from predict.split import Request
from results.tables.files import write_raw


@click.command(
    "backtest",
    epilog="Example: python -m predict backtest samples.jsonl --out backtest.csv --fit-max-n 4 --at-n 8,16",
)
@option.inputs("INPUT")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Table of all forecasts to write."
)
@click.option("--predictor", default="all", show_default=True, help="One predictor, or all that can.")
@option.method
@click.option("--fit-max-n", type=click.IntRange(1), help="Answers a question that are not hidden.")
@click.option(
    "--fit-settings", callback=option.names, help="Settings that are not hidden, of each model those it has."
)
@click.option("--at-n", callback=option.numbers, help="Forecast these N.")
@click.option(
    "--at-settings", callback=option.names, help="Forecast these settings.", show_default="the hidden ones"
)
@click.option("--splits", default=20, show_default=True, type=click.IntRange(1), help="Random splits.")
@option.replicates(200)
@option.seed
@click.option(
    "--jobs", default=1, show_default=True, type=click.IntRange(1), help="Processes; they change no number."
)
def backtest_command(
    inputs: tuple[Path, ...], out: Path, predictor: str, method: str, fit_max_n: int | None,
    fit_settings: tuple[str, ...], at_n: tuple[int, ...], at_settings: tuple[str, ...], splits: int,
    bootstrap: int, seed: int, jobs: int,
) -> None:  # fmt: skip
    """Hide answers or settings of INPUT (samples or curves tables), forecast the vote there, and compare.

    Each split keeps --fit-max-n random answers a question at --fit-settings; a curves table is split once.
    Prints, by predictor, the mean error (absolute difference of accuracies), the bias, the worst error and
    how many 90 % intervals hold the truth.
    """
    if fit_max_n is None and not fit_settings:
        raise click.UsageError("expected --fit-max-n, --fit-settings or both: what is not hidden")
    option.check_out(out, inputs)
    groups = read_groups(inputs, method, at_n)
    options = Options(replicates=bootstrap, seed=seed)
    tables = []
    with tqdm(total=len(groups) * splits, unit="split", disable=None) as bar:
        for group in groups:
            names = option.chosen(predictor, group)
            fit, at = _own(group, groups, fit_settings), _own(group, groups, at_settings)
            request = Request(fit_max_n, None, fit, at_n, at)
            tables.append(backtest(group, names, request, splits, options, bar.update, jobs))
    table = pd.concat(tables, ignore_index=True)
    write_raw(table, out)
    click.echo(summary(table).to_string(float_format=lambda value: f"{value:.4f}"))
    click.echo(f"\n{len(table)} rows in {out}")


def _own(group: Group, groups: Sequence[Group], asked: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the settings `asked` for that `group` has; all of them, to be refused, where it has none."""
    known = {name for one in groups for name, _ in one.points.settings()}
    here = {name for name, _ in group.points.settings()}
    own = tuple(name for name in asked if name in here or name not in known)
    return own or asked
