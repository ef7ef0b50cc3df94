"""Tables written by a command are placed in a page between named markers.

<!-- begin NAME -->
…
<!-- end NAME -->
"""

import re
from collections.abc import Iterable
from pathlib import Path

import click


def insert_into(pages: Iterable[Path], name: str, text: str) -> None:
    """Put `text` between the markers of this name in every page that has them, and print it."""
    click.echo(f"\n{name}\n{text}")
    pattern = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
    for path in pages:
        page = path.read_text(encoding="utf-8")
        path.write_text(pattern.sub(lambda at: f"{at[1]}\n{text}\n\n{at[2]}", page), encoding="utf-8")
