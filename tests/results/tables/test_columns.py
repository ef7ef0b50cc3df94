"""results.tables.columns: single cells, converted from what files hold to the declared type."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from results import BadInput
from results.tables.columns import conform
from results.tables.schemas import Column, Kind, Limit, Schema

UP_TO_ONE = Limit(lambda cells: cells <= 1, "at most 1")
TABLE = Schema(
    {
        "name": Column(Kind.TEXT),
        "answer": Column(Kind.TEXT, nullable=True),
        "right": Column(Kind.BOOLEAN),
        "count": Column(Kind.WHOLE, nullable=True),
        "share": Column(Kind.REAL, (UP_TO_ONE,), nullable=True),
        "needed": Column(Kind.REAL),
    },
    name="table",
)


def converted(name: str, cells: Any) -> list[Any]:
    column = conform(pd.DataFrame({name: cells}), TABLE, Path("t"))[name]
    return [None if pd.isna(cell) else cell for cell in column]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([18, 18.0, 18.5, True, "018"], ["18", "18", "18.5", "True", "018"]),
        ([18.0, np.nan], ["18", None]),
        ([1e22, 0.1 + 0.2, 1234567.0, -0.123456789], ["1e+22", "0.3", "1234567", "-0.123456789"]),
        (["", "None", "nan", "NaN", "null", "<NA>", " "], [None, "None", "nan", "NaN", "null", "<NA>", " "]),
        ([b"18", "é".encode(), None], ["18", "é", None]),
        *((np.array([18, 0.1, np.nan], kind), ["18", "0.1", None]) for kind in (np.float16, np.float32)),
        ([9007199254740991.0, 1234567890123456.0], ["9007199254740991", "1234567890123456"]),
        ([10**30, None], [str(10**30), None]),
        ([Decimal("18"), np.float32(0.1), np.float32(7), "x"], ["18", "0.1", "7", "x"]),
        (pd.Categorical(["b", None]), ["b", None]),
    ],
)
def test_text(cells, expected):
    assert converted("answer", cells) == expected


@pytest.mark.parametrize(
    "cells", [["True", "false", "1", "0"], [1, 0, 1.0, False], [True, False, "TRUE", "0.0"]]
)
def test_booleans(cells):
    assert converted("right", pd.Series(cells, dtype=object)) == [True, False, True, False]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["3", "", "nan", "4.0", " 5 "], [3, None, None, 4, 5]),
        ([3, None], [3, None]),
        (np.array([1, 2], np.uint8), [1, 2]),
        ([2**53, -(2**53)], [2**53, -(2**53)]),
        (pd.array([1, None], dtype="Int64"), [1, None]),
    ],
)
def test_whole_numbers(cells, expected):
    assert converted("count", cells) == expected


@pytest.mark.parametrize(
    ("name", "cells", "message"),
    [
        ("count", [1, -(2**53) - 2], "row 2, column 'count': found '-9007199254740994', expected a whole"),
        ("count", ["1", "1.5"], "row 2, column 'count': found '1.5', expected a whole number"),
        ("count", [True, False], "row 1, column 'count': found 'True', expected a whole number"),
        ("share", [1.0, 1.5, "x"], "row 3, column 'share': found 'x', expected a finite number"),
        ("share", [None, 1.0, 1.5], "row 3, column 'share': found '1.5', expected at most 1"),
        ("needed", [2.0, None], "row 2, column 'needed': found nothing, expected a value"),
        ("answer", ["1", b"\xff"], "row 2, column 'answer': found .*xff.*, expected text"),
        ("share", [0.5, np.inf], "row 2, column 'share': found 'inf', expected a finite number"),
        ("share", ["0.5", "-inf"], "row 2, column 'share': found '-inf', expected a finite number"),
        ("share", ["0.5", "1,5"], "row 2, column 'share': found '1,5', expected a finite number"),
        ("right", [True, None], "row 2, column 'right': found nothing, expected true or false"),
        ("right", [1, 2], "row 2, column 'right': found '2', expected true or false"),
        *(
            ("answer", ["1", cell], "row 2, column 'answer': found .*2.*, expected text")
            for cell in (["2"], {"2": 3}, ("2",), np.array([2, 3]))
        ),
    ],
)
def test_bad_cell_is_named(name, cells, message):
    with pytest.raises(BadInput, match=f"^t: {message}"):
        converted(name, cells)


def test_long_cell_is_cut_in_the_message():
    with pytest.raises(BadInput) as refused:
        converted("share", ["x" * 10_000])
    assert len(refused.value.message) < 200


def test_rows_are_counted_from_one_whatever_the_index():
    with pytest.raises(BadInput, match="row 2, column 'share'"):
        conform(pd.DataFrame({"share": ["1", "x"]}, index=[40, 41]), TABLE, Path("t"))
