"""The command `report` of the results room.

$ python -m results report results/cached/gsm8k-curves.csv --out report
report: 12 figures -> report/index.html (1.3 MB)
"""

from datetime import UTC, datetime
from pathlib import Path

import click

from results.commandline import BadInput
from results.tables.files import replacing

CACHED = Path(__file__).parents[1] / "cached"


@click.command(epilog="Example: python -m results report curves.csv twin.csv forecast.csv --out report")
@click.argument("inputs", nargs=-1, type=click.Path(path_type=Path), metavar="[TABLES]...")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The folder to write into.")
def report(inputs: tuple[Path, ...], out: Path) -> None:
    """Write OUT/index.html, a page that opens offline, and each of its figures as PNG and SVG.

    TABLES are curves (of `results curves` or `synthetic run`), forecasts (`predict forecast`) and claims
    (`synthetic claims`), told apart by their columns. Without any, those that ship with it are shown.
    """
    from results.report.page import build_report, read_tables

    paths = list(inputs) or cached_tables()
    notes = CACHED / "README.md"
    tables = read_tables(paths, notes.read_text(encoding="utf-8") if not inputs and notes.exists() else "")
    files = build_report(tables, datetime.now(UTC), progress=True)
    for name in sorted(files, key=lambda name: name == "index.html"):  # the page last: it names the others
        content = files[name]
        with replacing(out / name) as temporary:
            temporary.write_bytes(content if isinstance(content, bytes) else content.encode())
    size = len(str(files["index.html"]).encode()) / 1e6
    click.echo(f"report: {len(files) // 2} figures -> {out / 'index.html'} ({size:.1f} MB)")


def cached_tables() -> list[Path]:
    """The tables that ship with the project and can be shown. Raises BadInput where there are none."""
    found = [path for path in sorted(CACHED.glob("*.csv")) if _is_shown(path)]
    if not found:
        raise BadInput(f"no tables given, and none in {CACHED}: expected curves or forecasts to show")
    return found


def _is_shown(path: Path) -> bool:
    from results.report.claims import is_claims
    from results.tables.contract import kind_of

    try:
        return is_claims(path) or kind_of(path) in ("curves", "forecast")
    except BadInput:  # other tables may ship there too
        return False
