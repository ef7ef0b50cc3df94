"""The options that several commands of `predict` share."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

import click

from results.commandline import numbers
from results.normal import FORECAST_LEVEL
from results.read_options import reading_options

PREDICTORS = (
    "default",
    "survival",
    "question-law",
    "low-cost-to-high",
    "flat",
    "exponential",
    "power-law",
    "joint",
    "beta-binomial",
    "plug-in",
    "mixture",
)

Command = TypeVar("Command", bound=Callable[..., object])


def names(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[str, ...]:
    """The names in "low,high"."""
    return tuple(part.strip() for part in (value or "").split(",") if part.strip())


def file(name: str, help_: str, required: bool = False) -> Callable[[Command], Command]:
    """An option whose value is a file to write."""
    return click.option(name, required=required, type=click.Path(path_type=Path), help=help_)


def at_settings(help_: str) -> Callable[[Command], Command]:
    """--at-settings: the settings to forecast."""
    return click.option("--at-settings", metavar="NAME,…", callback=names, help=help_)


def inputs(command: Callable[..., Any]) -> Callable[..., Any]:
    """INPUT..., and how the answers in them are read."""
    argument = click.argument(
        "inputs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="INPUT..."
    )
    return argument(reading_options(command))


class Forecastable(click.Choice):  # type: ignore[type-arg]  # older click takes no argument here
    """The methods that have a forecast."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The method. Fails where there is none, and says what there is of those that have curves."""
        if value in ("all_of_n", "best_by_score", "weighted_majority"):
            self.fail(f"there is no forecast of {value}; python -m results curves computes it", param, ctx)
        found: str = super().convert(value, param, ctx)
        return found


method = click.option(
    "--method",
    type=Forecastable(["majority", "best_of_n"]),
    default="majority",
    show_default=True,
    help="How the N answers to a question become one.",
)
target = click.option(
    "--target",
    type=click.Choice(["population", "these-questions"]),
    default="these-questions",
    show_default=True,
    help="Intervals for the same questions, sampled further, or for new questions of their kind.",
)
seed = click.option("--seed", default=0, show_default=True, type=click.IntRange(0))


class Level(click.FloatRange):
    """The level of intervals: a share that is a number."""

    def __init__(self) -> None:
        super().__init__(0.5, 0.9999)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The share. Fails where it is not a number, which no range refuses."""
        found = float(super().convert(value, param, ctx))
        if found != found:
            self.fail("nan is not a number", param, ctx)
        return found


level = click.option(
    "--level",
    type=Level(),
    default=FORECAST_LEVEL,
    show_default=True,
    help="The share of cases in which an interval contains the true value.",
)
fit_max_n = click.option(
    "--fit-max-n",
    type=click.IntRange(1),
    help="Fit N up to this; of samples, this many answers to each question.",
)
fit_settings = click.option(
    "--fit-settings", metavar="NAME,…", callback=names, help="Fit these settings only, as low,medium."
)
at_n = click.option("--at-n", metavar="N,…", callback=numbers, help="Forecast these N, as 16,64.")


def sampled(predictor: str, replicates: int, least: int = 0) -> Callable[[Command], Command]:
    """What forecast, backtest and plan share: inputs, predictor, method, caps, replicates and seed."""
    every, none = ("", "") if least else (", or all that apply", "; 0: no intervals")
    options: list[Callable[[Any], Any]] = [
        inputs,
        click.option(
            "--predictor",
            metavar="NAME" if least else "NAME,…",
            default=predictor,
            show_default=True,
            help=f"{'One' if least else 'Some'} of {', '.join(PREDICTORS)}{every}.",
        ),
        method,
        click.option(
            "--fit-cap",
            metavar="TOKENS",
            type=click.IntRange(1),
            help="See only what a run stopped at this many tokens per answer would show.",
        ),
        click.option(
            "--at-caps",
            metavar="TOKENS,…",
            callback=numbers,
            help="With --fit-cap: forecast these caps, as 16000,32000.",
        ),
        click.option(
            "--bootstrap",
            default=replicates,
            show_default=True,
            type=click.IntRange(least, 10**5),
            help=f"Bootstrap replicates for the intervals{none}.",
        ),
        level,
        seed,
    ]
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)
