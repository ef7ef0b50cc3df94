"""`tts backtest`: how good each predictor is on answers or settings hidden from it."""

from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from predict.cli.wording import described, say
from predict.estimate import Options
from predict.estimators import chosen
from predict.evidence.request import Request, read_asked
from predict.splits import backtest
from results.summary.forecasts import scores
from results.tables.contract import check_out
from results.tables.files import write_raw
from results.words.forecasts import error_columns


def run(
    inputs: tuple[Path, ...],
    out: Path,
    predictor: str,
    method: str,
    splits: int,
    bootstrap: int,
    seed: int,
    level: float,
    **asked: Any,
) -> None:
    """Backtest every group in the inputs, print the scores and write all forecasts."""
    request, options = Request(**asked), Options(bootstrap, seed, level)
    check_out(out, inputs)
    groups = read_asked(inputs, method, request)
    tables = []
    with tqdm(total=len(groups) * splits, unit="split", disable=None) as bar:
        for group in groups:
            tables.append(backtest(group, chosen(predictor, group), request, splits, options, bar.update))
    for group, own in zip(groups, tables, strict=True):
        say(f"\n{group.called}")
        say(described(scores(own), error_columns(own)))
    whole = pd.concat(tables, ignore_index=True)
    write_raw(whole, out)
    say(f"\n{len(whole)} rows in {out}")
