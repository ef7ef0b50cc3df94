"""Trends along reasoning length: fits recover the paper's forms."""

import numpy as np
import pandas as pd

from results.figures.length import length_figure
from results.summary.panels import fit_trends, make_panels
from tests.results.figures.made import curves

LENGTHS = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
ONE = 0.7 - 0.5 * np.exp(-0.3 * LENGTHS)
MANY = 0.95 - 0.8 * np.exp(-4 * ONE**2)


def panel(**accuracy):
    """A panel with the given accuracies at LENGTHS for N = 1 (`n1`), 4 (`n4`), …"""
    names = [str(x) for x in LENGTHS]
    parts = ((int(n[1:]), value) for n, value in accuracy.items())
    tables = (curves(names, (n,), 0, tokens_per_answer=LENGTHS, accuracy=value) for n, value in parts)
    return make_panels(pd.concat(tables))[0]


def test_a_trend_through_three_lengths_is_said_to_meet_any_points():
    for lengths in (3, 4):
        (drawn,) = make_panels(curves("abcd"[:lengths], (1, 4), 0))
        assert ("any three points" in length_figure(drawn, (0, 1)).subtitle[-1]) == (lengths == 3)


def test_without_one_answer_there_is_no_gap_to_read():
    assert {fit.single for fit in fit_trends(panel(n4=ONE, n16=MANY)).values()} == {None}


def test_trends_recover_the_papers_form():
    """Recover Acc(T, 1) = 0.7 − 0.5 e^(−0.3 T) and Acc(T, 16) = 0.95 − 0.8 e^(−4 Acc(T, 1)²)."""
    first, second = fit_trends(panel(n1=ONE, n16=MANY)).values()
    found = [(fit.curve.alpha, fit.curve.beta, fit.curve.rate) for fit in (first, second)]
    np.testing.assert_allclose(found[0], [0.7, 0.5, 0.3], rtol=1e-5)
    np.testing.assert_allclose(found[1], [0.95, 0.8, 4], rtol=1e-3)
    between = np.array([1.5, 3.0, 11.0])
    expected = 0.95 - 0.8 * np.exp(-4 * (0.7 - 0.5 * np.exp(-0.3 * between)) ** 2)
    np.testing.assert_allclose(second(between), expected, atol=1e-5)
