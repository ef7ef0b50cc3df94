"""Options that several commands of `results` have."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

SAMPLES = click.argument("samples", nargs=-1, required=True, type=click.Path(path_type=Path))
"""Files of samples, or run folders."""


def table_out(required: bool = True) -> Callable[..., Any]:
    """The option --out of a table."""
    words = "File to write (.csv, .jsonl, .parquet)."
    return click.option("--out", required=required, type=click.Path(path_type=Path), help=words)


def price_option() -> Callable[..., Any]:
    """The option --price MODEL=USD, as `prices`: a dictionary by the name of a model."""
    words = "US dollars for a million answer tokens of a model; once for each model. Cost is then money."
    return click.option("--price", "prices", multiple=True, metavar="MODEL=USD", callback=_prices, help=words)


def _prices(_context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, float]:
    prices = {}
    for text in given:
        name, _, number = text.rpartition("=")
        try:
            price = float(number)
        except ValueError:
            price = 0.0
        if not (name and 0 < price < float("inf")):
            raise click.BadParameter(f"{text!r}: give MODEL=USD, a name and a number above 0.")
        prices[name] = price
    return prices


def rows_written(samples: tuple[Path, ...], rows: int, out: Path) -> str:
    """ "small, large -> compare.csv: 4 rows"."""
    return f"{', '.join(map(str, samples))} -> {out}: {rows} {'row' if rows == 1 else 'rows'}"
