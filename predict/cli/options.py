"""The options that several commands of `predict` share."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

import click

from results.arguments import (
    AT_CAPS,
    AT_N,
    FIT_CAP,
    FIT_MAX_N,
    LEVELS,
    METHOD,
    PLAN_REPLICATES,
    REPLICATES,
    SEED,
    TARGET,
)
from results.normal import FORECAST_LEVEL
from results.read_options import reading_options

PREDICTORS = {
    "default": "mixture of answers, question-law of curves, survival beyond a cap",
    "mixture": "how hard the questions are, from how often each is answered right",
    "question-law": "one law of questions for the curves of all settings",
    "survival": "how many answers end by each length, beyond --fit-cap",
    "low-cost-to-high": "the paper's Algorithm 3",
    "flat": "no gain",
    "exponential": "a curve that nears its limit as e^−νN",
    "power-law": "a curve that nears its limit as N^−c",
}
"""The predictors by name, and what each goes by."""

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


method = METHOD.option("--method", default="majority")
target = TARGET.option("--target", default="these-questions")
seed = SEED.option("--seed", default=0)
level = LEVELS.option("--level", default=FORECAST_LEVEL)
fit_max_n = FIT_MAX_N.option("--fit-max-n")
fit_settings = click.option(
    "--fit-settings", metavar="NAME,…", callback=names, help="Fit these settings only, as low,medium."
)
at_n = AT_N.option("--at-n")


def sampled(predictor: str, replicates: int, one: bool = False) -> Callable[[Command], Command]:
    """What forecast, backtest and plan share: inputs, `one` predictor or several, method, caps, and draws."""
    which = "One of" if one else "Some of these, or all that apply:"
    listed = "; ".join(f"{name} ({meaning})" for name, meaning in PREDICTORS.items())
    options: list[Callable[[Any], Any]] = [
        inputs,
        click.option(
            "--predictor",
            metavar="NAME" if one else "NAME,…",
            default=predictor,
            show_default=True,
            help=f"{which} {listed}.",
        ),
        method,
        FIT_CAP.option("--fit-cap"),
        AT_CAPS.option("--at-caps"),
        (PLAN_REPLICATES if one else REPLICATES).option("--bootstrap", default=replicates),
        level,
        seed,
    ]
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)
