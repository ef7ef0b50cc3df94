"""`tts report`: one page and its figures from run folders and tables.

$ tts report results/cached/tiny.csv --out report
report: 5 figures -> report/index.html (1.3 MB)
"""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from results.cli.options import out_option, price_option
from results.command_help import OUTPUT, Command, about
from results.read_options import reading_options
from results.terminal import plural

CACHED = Path(__file__).parents[1] / "cached"
"""The tables that ship with the project."""


@click.command("report", cls=Command, epilog="Example: tts report curves.csv forecast.csv --out report")
@click.argument("inputs", nargs=-1, type=click.Path(path_type=Path), metavar="[TABLES]...")
@out_option("Folder to write to.")
@about(
    OUTPUT,
    click.option("--note", "notes", multiple=True, help="A line for the page's list of what is incomplete."),
)
@price_option()
@reading_options
def report_command(
    inputs: tuple[Path, ...], out: Path, notes: tuple[str, ...], prices: dict[str, Any]
) -> None:
    """Write OUT/index.html, a page that opens offline.

    Also writes each figure as PNG, SVG and PDF, and OUT/tables/unsteady.csv: the questions that a run answers
    right in 20 to 80 % of its answers. TABLES are run folders, samples, curves (from `tts curves` or `tts
    twin run`), comparisons (`tts compare`), forecasts, plans, backtests, fits and claims (`tts twin claims`),
    recognised by their columns. Without TABLES, the report shows those that ship with the project.
    """
    from results.report.inputs import read_tables
    from results.report.page import build_report
    from results.summary.samples import unsteady_rows
    from results.tables.files import SUFFIXES, check_place, replacing, write_raw
    from results.words.cells import readable

    check_place(out, folder=True)
    if inputs:
        tables = read_tables(inputs, prices=prices)
    else:
        cached = [path for path in sorted(CACHED.iterdir()) if path.suffix in SUFFIXES]
        tables = read_tables(cached, (CACHED / "README.md").read_text(encoding="utf-8"), prices)
    tables = replace(tables, warnings=[*tables.warnings, *map(readable, notes)])
    files = build_report(tables, datetime.now(UTC))
    page = files.pop("index.html")
    for name, content in [*files.items(), ("index.html", page)]:  # the page last, as it refers to others
        with replacing(out / name) as temporary:
            temporary.write_bytes(content)
    if len(tables.whole) and len(unsteady := unsteady_rows(tables.whole)):
        write_raw(unsteady, out / "tables" / "unsteady.csv")
    pictures = sum(name.endswith(".png") for name in files)
    click.echo(f"report: {plural(pictures, 'figure')} -> {out / 'index.html'} ({len(page) / 1e6:.1f} MB)")
