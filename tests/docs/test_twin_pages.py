"""Numbers of the twin's pages: the tables are what their maker writes, and the prose has no other."""

import re
from pathlib import Path

import numpy as np
import pytest

from docs.twin import make
from synthetic.trained.examination import examine, learned_table
from synthetic.trained.summary import summary
from synthetic.trained.weights import SHIPPED as SHIPPED_WEIGHTS
from synthetic.trained.weights import read_weights

SHIPPED = ("claims", "setting")
NUMBER = re.compile(r"(?<![\w.,^])\d*\.\d+(?![\w.]*\.py)")


@pytest.mark.parametrize("path", make.PAGES, ids=lambda path: path.stem)
def test_tables_are_what_their_maker_writes_from_shipped_files(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert make.BLOCK.search(page)
    assert make.filled(page, SHIPPED) == page


def lines(tables: str) -> list[tuple[str, list[float]]]:
    """The words and the numbers of each line."""
    found = []
    for line in tables.splitlines():
        numbers = re.findall(r"(?<=\s)-?\d+\.?\d*(?=\s|$)", line)
        found.append(
            (" ".join(re.sub(r"(?<=\s)-?\d+\.?\d*(?=\s|$)", "", line).split()), [*map(float, numbers)])
        )
    return found


def test_tables_of_the_trained_are_what_the_shipped_weights_give() -> None:
    """All of the continuous tasks and one panel: the others take a minute."""
    weights = {
        key: one for key, one in read_weights(SHIPPED_WEIGHTS).items() if key[0] not in ("fig2e", "fig2h")
    }
    curves = examine(weights, seed=0, tasks=None, paths=256)
    page = lines(make.PAGES[1].read_text(encoding="utf-8"))
    for words, numbers in lines("\n".join(summary(curves, learned_table(weights)).values())):
        same = [other for known, other in page if known == words and len(other) == len(numbers)]
        assert any(np.allclose(other, numbers, rtol=0.01) for other in same), words


@pytest.mark.parametrize("path", make.PAGES, ids=lambda path: path.stem)
def test_every_measured_number_of_the_prose_is_in_a_table(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    tables = "".join(found[0] for found in make.BLOCK.finditer(page))
    known = np.array([float(text.replace(",", "")) for text in re.findall(r"\d[\d,]*(?:\.\d+)?", tables)])
    prose = re.sub(r"```.*?```|`[^`]*`|Section [\d.]+", "", make.BLOCK.sub("", page), flags=re.DOTALL)
    for text in NUMBER.findall(prose):
        digits = len(text.partition(".")[2])
        assert np.isclose(known.round(digits), float(text)).any(), text
