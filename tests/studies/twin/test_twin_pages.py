"""Numbers on the twin's pages: tables are as generated, and the prose has no other numbers."""

import re
from pathlib import Path

import numpy as np
import pytest

from results import read_curves
from studies.trained.examination import examine
from studies.trained.lessons import BINARY, LESSONS, SOFTMAX
from studies.trained.weights import SHIPPED, read_weights
from studies.twin import run as make
from tests.conftest import ROOT, needs


def named(page: Path) -> str:
    return f"{page.parent.name}-{page.stem}"


NUMBER = re.compile(r"(?<![\w.,^])\d*\.\d+(?![\w.]*\.py)")


@pytest.mark.parametrize("path", make.PAGES, ids=named)
def test_tables_are_what_their_maker_writes_from_shipped_files(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert make.BLOCK.search(page)
    assert make.filled(page) == page


CHEAP = {"fig2f"} | {dataset for dataset, _ in LESSONS if dataset not in BINARY}


SLOW = {"fig2e": "fig2e", "fig2h": "fig2h without softmax: that takes a minute"}
DATASETS = [
    pytest.param(CHEAP, id="continuous, fig2f", marks=needs("torch")),
    *(pytest.param({name}, id=SLOW[name], marks=needs("torch")) for name in SLOW),
]


@pytest.mark.parametrize("datasets", DATASETS)
def test_the_examined_curves_are_those_of_the_shipped_weights(datasets: set[str]) -> None:
    shipped = read_weights(SHIPPED)
    chosen = [key for key in shipped if key[0] in datasets and (key[0] != "fig2h" or SOFTMAX not in key[1])]
    weights = {key: shipped[key] for key in chosen}
    key = ["dataset", "model", "method", "setting", "N"]
    again = examine(weights, seed=0, tasks=None, paths=256).set_index(key)
    known = read_curves(make.EXAMINED).set_index(key).loc[again.index]
    columns = [name for name in ("accuracy", "risk", "stderr", "questions") if name in again]
    np.testing.assert_allclose(*(one[columns].astype(float) for one in (again, known)), rtol=0.01, atol=1e-9)


@pytest.mark.parametrize("path", [make.PAGES[0], make.PAGES[3]], ids=named)
def test_every_measured_number_of_the_prose_is_in_a_table(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    check_prose(page, "".join(found[0] for found in make.BLOCK.finditer(page)))


def test_every_measured_number_of_figure_3_s_page_is_in_a_table() -> None:
    """Its other tables are made by studies/figure_3/run.py."""
    page = (ROOT / "studies" / "figure_3" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|.*$", page, flags=re.MULTILINE)
    check_prose(page, "".join([*(found[0] for found in make.BLOCK.finditer(page)), *rows]))


def check_prose(page: str, tables: str) -> None:
    """Check that every decimal number in a page's prose is in one of its tables, up to rounding."""
    known = np.array([float(text.replace(",", "")) for text in re.findall(r"\d[\d,]*(?:\.\d+)?", tables)])
    prose = re.sub(r"```.*?```|`[^`]*`|Section [\d.]+", "", make.BLOCK.sub("", page), flags=re.DOTALL)
    for text in NUMBER.findall(prose):
        digits = len(text.partition(".")[2])
        assert np.isclose(known.round(digits), float(text)).any(), text
