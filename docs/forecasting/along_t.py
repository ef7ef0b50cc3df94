"""Forecasts beyond a hard cap, measured: ours and every curve predictor, by data set.

    python docs/forecasting/along_t.py --data ../shared/data/samples --out docs/forecasting/along_t.csv

Each run is looked at as if it had been stopped at the fourth of eight caps, at the 10 … 99.9 % quantiles of
the answer lengths; the four dearer caps are forecast for a vote and for best-of-N. Eight answers of each
question are seen. Every (set, predictor, N) gives one row: mean absolute error in points, share of 90 %
intervals that hold the truth, interval score (Winkler 1972: width + 20 × miss, in points).
"""

from pathlib import Path

import click
import numpy as np
import pandas as pd

from predict.capped import CAP_PREDICTORS, CapRequest, Run, backtest_run, runs_of
from predict.protocol import Options
from results.tables.contract import as_samples
from results.tables.files import read_raw

DEVELOPMENT = ("datarus-r1-14b", "nemotron-9b-v2/aime2425", "nemotron-9b-v2/math500", "qwen3-14b")
"""Looked at while the law and its priors were chosen; every other set was opened once, at the end."""

ANSWERS = 8
AT_N = (1, 8, 40)


def caps_of(run: Run) -> list[int]:
    """Eight caps, the first four of them seen."""
    return [round(cap) for cap in np.quantile(run.answers.tokens, np.linspace(0.1, 0.999, 8))]


def measure(run: Run, splits: int) -> pd.DataFrame:
    """The backtest of one run for the vote and best-of-N."""
    caps = caps_of(run)
    largest = int(run.answers.sizes.min())
    request = CapRequest(caps[3], tuple(caps[4:]), ANSWERS, tuple(n for n in AT_N if n <= largest))
    options = Options(replicates=100)
    table = backtest_run(run, request, CAP_PREDICTORS, ["majority", "best_of_n"], splits, options)
    known = any(name in f"{run.model}/{run.dataset}" for name in DEVELOPMENT)
    name = f"{run.model}/{run.dataset}" + (f"/{run.setting}" if run.several else "")
    return table.assign(set=name, opened="while developing" if known else "once, at the end")


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """One row per set, predictor, method and N."""
    miss = (table["low"] - table["accuracy"]).clip(lower=0) + (table["accuracy"] - table["high"]).clip(
        lower=0
    )
    held = miss.le(1e-9).where(table["low"].notna())
    tokens = table["tokens"].between(table["tokens_low"], table["tokens_high"])
    marked = table.assign(
        error=100 * (table["predicted"] - table["accuracy"]).abs(), held=held,
        score=100 * (table["high"] - table["low"] + 20 * miss),
        tokens_error=100 * (table["tokens_predicted"] / table["tokens"] - 1).abs(), tokens_held=tokens,
    )  # fmt: skip
    by = marked.groupby(["set", "opened", "predictor", "method", "N"], sort=False)
    columns = ["error", "held", "score", "tokens_error", "tokens_held"]
    return by[columns].mean().round(3).assign(forecasts=by["error"].count()).reset_index()


def read(path: Path) -> list[Run]:
    """The runs in a file; the grid of Epoch AI has columns of its own."""
    frame = read_raw(path, ["answer", "question_id"])
    if "completion_tokens" in frame:
        frame = frame[frame["error"].astype(float) == 0]
        names = {"effort": "setting", "completion_tokens": "tokens"}
        frame = frame.rename(columns=names).drop(columns=["error", "gold"]).assign(dataset="otis-mock-aime")
    return runs_of(as_samples(frame, path))


@click.command()
@click.option("--data", type=click.Path(path_type=Path), required=True, help="Folder of the samples.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Table of scores to write.")
@click.option("--splits", default=2, show_default=True, help="Random choices of the eight answers.")
@click.option("--only", default="", help="Files whose name holds one of these texts, with commas between.")
def main(data: Path, out: Path, splits: int, only: str) -> None:
    """Measure every file boinf-* and epoch* of a folder."""
    files = sorted([*data.glob("boinf-*.csv"), *data.glob("epoch*.csv")])
    tables = []
    for file in files:
        if not any(text in file.name for text in only.split(",")):
            continue
        for run in read(file):
            tables.append(scores(measure(run, splits)))
            pd.concat(tables, ignore_index=True).to_csv(out, index=False)
            click.echo(tables[-1]["set"].iloc[0], err=True)


if __name__ == "__main__":
    main()
