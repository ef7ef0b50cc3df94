"""Cells of tables: what is stated only once, and how numbers are written."""

from results.words.cells import Table, count, number
from results.words.names import interval, show


def test_what_every_row_says_is_said_once():
    rows = [["1", "100", "", "x", "50"], ["4", "100", "–", "x", "60"]]
    table = Table("t", ["N", "setting", "nothing", "kind", "accuracy"], rows)
    assert table.folded == [1, 2, 3]
    assert table.same == {"setting": "100", "kind": "x"}
    alone = Table("t", ["setting", "N", "low"], [["default", "1", "–"]])
    assert (alone.folded, alone.same) == ([0, 2], {})
    assert Table("t", ["a"], []).folded == []


def test_counts_are_short():
    assert [count(n) for n in (3718.4, 99.6, 64.0, float("nan"))] == ["3,718", "99.6", "64", "–"]
    assert [number(n) for n in (-0.25, float("-inf"), float("nan"))] == ["−0.25", "–", "–"]


def test_accuracies_are_per_cent_and_unknown_ones_a_dash():
    nan = float("nan")
    assert [show(p).replace("\xa0", " ") for p in (0.6362, -0.02, nan)] == ["63.6 %", "−2.0 %", "–"]
    ends = [(0.6014, 0.6677), (-0.95, 1.95), (-3.0, 1e6), (0.1, nan)]
    told = [interval(low, high).replace("\xa0", " ") for low, high in ends]
    assert told == ["60.1 … 66.8 %", "−95.0 … 195.0 %", "< −100 … > 200 %", "–"]
