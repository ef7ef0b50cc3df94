"""`tts backtest`: how good each predictor is on answers or settings hidden from it."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from predict.cli.wording import say, table
from predict.estimate import Options
from predict.estimators import chosen
from predict.evidence.groups import Group
from predict.evidence.request import Request, read_asked
from predict.splits import backtest, over_sets, summary
from results.tables.contract import check_out
from results.tables.files import write_raw
from results.tables.key import WHOSE
from results.tables.key import groups as groups_of_rows
from results.words.names import predictor_name


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
    found = pd.concat(tables, ignore_index=True)
    write_raw(found, out)
    show(found, groups)
    say(f"\n{len(found)} rows in {out}")


def show(found: pd.DataFrame, groups: Sequence[Group]) -> None:
    """Print the scores of every set (a model on a dataset), and their geometric means over sets."""
    names = {group.key.whose: group.called for group in groups}
    for key, own in groups_of_rows(found, WHOSE):
        say(f"\n{names[key]}")
        by = {predictor: predictor_name(part) for predictor, part in own.groupby("predictor")}
        say(printable(summary(own).rename(index=by)))
    if len(names) > 1:
        say("\ngeometric means over sets")
        say(printable(over_sets(found)))


def printable(found: pd.DataFrame) -> str:
    """Scores as an aligned table, in percentage points; "–" for what is not known."""
    columns: dict[str, Iterable[str]] = {"predictor": found.index.astype(str)}
    for name, values in found.items():
        if name in ("forecasts", "missing", "sets"):
            columns[str(name)] = values.astype(str)
        elif values.notna().any():
            unit = "{:.0f} %" if name == "coverage" else "{:.2f}"
            columns[str(name).replace("_", " ")] = (100 * values).map(unit.format)
    return table(
        {head: ["–" if "nan" in cell else cell for cell in cells] for head, cells in columns.items()}
    )
