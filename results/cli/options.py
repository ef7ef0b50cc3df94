"""Options shared by several commands of `results`."""

from collections.abc import Callable, Collection
from functools import wraps
from pathlib import Path
from typing import Any

import click

from results.arguments import WIDTH, number_of
from results.command_help import INPUT, OUTPUT, about
from results.terminal import plural

SAMPLES = click.argument("samples", nargs=-1, required=True, type=click.Path(path_type=Path))
"""The argument SAMPLES: files of samples, or run folders."""


def out_option(words: str, required: bool = True, folder: bool = False) -> Callable[..., Any]:
    """The option --out."""
    place = click.Path(path_type=Path, file_okay=not folder)
    return about(OUTPUT, click.option("--out", required=required, type=place, help=words))


def table_out(required: bool = True) -> Callable[..., Any]:
    """The option --out of a table."""
    return out_option("File to write (.csv, .jsonl, .parquet, .tex).", required)


def picture_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options --plot, --width and --bare, as one `plot`: a Picture (see results.pictures), or None."""

    @wraps(command)
    def drawing(*args: Any, plot: Path | None, width: float | None, bare: bool, **options: Any) -> Any:
        picture = None
        if plot is not None:
            from results.pictures import Picture  # needs a plotting engine

            picture = Picture(plot, width, bare)
        else:
            refuse_given(["width", "bare"], "is for --plot")
        return command(*args, plot=picture, **options)

    words = "Picture to write (.png, .svg, .pdf, .html)."
    where = click.option("--plot", type=click.Path(path_type=Path), help=words)
    words = "With --plot: print the picture's text, for a caption, instead of drawing a title."
    untitled = click.option("--bare", is_flag=True, help=words)
    optioned: Callable[..., Any] = about(OUTPUT, where, WIDTH.option("--width"), untitled)(drawing)
    return optioned


def cheap_option(what_it_tells: str) -> Callable[..., Any]:
    """The option --with CHEAP, as `cheap`."""
    words = f"Samples of a cheaper model or setting that answered these questions and more: {what_it_tells}"
    cheap = click.option("--with", "cheap", type=click.Path(path_type=Path), metavar="CHEAP", help=words)
    return about(INPUT, cheap)


def price_option() -> Callable[..., Any]:
    """The option --price MODEL=USD, as `prices`: the Price of each model."""
    words = (
        "Price of a model in US dollars per million answer tokens; IN:OUT also prices prompt tokens, and "
        "IN:CACHED:OUT prices cached prompt tokens separately. Give it once per model. Costs are then in "
        "dollars. Without it, the column `cost` is used if every answer has one."
    )
    price = click.option(
        "--price", "prices", multiple=True, metavar="MODEL=USD", callback=_prices, help=words
    )
    return about(INPUT, price)


def _prices(_context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, Any]:
    from results.tables.money import Price

    prices = {}
    for text in given:
        name, _, numbers = text.rpartition("=")
        amounts = [number_of(number.strip().removeprefix("$")) for number in numbers.split(":")]
        known = all(isinstance(amount, int | float) and 0 < amount < float("inf") for amount in amounts)
        if not (name and known and len(amounts) <= 3):
            raise click.BadParameter(
                f"{text!r}: give MODEL=USD, MODEL=IN:OUT or MODEL=IN:CACHED:OUT, a name and numbers above 0."
            )
        if name in prices:
            raise click.BadParameter(f"{text!r}: {name} has a price already.")
        *prompts, answers = amounts
        prices[name] = Price(answers, *prompts)
    return prices


def refuse_given(names: Collection[str], because: str) -> None:
    """Raise click.UsageError if one of these options was given but has no effect, `because` …"""
    context = click.get_current_context()
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in names and source is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option.opts[0]} {because}")


def rows_written(samples: tuple[Path, ...], rows: int, out: Path) -> str:
    """ "small, large -> compare.csv: 4 rows"."""
    return f"{', '.join(map(str, samples))} -> {out}: {plural(rows, 'row')}"
