"""`tts backtest`: how good each predictor is on answers or settings hidden from it."""

from pathlib import Path
from typing import Any

import pandas as pd

from predict.estimate import Options
from predict.estimators import chosen
from predict.evidence.request import Request, read_asked
from predict.splits import backtest, hidden
from results.cli.options import refuse_given
from results.commandline import say
from results.summary.forecasts import scores
from results.tables.contract import check_out
from results.tables.files import write_raw
from results.terminal import plural
from results.words.cells import described
from results.words.forecasts import error_columns, which_predictor


def run(
    inputs: tuple[Path, ...],
    out: Path,
    predictor: str,
    method: str | None,
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
    if not any(group.pools for group in groups):
        refuse_given(["splits"], "is of samples: a curves table is split once")
    named = [chosen(predictor, group) for group in groups]
    for group in groups:
        hidden(group, request, splits)  # check every request before any work
    tables = [
        backtest(group, names, request, splits, options) for group, names in zip(groups, named, strict=True)
    ]
    for group, own in zip(groups, tables, strict=True):
        say(f"\n{group.called}")
        say(described(scores(own), error_columns(own)))
        say(which_predictor(own))
    whole = pd.concat(tables, ignore_index=True)
    write_raw(whole, out)
    say(f"\n{plural(len(whole), 'row')} in {out}")
