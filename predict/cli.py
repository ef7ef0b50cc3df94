"""The commands of `python -m predict`.

$ python -m predict forecast results/cached/curves.csv --out forecast.csv --fit-max-n 8
llama on gsm8k (llm, majority): low-cost-to-high
setting  N   accuracy  predicted  90 %         status
500      64  0.812     0.831      0.801-0.857  ok
"""

from pathlib import Path

import click
import pandas as pd
from tqdm import tqdm

from predict.backtest import backtest, summary
from predict.data import Group, read_groups
from predict.forecast import forecast
from predict.plan import plan
from predict.predictors import PREDICTORS, WHY_NOT, able
from predict.protocol import Options
from predict.split import Request
from results import BadInput, write_forecast
from results.files import write_raw

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
    default="these-questions",
    show_default=True,
    help="Whether intervals are for these questions, sampled further, or for new ones of their kind.",
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
    for group in tqdm(groups, unit="group", disable=None, leave=False):
        table, notes = forecast(group, request, chosen(predictor, group), options)
        show(group, table, notes)
        tables.append(table)
    write_forecast(pd.concat(tables, ignore_index=True), out)
    click.echo(f"\n{sum(map(len, tables))} rows in {out}")


@main.command(
    "backtest",
    epilog="Example: python -m predict backtest samples.jsonl --out backtest.csv --fit-max-n 4 --at-n 8,16",
)
@click.argument("inputs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="SAMPLES...")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Table of all forecasts to write."
)
@click.option("--predictor", default="all", show_default=True, help="One predictor, or all that can.")
@click.option("--method", type=click.Choice(["majority", "best_of_n"]), default="majority", show_default=True)
@click.option("--fit-max-n", type=click.IntRange(1), required=True, help="Answers that are not hidden.")
@click.option("--at-n", callback=numbers, required=True, help="Forecast these N.")
@click.option("--splits", default=20, show_default=True, type=click.IntRange(1), help="Random splits.")
@click.option("--bootstrap", default=200, show_default=True, type=click.IntRange(0), help="Replicates.")
@click.option("--seed", default=0, show_default=True)
def backtest_command(
    inputs: tuple[Path, ...], out: Path, predictor: str, method: str, fit_max_n: int, at_n: tuple[int, ...],
    splits: int, bootstrap: int, seed: int,
) -> None:  # fmt: skip
    """Hide answers of SAMPLES, forecast the vote of all of them, and compare.

    Each split keeps --fit-max-n random answers a question. Prints, by predictor, the mean error (absolute
    difference of accuracies), the bias, the worst error and how many 90 % intervals hold the truth.
    """
    groups = read_groups(inputs, method, at_n)
    options = Options(replicates=bootstrap, seed=seed)
    tables = []
    with tqdm(total=len(groups) * splits, unit="split", disable=None) as bar:
        for group in groups:
            names_ = chosen(predictor, group)
            tables.append(backtest(group, names_, fit_max_n, at_n, splits, options, bar.update))
    table = pd.concat(tables, ignore_index=True)
    write_raw(table, out)
    click.echo(summary(table).to_string(float_format=lambda value: f"{value:.4f}"))
    click.echo(f"\n{len(table)} rows in {out}")


@main.command("plan", epilog="Example: python -m predict plan samples.jsonl --target-accuracy 0.8")
@click.argument("inputs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="INPUT...")
@click.option(
    "--target-accuracy", type=click.FloatRange(0, 1), help="Find the cheapest way to this accuracy."
)
@click.option(
    "--token-budget",
    type=click.FloatRange(0, min_open=True),
    help="Find the best way within this many tokens a question.",
)
@click.option(
    "--predictor", default="default", show_default="mixture, or joint on curves", help="One predictor."
)
@click.option("--method", type=click.Choice(["majority", "best_of_n"]), default="majority", show_default=True)
@click.option("--max-n", default=64, show_default=True, type=click.IntRange(1), help="Largest N considered.")
@click.option("--bootstrap", default=300, show_default=True, type=click.IntRange(1), help="Replicates.")
@click.option("--seed", default=0, show_default=True)
def plan_command(
    inputs: tuple[Path, ...], target_accuracy: float | None, token_budget: float | None, predictor: str,
    method: str, max_n: int, bootstrap: int, seed: int,
) -> None:  # fmt: skip
    """Choose setting and N: the cheapest that reaches an accuracy, or the best within a token budget.

    Prints every choice that beats all cheaper ones, with its 90 % interval.
    """
    if (target_accuracy is None) == (token_budget is None):
        raise click.UsageError("expected either --target-accuracy or --token-budget")
    options = Options(replicates=bootstrap, seed=seed)
    for group in read_groups(inputs, method):
        default = "mixture" if group.pools else "joint"
        name = default if predictor == "default" else chosen(predictor, group)[0]
        found = plan(group, name, max_n, options, target_accuracy, token_budget)
        click.echo(f"\n{group.name}: {name}, cost in tokens a question")
        click.echo(found.frontier.to_string(index=False, float_format=lambda value: f"{value:.4g}"))
        goal = f"accuracy {target_accuracy:g}" if token_budget is None else f"{token_budget:g} tokens"
        for word, row in (("forecast", found.chosen), ("lower end of the interval", found.cautious)):
            choice = "nothing considered" if row is None else _choice(row)
            click.echo(f"{goal}, by the {word}: {choice}")


def _choice(row: pd.Series) -> str:
    low_high = f"{row['low']:.3f} … {row['high']:.3f}"
    cost = f"{row['cost']:.4g} tokens"
    return f"setting {row['setting']}, N = {row['N']}: {cost}, {row['predicted']:.3f} ({low_high})"


def chosen(predictor: str, group: Group) -> list[str]:
    """The predictors meant by --predictor for this group. Raises BadInput for one that cannot."""
    possible = able(group.method, samples=bool(group.pools))
    if predictor == "default":
        return ["mixture" if group.pools else "low-cost-to-high"]
    if predictor == "all":
        return possible
    if predictor not in PREDICTORS:
        raise BadInput(f"--predictor {predictor!r}: expected one of {', '.join(PREDICTORS)}, all")
    if predictor not in possible and predictor != "mixture":
        raise BadInput(f"--predictor {predictor}: cannot forecast {group.name}: {WHY_NOT[predictor]}")
    return [predictor]


def show(group: Group, table: pd.DataFrame, notes: list[str]) -> None:
    """Print the forecasts, and on stderr what must be said about them."""
    for name, part in table.groupby("predictor", sort=False):
        used = part[part["role"] == "used"]
        asked = part[part["role"] != "used"] if len(used) < len(part) else used
        click.echo(f"\n{group.name}: {name}")
        click.echo(printable(asked.head(LINES)))
        if len(asked) > LINES:
            click.echo(f"… {len(asked) - LINES} more in the file")
    for sentence in notes:
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
