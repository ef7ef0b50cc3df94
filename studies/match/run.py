"""The twins that explain a language model's curves.

$ python -m studies.match.run results/cached/tiny.csv --out match.csv
"""

from pathlib import Path
from typing import Any

import click

from results import run
from results.cli.options import table_out
from results.command_help import Command
from results.read_options import reading_options
from synthetic.cli import JOBS_OPTION, SEED_OPTION


@click.command(
    cls=Command, epilog="Example: python -m studies.match.run results/cached/tiny.csv --out match.csv"
)
@click.argument("tables", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--fit-max-n", default=4, type=click.IntRange(1), help="Fit N up to this; predict the rest.")
@click.option("--figure", type=click.Path(path_type=Path), help="Draw to this .png, .svg or .pdf.")
@SEED_OPTION
@JOBS_OPTION
@table_out()
@reading_options
def match(tables: tuple[Path, ...], figure: Path | None, out: Path, **options: Any) -> None:
    """Find the twins that explain a language model's curves.

    They predict the rest of each curve. TABLES are curves, or samples, which also give histograms of each
    question's accuracy. Beside OUT, a forecast table, NAME.settings.csv lists the settings (n, d, k,
    sigma_eps, t) with their weights.
    """
    from results import BadInput, write_forecast
    from results.commandline import warnings_last
    from results.tables.files import check_suffix, write_raw
    from studies.match import matching
    from studies.match.words import answer, one_twin, verdict, with_steps

    check_suffix(out)
    if figure is not None:
        from studies.match.figure import save_picture

        if figure.suffix not in (".png", ".svg", ".pdf"):
            raise BadInput(f"{figure}: a picture ends in .png, .svg or .pdf")
    with warnings_last():
        curves, shares = matching.read_tables(tables)
        matches = matching.match_all(curves, shares, **options)
    write_forecast(with_steps(matches), out)
    write_raw(matching.settings_table(matches), out.with_suffix(".settings.csv"))
    if figure is not None:
        save_picture(matches, figure)
    for line in (*map(verdict, matches), *one_twin(matches)):
        click.echo(line)
    click.echo(f"{answer(matches)} -> {out}")


if __name__ == "__main__":
    run(match, "python -m studies.match.run")
