"""results.paired.verdict: the word for all rows, also where they contradict each other."""

from results.paired.verdict import overall


def test_rows_that_contradict_each_other_decide_nothing():
    assert overall(["undecided", "better", "better"]) == "better"
    assert overall(["worse", "undecided"]) == "worse"
    assert overall(["undecided"]) == "undecided"
    assert overall(["better", "worse"]) == "undecided"
    assert overall(["better", "undecided"], everywhere=True) == "undecided"
    assert overall(["worse", "undecided"], everywhere=True) == "worse"
