"""results.paired.verdict: the three words, and what contradicts itself."""

import numpy as np
import pytest

from results.normal import Interval
from results.paired.verdict import overall, verdict, verdicts


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (0.01, 0.05, "better"),
        (-0.05, -0.01, "worse"),
        (-0.01, 0.05, "undecided"),
        (0.0, 0.05, "undecided"),
        (np.nan, np.nan, "undecided"),
    ],
)
def test_the_word_follows_from_the_interval(low, high, word):
    assert verdict(low, high) == word
    assert verdicts(Interval(np.array([low]), np.array([high]), 0.95)) == [word]


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
