"""The tables of reproduction.md and trained.md, written from the claims and the weights that ship.

$ python docs/twin/make.py             every table between its markers, e.g. <!-- begin claims n-l-… -->
"""

import re
import sys
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import pandas as pd

from synthetic.panels.experiments import EXPERIMENTS
from synthetic.trained.examination import examine, learned_table
from synthetic.trained.summary import summary
from synthetic.trained.weights import SHIPPED, read_weights

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGES = [HERE.parent / f"{name}.md" for name in ("reproduction", "trained")]
BLOCK = re.compile(r"(<!-- begin (\S+) (.*?) ?-->\n).*?(<!-- end -->)", re.DOTALL)


def main() -> None:
    """Write the tables of the twin's pages."""
    for path in PAGES:
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")


def filled(page: str, kinds: tuple[str, ...] = ()) -> str:
    """The page with every block (of these kinds, or of all) written anew."""

    def block(found: re.Match[str]) -> str:
        start, kind, names, end = found.groups()
        if kinds and kind not in kinds:
            return found[0]
        return f"{start}\n{WRITERS[kind](names.split())}\n\n{end}"

    return BLOCK.sub(block, page)


def claims(names: list[str]) -> str:
    """Rows of results/cached/claims.csv, each claim under its verdict; ✗ marks rows that do not hold."""
    table = pd.read_csv(ROOT / "results/cached/claims.csv")
    lines = []
    for name in names:
        rows = table[table["claim"] == name]
        lines.append(f"* `{name}` **{rows['verdict'].iloc[0]}**.")
        for quantity, part in rows.groupby("quantity", sort=False):
            told = (f"{row.setting}: {measured(row)}{'' if row.holds else ' ✗'}" for row in part.itertuples())
            lines.append(f"  {quantity}: {'; '.join(told)}.")
    return "\n".join(lines)


def measured(row: Any) -> str:
    """The value with its interval: at least two digits, the ends with as many decimals."""
    size = abs(row.measured)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3 if size >= 0.01 else 4
    value, low, high = (f"{one:,.{digits}f}" for one in (row.measured, row.low, row.high))
    return value if low == high else f"{value} [{low}, {high}]"


def settings(names: list[str]) -> str:
    """The numbers that the lines of an experiment share."""
    lines = [line.setting for line in EXPERIMENTS[names[0]].variants]
    shared = {one.name: {getattr(line, one.name) for line in lines} for one in fields(lines[0])}
    numbers = {name: next(iter(values)) for name, values in shared.items() if len(values) == 1}
    shown = (f"{name} = {value:.4g}" for name, value in numbers.items() if isinstance(value, int | float))
    return ", ".join(shown) + "."


@cache
def _course() -> dict[str, str]:
    weights = read_weights(SHIPPED)
    curves = examine(weights, seed=0, tasks=None, paths=256)
    return summary(curves, learned_table(weights))


def trained(_: list[str]) -> str:
    """What `synthetic train` prints, of the weights that ship."""
    tables = "\n\n".join(f"```\n{title}\n{table}\n```" for title, table in _course().items())
    return re.sub(r" +$", "", tables, flags=re.MULTILINE)


WRITERS: dict[str, Callable[[list[str]], str]] = {
    "claims": claims, "setting": settings, "trained": trained,
}  # fmt: skip


if __name__ == "__main__":
    main()
