"""Numbers of the twin's pages: the tables are what their maker writes, and the prose has no other."""

import contextlib
import io
import re
from pathlib import Path

import numpy as np
import pytest

from docs.twin import make

SHIPPED = ("claims", "setting")
NUMBER = re.compile(r"(?<![\w.,^])\d*\.\d+(?![\w.]*\.py)")


@pytest.mark.parametrize("path", make.PAGES, ids=lambda path: path.stem)
def test_tables_are_what_their_maker_writes_from_shipped_files(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert make.BLOCK.search(page)
    assert make.filled(page, SHIPPED) == page


@pytest.mark.parametrize("path", make.PAGES, ids=lambda path: path.stem)
def test_every_measured_number_of_the_prose_is_in_a_table(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    tables = "".join(found[0] for found in make.BLOCK.finditer(page))
    known = np.array([float(text.replace(",", "")) for text in re.findall(r"\d[\d,]*(?:\.\d+)?", tables)])
    prose = re.sub(r"```.*?```|`[^`]*`|Section [\d.]+", "", make.BLOCK.sub("", page), flags=re.DOTALL)
    for text in NUMBER.findall(prose):
        digits = len(text.partition(".")[2])
        assert np.isclose(known.round(digits), float(text)).any(), text


def test_the_python_block_prints_what_stands_below_it() -> None:
    found = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", make.PAGES[0].read_text("utf-8"), re.DOTALL)
    assert found
    code, shown = found.groups()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    assert printed.getvalue().split() == shown.split()
