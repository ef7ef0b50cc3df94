"""results.tables.formulas: nothing that a spreadsheet may treat as a cell starts like a formula."""

import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.tables.files import read_raw, write_raw
from results.tables.formulas import as_told, harmless

BAD = [
    "=cmd|'/C calc'!A0",
    "@SUM(1)",
    "+cmd|x",
    "-2+3+cmd|x",
    "'=1",
    "=",
    "+HYPERLINK(x)",
    "\t=1",
    "\tx",
    "\r=1",
]
BAD_INSIDE = ["x;=1+1", "x\t=1", "x\n=1", "a;b;@SUM(1)", "x;-1+cmd|y", ";=", "1;'=1"]
GOOD = ["-5", "+3.5", "-x", "a=b", "'", "18", "x@y", "-\\frac{1}{2}", "", "a; b", "x;-1", "3 = 3", "it's"]


@pytest.mark.parametrize("cell", BAD)
def test_a_formula_is_quoted_at_the_start(cell):
    assert harmless(cell).startswith("'")
    assert as_told(harmless(cell)) == cell


@pytest.mark.parametrize("cell", BAD_INSIDE)
def test_a_formula_is_quoted_where_a_cell_may_be_split(cell, tmp_path):
    assert not any(re.match("[=@]|[+-].*[|!(]", part) for part in re.split(r"[;\t\r\n]", harmless(cell)))
    assert as_told(harmless(cell)) == cell
    write_raw(pd.DataFrame({"name": [cell]}), tmp_path / "t.csv")
    assert list(read_raw(tmp_path / "t.csv", ("name",))["name"]) == [cell]


@pytest.mark.parametrize("cell", GOOD)
def test_what_is_no_formula_stays(cell):
    assert harmless(cell) == as_told(cell) == cell


@given(st.text(st.sampled_from("='@+-(|!;\t\r\n1x")))
def test_every_cell_comes_back(cell):
    assert as_told(harmless(cell)) == cell


def test_a_long_cell_costs_no_time():
    for cell in (";+" * 50_000, "'" * 100_000, "+" * 100_000, ";'" * 50_000):
        assert as_told(harmless(cell)) == cell
