"""Options that the commands share, and what they are read as.

--at-n 16,64 --fit-max-n 8                ->  Request(fit_max_n=8, at_n=(16, 64))
--fit-cap 8000 --at-caps 16000 RUN.csv    ->  a group whose settings are "cap=8000" and "cap=16000"
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import click

from predict.capped import read_capped
from predict.groups import Group, read_groups
from predict.predictors import PREDICTORS
from predict.split import Request
from results.commandline import numbers as numbers
from results.tables.contract import check_out as check_out

Command = TypeVar("Command", bound=Callable[..., object])


def names(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[str, ...]:
    """The names in "low,high"."""
    return tuple(part.strip() for part in (value or "").split(",") if part.strip())


inputs = click.argument(
    "inputs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="INPUT..."
)

method = click.option(
    "--method", type=click.Choice(["majority", "best_of_n"]), default="majority", show_default=True,
    help="How the N answers to a question become one.",
)  # fmt: skip

target = click.option(
    "--target", type=click.Choice(["population", "these-questions"]), default="these-questions",
    show_default=True,
    help="Intervals for the same questions, sampled further, or for new questions of their kind.",
)  # fmt: skip

seed = click.option("--seed", default=0, show_default=True, type=click.IntRange(0))

fit_max_n = click.option(
    "--fit-max-n", type=click.IntRange(1), help="Fit N up to this; of samples, so many answers a question."
)
fit_settings = click.option("--fit-settings", callback=names, help="Fit these settings only, as low,medium.")
at_n = click.option("--at-n", callback=numbers, help="Forecast these N, as 16,64.")


def at_settings(help_: str) -> Callable[[Command], Command]:
    """--at-settings: the settings to forecast."""
    return click.option("--at-settings", callback=names, help=help_)


def out(help_: str, required: bool = True) -> Callable[[Command], Command]:
    """--out: the table to write."""
    return click.option("--out", required=required, type=click.Path(path_type=Path), help=help_)


def sampled(predictor: str, replicates: int, least: int = 0) -> Callable[[Command], Command]:
    """What forecast, backtest and plan share: inputs, predictor, method, caps, replicates and seed."""
    every, none = ("", "") if least else (", or all that apply", "; 0: no intervals")
    options: list[Callable[[Command], Command]] = [
        inputs,
        click.option("--predictor", default=predictor, show_default=True,
                     help=f"One of {', '.join(PREDICTORS)}{every}."),
        method,
        click.option("--fit-cap", type=click.IntRange(1),
                     help="See only what a run stopped at this many tokens per answer would show."),
        click.option("--at-caps", callback=numbers,
                     help="With --fit-cap: forecast these caps, as 16000,32000."),
        click.option("--bootstrap", default=replicates, show_default=True, type=click.IntRange(least, 10**5),
                     help=f"Bootstrap replicates for the intervals{none}."),
        seed,
    ]  # fmt: skip

    def apply(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return apply


def groups(
    paths: Sequence[Path], method: str, request: Request, fit_cap: int | None, at_caps: Sequence[int]
) -> list[Group]:
    """What is in the inputs: a group a model and dataset, or with --fit-cap one a run. Raises BadInput."""
    if fit_cap is None and not at_caps:
        return read_groups(paths, method, request.at_n)
    if fit_cap is None or not at_caps:
        raise click.UsageError("--fit-cap (where the run is stopped) and --at-caps (to forecast) go together")
    if request.fit_settings or request.at_settings or request.fit_max_tokens:
        raise click.UsageError("--fit-settings, --fit-max-tokens and --at-settings do not go with --fit-cap")
    return read_capped(paths, method, fit_cap, at_caps, request.at_n)
