"""`forecast` and `backtest` with --fit-cap: dearer hard caps, forecast from a run stopped at one.

qwen3 on aime, setting default, majority vote, stopped at 8000 tokens, forecast by survival
cap    N  tokens/answer                 forecast  90 % interval  measured  status
16000  8   9,700 (9,200 … 10,300)         61.0 %  55.1 … 67.2 %    59.2 %  ok
"""

from collections.abc import Sequence
from pathlib import Path

import click
import pandas as pd
from tqdm import tqdm

from predict.capped import CapRequest, Run, backtest_run, forecast_run, runs_of
from predict.cli import options as option
from predict.cli.wording import STATUS_WORDS, interval, percent, tokens
from predict.protocol import Options
from results import BadInput, kind_of, read_samples, write_forecast
from results.aligned import aligned
from results.figures.words import METHOD_NAMES

LINES = 24
"""Rows of one table that are printed; the file holds all."""


def forecast_caps(
    inputs: Sequence[Path],
    out: Path,
    predictors: list[str],
    method: str,
    request: CapRequest,
    options: Options,
) -> None:
    """Forecast every run of the samples, print and write the forecast table. Raises BadInput."""
    option.check_out(out, inputs)
    tables = []
    for run in tqdm(read_runs(inputs), unit="run", disable=None, leave=False):
        table, notes = forecast_run(run, request, predictors, method, options)
        show(run, request, table)
        for sentence in notes:
            click.echo(f"{run.name}: {sentence}", err=True)
        tables.append(table)
    write_forecast(pd.concat(tables, ignore_index=True), out)
    click.echo(f"\n{sum(map(len, tables))} rows in {out}")


def backtest_caps(
    inputs: Sequence[Path],
    predictors: list[str],
    method: str,
    request: CapRequest,
    splits: int,
    options: Options,
) -> pd.DataFrame:
    """Backtest every run of the samples. Raises BadInput."""
    runs = read_runs(inputs)
    with tqdm(total=len(runs) * splits, unit="split", disable=None) as bar:
        tables = [
            backtest_run(run, request, predictors, [method], splits, options, bar.update) for run in runs
        ]
    return pd.concat(tables, ignore_index=True)


def read_runs(inputs: Sequence[Path]) -> list[Run]:
    """The runs in the samples. Raises BadInput for tables of curves, and where answers have no tokens."""
    for path in inputs:
        if kind_of(path) != "samples":
            raise BadInput(f"{path}: --fit-cap needs samples with tokens, not {kind_of(path)}")
    try:
        return runs_of(read_samples(*inputs))
    except BadInput as error:
        raise BadInput(f"{', '.join(map(str, inputs))}: {error}") from None


def show(run: Run, request: CapRequest, table: pd.DataFrame) -> None:
    """Print each predictor's forecasts for one run."""
    for name, part in table.groupby("predictor", sort=False):
        click.echo(
            f"\n{run.name}, {METHOD_NAMES[part['method'].iloc[0]]}, stopped at {request.fit_cap:,} tokens, "
            f"forecast by {name}"
        )
        body = [
            [
                str(row["setting"]),
                str(row["N"]),
                tokens(row["tokens_per_answer"]),
                f"{tokens(row['tokens_low'])} … {tokens(row['tokens_high'])}",
                percent(row["predicted"]),
                interval(row["low"], row["high"]),
                percent(row["accuracy"]),
                STATUS_WORDS.get(row["status"], row["status"]),
            ]
            for _, row in part.head(LINES).iterrows()
        ]
        head = [
            "setting",
            "N",
            "tokens/answer",
            "90 % interval",
            "forecast",
            "90 % interval",
            "measured",
            "status",
        ]
        click.echo("\n".join(aligned([head, *body], left=(0, 7))))
        if len(part) > LINES:
            click.echo(f"… {len(part) - LINES} more in the file")
