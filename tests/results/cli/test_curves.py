"""`tts curves`: how its reading options treat the same answers."""

import pytest

from results import read_curves
from tests.results.cli.command import results


def test_answers_are_read_as_told(tmp_path):
    rows = "question_id,sample,answer,gold\nq,0,18.0,18\nq,1,7,18\nq,2,$7,18\nr,0,5,5\nr,1,-,5\nr,2,-,5\n"
    (tmp_path / "s.csv").write_text(rows)
    found = {}
    for options in ((), ("--as-written",), ("--unreadable", "-"), ()):  # an option ends with its command
        common = ["--method", "majority,all_of_n", "--n", "1,3", "--permutations", 0]
        assert results("curves", tmp_path / "s.csv", *common, *options, "--out", tmp_path / "c.csv") == 0
        found[options] = read_curves(tmp_path / "c.csv")["accuracy"].tolist()
    assert found[()] == pytest.approx([1 / 3, 0, 1 / 3, 0])
    assert found[("--as-written",)] == pytest.approx([1 / 6, 0, 1 / 6, 0])
    assert found[("--unreadable", "-")] == pytest.approx([1 / 3, 1 / 2, 1 / 3, 0])
