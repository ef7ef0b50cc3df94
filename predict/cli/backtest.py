"""`python -m predict backtest`: how good each predictor is on answers or settings hidden from it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
import pandas as pd
from tqdm import tqdm

from predict.backtest import backtest, summary
from predict.capped import CapRequest
from predict.cli import options as option
from predict.cli.capped import backtest_caps
from predict.cli.wording import say, table
from predict.groups import Group, read_groups
from predict.protocol import Options
from predict.split import Request
from results.tables.files import write_raw


@click.command(
    "backtest",
    epilog="Example: python -m predict backtest samples.jsonl --out backtest.csv --fit-max-n 4 --at-n 8,16",
)
@option.inputs
@option.out("Table of all forecasts to write.")
@option.predictor("all")
@option.method
@click.option("--fit-max-n", type=click.IntRange(1), help="Answers to each question that are shown.")
@click.option(
    "--fit-settings", callback=option.names, help="Settings that are shown; of each model those it has."
)
@click.option("--at-n", callback=option.numbers, help="Forecast these N.")
@click.option(
    "--at-settings", callback=option.names, help="Forecast these settings.", show_default="the hidden ones"
)
@option.caps
@click.option("--splits", default=20, show_default=True, type=click.IntRange(1), help="Random splits.")
@option.bootstrap(200)
@option.seed
@click.option(
    "--jobs",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    help="Processes; the results do not depend on it.",
)
def backtest_command(
    inputs: tuple[Path, ...], out: Path, predictor: str, method: str, fit_max_n: int | None,
    fit_settings: tuple[str, ...], at_n: tuple[int, ...], at_settings: tuple[str, ...],
    fit_cap: int | None, at_caps: tuple[int, ...], splits: int, bootstrap: int, seed: int, jobs: int,
) -> None:  # fmt: skip
    """Hide answers or settings of INPUT (samples or curves tables), forecast the vote there, and compare.

    Each split shows --fit-max-n random answers to each question at --fit-settings; a curves table is split
    once. Prints for each predictor, in percentage points, the mean absolute error, the bias (forecast −
    truth) and the worst error, and the share of 90 % intervals that contain the truth.
    """
    option.check_out(out, inputs)
    options = Options(replicates=bootstrap, seed=seed)
    others = {"fit_settings": fit_settings, "at_settings": at_settings}
    if option.caps_asked(fit_cap, at_caps, **others) and fit_cap:
        caps = CapRequest(fit_cap, at_caps, fit_max_n, at_n)
        found = backtest_caps(inputs, option.cap_predictors(predictor), method, caps, splits, options)
    else:
        request = Request(fit_max_n, None, fit_settings, at_n, at_settings)
        found = backtest_groups(inputs, predictor, method, request, splits, options, jobs)
    write_raw(found, out)
    say(printable(summary(found)))
    say(f"\n{len(found)} rows in {out}")


def backtest_groups(
    inputs: Sequence[Path], predictor: str, method: str, request: Request, splits: int, options: Options,
    jobs: int,
) -> pd.DataFrame:  # fmt: skip
    """Backtest every group of the inputs. Raises BadInput."""
    if request.fit_max_n is None and not request.fit_settings:
        raise click.UsageError("give --fit-max-n, --fit-settings or both: what the predictors are shown")
    groups = read_groups(inputs, method, request.at_n)
    tables = []
    with tqdm(total=len(groups) * splits, unit="split", disable=None) as bar:
        for group in groups:
            names = option.chosen(predictor, group)
            own = replace(
                request,
                fit_settings=_own(group, groups, request.fit_settings),
                at_settings=_own(group, groups, request.at_settings),
            )
            tables.append(backtest(group, names, own, splits, options, bar.update, jobs))
    return pd.concat(tables, ignore_index=True)


def printable(found: pd.DataFrame) -> str:
    """The summary as an aligned table, in percentage points."""
    columns = {
        "predictor": found.index.astype(str),
        "forecasts": found["forecasts"].astype(str),
        "missing": found["missing"].astype(str),
        **{key.replace("_", " "): (100 * found[key]).map("{:.2f}".format)
           for key in ("mean_error", "bias", "worst_error")},
        "coverage": (100 * found["coverage"].astype(float)).map("{:.0f} %".format),
    }  # fmt: skip
    return table(
        {head: ["–" if "nan" in cell else cell for cell in cells] for head, cells in columns.items()}
    )


def _own(group: Group, groups: Sequence[Group], asked: tuple[str, ...]) -> tuple[str, ...]:
    """The settings `asked` for that `group` has or that no group has; all of them where that leaves none."""
    known = {name for one in groups for name, _ in one.points.settings()}
    here = {name for name, _ in group.points.settings()}
    own = tuple(name for name in asked if name in here or name not in known)
    return own or asked
