"""The commands of `python -m predict`.

$ python -m predict forecast results/cached/curves.csv --out forecast.csv --fit-max-n 8
llama on gsm8k (llm, majority): low-cost-to-high
setting  N   accuracy  predicted  90 %         status
500      64  0.812     0.831      0.801-0.857  ok
"""

from pathlib import Path

import click
import pandas as pd

from predict.data import Group, read_groups
from predict.forecast import forecast, warnings
from predict.predictors import PREDICTORS
from predict.protocol import Options
from predict.split import Request
from results import BadInput, write_forecast

LINES = 24
"""Rows of one table that are printed; the file holds all."""


def names(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[str, ...]:
    """The names in "low,high"."""
    return tuple(part.strip() for part in (value or "").split(",") if part.strip())


def numbers(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[int, ...]:
    """The numbers in "16,64", each at least 1."""
    if value is None:
        return ()
    try:
        found = tuple(int(part) for part in value.split(","))
    except ValueError:
        found = (0,)
    if min(found) < 1:
        raise click.BadParameter(f"{value!r} is not a list of whole numbers from 1 up, like 16,64")
    return found


@click.group()
def main() -> None:
    """Forecast the accuracy of more answers and longer reasoning from a cheap sample of both."""


@main.command(
    "forecast", epilog="Example: python -m predict forecast results/cached/curves.csv --out forecast.csv"
)
@click.argument("inputs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="INPUT...")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Forecast table to write.")
@click.option(
    "--predictor",
    default="default",
    show_default="mixture, or low-cost-to-high on curves",
    help=f"One of {', '.join(PREDICTORS)}, or all that can.",
)
@click.option("--method", type=click.Choice(["majority", "best_of_n"]), default="majority", show_default=True)
@click.option("--fit-max-n", type=click.IntRange(1), help="Look at N (of samples: answers) up to this.")
@click.option("--fit-max-tokens", type=float, help="Look at settings up to this many tokens per answer.")
@click.option("--fit-settings", callback=names, help="Look at these settings only.")
@click.option("--at-n", callback=numbers, help="Forecast these N.")
@click.option("--at-settings", callback=names, help="Forecast these settings; NAME=LENGTH for a new one.")
@click.option(
    "--bootstrap",
    default=1000,
    show_default=True,
    type=click.IntRange(0),
    help="Replicates; 0: no intervals.",
)
@click.option(
    "--target",
    type=click.Choice(["population", "these-questions"]),
    default="population",
    show_default=True,
    help="Whether intervals are for new questions of the same kind or for these.",
)
@click.option("--seed", default=0, show_default=True)
def forecast_command(
    inputs: tuple[Path, ...], out: Path, predictor: str, method: str, fit_max_n: int | None,
    fit_max_tokens: float | None, fit_settings: tuple[str, ...], at_n: tuple[int, ...],
    at_settings: tuple[str, ...], bootstrap: int, target: str, seed: int,
) -> None:  # fmt: skip
    """Forecast every model and dataset in INPUT (samples or curves tables).

    Without --fit-… and --at-… options the cheaper half is fitted and the rest held out to compare with: of
    four settings or more the cheapest half (at least three) with every N, else every setting with N up to
    half of the largest.
    """
    groups = read_groups(inputs, method, at_n)
    request = Request(fit_max_n, fit_max_tokens, fit_settings, at_n, at_settings, bootstrap, seed)
    options = Options(replicates=bootstrap, seed=seed, target=target)
    tables = []
    for group in groups:
        table = forecast(group, request, chosen(predictor), options)
        show(group, table)
        tables.append(table)
    write_forecast(pd.concat(tables, ignore_index=True), out)
    click.echo(f"{sum(map(len, tables))} rows in {out}")


def chosen(predictor: str) -> list[str]:
    """The predictors meant by --predictor."""
    if predictor == "default":
        return ["low-cost-to-high"]
    if predictor == "all":
        return list(PREDICTORS)
    if predictor not in PREDICTORS:
        raise BadInput(f"--predictor {predictor!r}: expected one of {', '.join(PREDICTORS)}, all")
    return [predictor]


def show(group: Group, table: pd.DataFrame) -> None:
    """Print the forecasts, and on stderr what is wrong with them."""
    for name, part in table.groupby("predictor", sort=False):
        used = part[part["role"] == "used"]
        asked = part[part["role"] != "used"] if len(used) < len(part) else used
        click.echo(f"\n{group.name}: {name}")
        click.echo(printable(asked.head(LINES)))
        if len(asked) > LINES:
            click.echo(f"… {len(asked) - LINES} more in the file")
    for sentence in warnings(table):
        click.echo(f"warning: {group.name}: {sentence}", err=True)


def printable(rows: pd.DataFrame) -> str:
    """Rows of a forecast table as aligned text; "-" where a number is not known."""
    shown = pd.DataFrame(
        {
            "setting": rows["setting"],
            "N": rows["N"].astype(str),
            "accuracy": _number(rows["accuracy"]),
            "predicted": _number(rows["predicted"]),
            "90 %": _number(rows["low"]) + " … " + _number(rows["high"]),
            "status": rows["status"],
        }
    )
    return str(shown.to_string(index=False))


def _number(values: "pd.Series[float]") -> "pd.Series[str]":
    return values.map(lambda value: "-" if pd.isna(value) else f"{value:.3f}")
