"""Options that the commands share, and how their values are read.

--at-n 16,64  ->  (16, 64)      --predictor all  ->  ["low-cost-to-high", "flat", …]
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from predict.capped import CAP_PREDICTORS, SURVIVAL
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
    "--method",
    type=click.Choice(["majority", "best_of_n"]),
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


def out(help_: str, required: bool = True) -> Callable[[Command], Command]:
    """--out: the table to write."""
    return click.option("--out", required=required, type=click.Path(path_type=Path), help=help_)


def predictor(default: str, more: str = ", or all that apply") -> Callable[[Command], Command]:
    """--predictor: one of them, or all."""
    help_ = f"One of {', '.join(PREDICTORS)}{more}."
    return click.option("--predictor", default=default, show_default=True, help=help_)


def bootstrap(default: int, least: int = 0) -> Callable[[Command], Command]:
    """--bootstrap: the number of bootstrap replicates."""
    help_ = "Bootstrap replicates for the intervals" + ("; 0: no intervals." if least == 0 else ".")
    return click.option(
        "--bootstrap", default=default, show_default=True, type=click.IntRange(least, 100_000), help=help_
    )


def caps(command: Command) -> Command:
    """--fit-cap and --at-caps: look at a run as if it had been stopped at a hard cap."""
    command = click.option(
        "--at-caps", callback=numbers, help="With --fit-cap: forecast these caps, as 16000,32000."
    )(command)
    return click.option(
        "--fit-cap",
        type=click.IntRange(1),
        help="See only what a run stopped at this many tokens per answer would show.",
    )(command)


def caps_asked(fit_cap: int | None, at_caps: tuple[int, ...], **others: object) -> bool:
    """Whether caps are asked for; a usage error where only half of them is, or another axis beside them."""
    if at_caps and fit_cap is None:
        raise click.UsageError("--at-caps needs --fit-cap: where the run is stopped")
    if fit_cap is None:
        return False
    if not at_caps:
        raise click.UsageError("--fit-cap needs --at-caps: the caps to forecast")
    for name, value in others.items():
        if value:
            raise click.UsageError(f"--{name.replace('_', '-')} does not go with --fit-cap")
    return True


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
