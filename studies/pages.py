"""Tables in Markdown, which a command places in a page between named markers.

<!-- begin NAME -->
…
<!-- end NAME -->
"""

import re
from collections.abc import Iterable
from pathlib import Path

import click


def markdown(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table."""
    titles = list(head)
    body = [[cell.replace("|", "\\|") for cell in cells] for cells in rows]
    first, *others = (f"| {' | '.join(cells)} |" for cells in [titles, *body])
    return "\n".join([first, "|---" * len(titles) + "|", *others])


def insert_into(pages: Iterable[Path], name: str, text: str) -> None:
    """Put `text` between the markers of this name in every page that has them, and print it."""
    click.echo(f"\n{name}\n{text}")
    pattern = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
    for path in pages:
        page = path.read_text(encoding="utf-8")
        path.write_text(pattern.sub(lambda at: f"{at[1]}\n{text}\n\n{at[2]}", page), encoding="utf-8")
