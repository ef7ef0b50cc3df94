"""`forecast` and `backtest` with --fit-cap: dearer hard caps, forecast from a run stopped at one.

qwen3 on aime, setting default, majority vote, stopped at 8,000 tokens, forecast by survival
setting    N  tokens/answer  90 % of tokens  forecast  90 % these questions  …  measured  status
cap=16000  8          9,700  9,200 … 10,300    61.0 %         55.1 … 67.2 %  …    59.2 %  ok
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from predict.capped import CapRequest, Run, backtest_run, forecast_run, runs_of
from predict.cli import options as option
from predict.cli.wording import STATUS_WORDS, intervals, percent, say, table, tokens
from predict.protocol import Options
from results import BadInput, kind_of, read_samples, write_forecast
from results.figures.words import METHOD_NAMES

LINES = 24
"""Rows of one table that are printed; the file holds all."""


def forecast_caps(
    inputs: Sequence[Path], out: Path, predictors: list[str], method: str, request: CapRequest,
    options: Options,
) -> None:  # fmt: skip
    """Forecast every run of the samples, print and write the forecast table. Raises BadInput."""
    option.check_out(out, inputs)
    tables = []
    for run in tqdm(read_runs(inputs), unit="run", disable=None, leave=False):
        found, notes = forecast_run(run, request, predictors, method, options)
        show(run, request, found)
        for sentence in notes:
            say(f"{run.name}: {sentence}", err=True)
        tables.append(found)
    write_forecast(pd.concat(tables, ignore_index=True), out)
    say(f"\n{sum(map(len, tables))} rows in {out}")


def backtest_caps(
    inputs: Sequence[Path], predictors: list[str], method: str, request: CapRequest, splits: int,
    options: Options,
) -> pd.DataFrame:  # fmt: skip
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
        return runs_of(read_samples(*inputs, texts=False))
    except BadInput as error:
        raise BadInput(f"{', '.join(map(str, inputs))}: {error}") from None


def show(run: Run, request: CapRequest, found: pd.DataFrame) -> None:
    """Print each predictor's forecasts for one run."""
    for name, part in found.groupby("predictor", sort=False):
        say(
            f"\n{run.name}, {METHOD_NAMES[part['method'].iloc[0]]}, stopped at {request.fit_cap:,} tokens, "
            f"forecast by {name}"
        )
        rows = part.head(LINES)
        ends = zip(rows["tokens_low"], rows["tokens_high"], strict=True)
        columns: dict[str, Iterable[str]] = {
            "setting": rows["setting"],
            "N": rows["N"].astype(str),
            "tokens/answer": map(tokens, rows["tokens_per_answer"]),
            "90 % of tokens": (f"{tokens(low)} … {tokens(high)}" for low, high in ends),
            "forecast": map(percent, rows["predicted"]),
            **intervals(rows),
            "measured": map(percent, rows["accuracy"]),
            "status": map(STATUS_WORDS.__getitem__, rows["status"]),
        }
        say(table(columns))
        if len(part) > LINES:
            say(f"… {len(part) - LINES} more in the file")
