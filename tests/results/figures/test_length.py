"""Trends along reasoning length: the paper's forms come back, and a fit that does not hold is not drawn."""

import numpy as np
import pandas as pd
import pytest

from results.figures.length import fit_trends, length_figure
from results.figures.panels import axis_range, make_panels
from results.tables.status import Status
from tests.results.figures.made import curves, rows_of


def test_trends_recover_the_papers_form():
    """Acc(T, 1) = 0.7 − 0.5 e^(−0.3 T) and Acc(T, 16) = 0.95 − 0.8 e^(−4 Acc(T, 1)²) come back."""
    lengths = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    one = 0.7 - 0.5 * np.exp(-0.3 * lengths)
    many = 0.95 - 0.8 * np.exp(-4 * one**2)
    table = pd.concat(
        curves([str(x) for x in lengths], (n,), 0, tokens_per_answer=lengths, accuracy=value)
        for n, value in ((1, one), (16, many))
    )
    first, second = fit_trends(make_panels(table)[0]).values()
    np.testing.assert_allclose(
        [first.curve.alpha, first.curve.beta, first.curve.rate], [0.7, 0.5, 0.3], rtol=1e-5
    )
    np.testing.assert_allclose(
        [second.curve.alpha, second.curve.beta, second.curve.rate], [0.95, 0.8, 4], rtol=1e-3
    )
    between = np.array([1.5, 3.0, 11.0])
    np.testing.assert_allclose(
        second(between), 0.95 - 0.8 * np.exp(-4 * (0.7 - 0.5 * np.exp(-0.3 * between)) ** 2), atol=1e-5
    )


def test_trends_are_fitted_in_length_where_one_answer_shows_no_gap():
    names = ["1", "2", "4", "8"]
    step, rise = np.array([0.1, 0.4, 0.4, 0.4]), 0.9 - 0.5 * np.exp(-0.5 * np.array([1, 2, 4, 8]))
    table = pd.concat(
        curves(names, (n,), 0, tokens_per_answer=[1.0, 2.0, 4.0, 8.0], accuracy=value)
        for n, value in ((1, step), (4, rise))
    )
    (panel,) = make_panels(table)
    first, second = fit_trends(panel).values()
    assert first.curve.status == Status.BOUND_HIT
    assert second.single is None
    assert second.curve.rate == pytest.approx(0.5, rel=1e-5)


def test_a_trend_that_its_own_status_rejects_is_not_drawn_and_said():
    """At N = 16 the accuracy zigzags by far more than any curve follows."""
    lengths = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    one = 0.7 - 0.5 * np.exp(-0.3 * lengths)
    many = 0.95 - 0.8 * np.exp(-4 * one**2)
    zigzag = many + 0.1 * np.array([1, -1, 1, -1, 1])
    table = pd.concat(
        curves([str(x) for x in lengths], (n,), 0, tokens_per_answer=lengths, accuracy=value)
        for n, value in ((1, one), (4, many), (16, zigzag.clip(0, 1)))
    )
    (panel,) = make_panels(table)
    rejected = [n for n, fit in fit_trends(panel).items() if fit.status is not Status.OK]
    figure = length_figure(panel, axis_range(panel))
    spec = figure.page_spec()
    thin = next(layer for layer in spec["layer"] if layer["mark"].get("style") == "thin")
    assert rejected == [16]
    assert {row["N"] for row in spec["datasets"][thin["data"]["name"]]} == {16}
    assert set(rows_of(figure, "line")["N"]) == {1, 4}
    assert "(N = 16)" in figure.subtitle[-1]


def test_two_lengths_have_no_trend():
    assert fit_trends(make_panels(curves())[0]) == {}
