"""`python -m predict backtest`: how good each predictor is on answers or settings hidden from it."""

from collections.abc import Sequence
from pathlib import Path

import click
import pandas as pd
from tqdm import tqdm

from predict.backtest import backtest, summary
from predict.capped import CapRequest
from predict.cli import options as option
from predict.cli.capped import backtest_caps
from predict.groups import Group, read_groups
from predict.protocol import Options
from predict.split import Request
from results.aligned import aligned
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
        table = backtest_caps(inputs, option.cap_predictors(predictor), method, caps, splits, options)
    else:
        settings = (fit_settings, at_settings)
        table = backtest_groups(inputs, predictor, method, fit_max_n, settings, at_n, splits, options, jobs)
    write_raw(table, out)
    click.echo("\n".join(printable(summary(table))))
    click.echo(f"\n{len(table)} rows in {out}")


def backtest_groups(
    inputs: Sequence[Path], predictor: str, method: str, fit_max_n: int | None,
    settings: tuple[tuple[str, ...], tuple[str, ...]], at_n: tuple[int, ...], splits: int, options: Options,
    jobs: int,
) -> pd.DataFrame:  # fmt: skip
    """Backtest every group of the inputs, with (fitted, forecast) `settings`. Raises BadInput."""
    if fit_max_n is None and not settings[0]:
        raise click.UsageError("give --fit-max-n, --fit-settings or both: what the predictors are shown")
    groups = read_groups(inputs, method, at_n)
    tables = []
    with tqdm(total=len(groups) * splits, unit="split", disable=None) as bar:
        for group in groups:
            names = option.chosen(predictor, group)
            fit, at = (_own(group, groups, asked) for asked in settings)
            request = Request(fit_max_n, None, fit, at_n, at)
            tables.append(backtest(group, names, request, splits, options, bar.update, jobs))
    return pd.concat(tables, ignore_index=True)


ERRORS = ("mean_error", "bias", "worst_error")


def printable(found: pd.DataFrame) -> list[str]:
    """The summary as an aligned table, in percentage points."""
    body = [
        [
            str(name), str(row["forecasts"]), str(row["missing"]),
            *("–" if pd.isna(row[key]) else f"{100 * row[key]:.2f}" for key in ERRORS),
            "–" if pd.isna(row["coverage"]) else f"{100 * row['coverage']:.0f} %",
        ]
        for name, row in found.astype(object).iterrows()
    ]  # fmt: skip
    return aligned(
        [["predictor", "forecasts", "missing", "mean error", "bias", "worst error", "coverage"], *body]
    )


def _own(group: Group, groups: Sequence[Group], asked: tuple[str, ...]) -> tuple[str, ...]:
    """The settings `asked` for that `group` has or that no group has; all of them where that leaves none."""
    known = {name for one in groups for name, _ in one.points.settings()}
    here = {name for name, _ in group.points.settings()}
    own = tuple(name for name in asked if name in here or name not in known)
    return own or asked
