"""results.paired.verdict: the three words, and rows that contradict each other."""

from results.paired.verdict import overall, verdict


def test_a_margin_moves_what_b_is_held_against():
    assert verdict(-0.01, 0.05, margin=0.02) == "better"
    assert verdict(-0.05, -0.01, margin=0.02) == "undecided"
    assert verdict(-0.05, -0.03, margin=0.02) == "worse"


def test_rows_that_contradict_each_other_decide_nothing():
    assert overall(["undecided", "better", "better"]) == "better"
    assert overall(["worse", "undecided"]) == "worse"
    assert overall(["undecided"]) == "undecided"
    assert overall(["better", "worse"]) == "undecided"
    assert overall(["better", "undecided"], everywhere=True) == "undecided"
    assert overall(["worse", "undecided"], everywhere=True) == "worse"
