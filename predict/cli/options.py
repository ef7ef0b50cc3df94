"""Options that the commands share, and how their values are read.

--at-n 16,64  ->  (16, 64)      --predictor all  ->  ["low-cost-to-high", "flat", …]
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from predict.capped import CAP_PREDICTORS, SURVIVAL, CapRequest
from predict.predictors import DEFAULT, PREDICTORS
from results import BadInput
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


def cap_request(
    fit_cap: int | None, at_caps: tuple[int, ...], fit_max_n: int | None, at_n: tuple[int, ...],
    **others: object,
) -> CapRequest | None:  # fmt: skip
    """The caps asked for, if any; a usage error where half of them is missing, or with `others` beside."""
    if fit_cap is None:
        if at_caps:
            raise click.UsageError("--at-caps needs --fit-cap: where the run is stopped")
        return None
    if not at_caps:
        raise click.UsageError("--fit-cap needs --at-caps: the caps to forecast")
    for name, value in others.items():
        if value:
            raise click.UsageError(f"--{name.replace('_', '-')} does not go with --fit-cap")
    return CapRequest(fit_cap, at_caps, fit_max_n, at_n)


def cap_predictors(predictor: str) -> list[str]:
    """The predictors of dearer caps meant by --predictor. Raises BadInput for one that cannot."""
    if predictor == "all":
        return list(CAP_PREDICTORS)
    name = SURVIVAL if predictor == DEFAULT else predictor
    if name not in CAP_PREDICTORS:
        raise BadInput(
            f"--predictor {predictor} cannot forecast caps; give one of {', '.join(CAP_PREDICTORS)}, all"
        )
    return [name]
