"""`python -m predict backtest`: how good each predictor is on answers or settings hidden from it."""

from pathlib import Path

import click
import pandas as pd
from tqdm import tqdm

from predict.backtest import backtest, summary
from predict.cli import options as option
from predict.data import read_groups
from predict.protocol import Options
from predict.split import Request
from results.files import write_raw


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
@click.option("--fit-settings", callback=option.names, help="Settings that are not hidden.")
@click.option("--at-n", callback=option.numbers, help="Forecast these N.")
@click.option(
    "--at-settings", callback=option.names, help="Forecast these settings.", show_default="the hidden ones"
)
@click.option("--splits", default=20, show_default=True, type=click.IntRange(1), help="Random splits.")
@option.replicates(200)
@option.seed
def backtest_command(
    inputs: tuple[Path, ...], out: Path, predictor: str, method: str, fit_max_n: int | None,
    fit_settings: tuple[str, ...], at_n: tuple[int, ...], at_settings: tuple[str, ...], splits: int,
    bootstrap: int, seed: int,
) -> None:  # fmt: skip
    """Hide answers or settings of INPUT (samples or curves tables), forecast the vote there, and compare.

    Each split keeps --fit-max-n random answers a question at --fit-settings; a curves table is split once.
    Prints, by predictor, the mean error (absolute difference of accuracies), the bias, the worst error and
    how many 90 % intervals hold the truth.
    """
    if fit_max_n is None and not fit_settings:
        raise click.UsageError("expected --fit-max-n, --fit-settings or both: what is not hidden")
    groups = read_groups(inputs, method, at_n)
    options = Options(replicates=bootstrap, seed=seed)
    request = Request(fit_max_n, None, fit_settings, at_n, at_settings)
    tables = []
    with tqdm(total=len(groups) * splits, unit="split", disable=None) as bar:
        for group in groups:
            names = option.chosen(predictor, group)
            tables.append(backtest(group, names, request, splits, options, bar.update))
    table = pd.concat(tables, ignore_index=True)
    write_raw(table, out)
    click.echo(summary(table).to_string(float_format=lambda value: f"{value:.4f}"))
    click.echo(f"\n{len(table)} rows in {out}")
