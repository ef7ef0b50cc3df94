"""Forecasts from curves alone: observed points are kept, and the number of draws does not move the mean."""

from dataclasses import replace

import numpy as np
import pytest

from predict.curves.from_curves import from_curves
from predict.curves.law_forecast import means_by_law
from predict.estimate import Options
from predict.evidence.points import Evidence, Points
from results.votes.multinomial import vote_accuracy

T, N = np.array([1.0, 2.0, 4.0]), np.array([1, 2, 4, 8, 16])


def curves() -> Evidence:
    """Votes on 200 questions, right more often as T grows, against three wrong answers."""
    rng = np.random.default_rng(0)
    difficulty, shares = rng.normal(0, 1.2, 200), rng.dirichlet([2, 1, 1], 200)
    rows = []
    for t in T:
        p = 1 / (1 + np.exp(difficulty - np.log(t)))
        laws = np.column_stack([p, (1 - p)[:, None] * shares])
        rows.append(vote_accuracy(laws, np.zeros(200, int), N).mean(axis=0))
    points = Points(np.repeat(T.astype(str), len(N)), np.repeat(T, len(N)), np.tile(N, len(T)))
    return Evidence(points, np.concatenate(rows), np.full(len(points), 0.01))


PLACES = Points(np.array(["1.0", "4.0", "new"]), np.array([1.0, 4.0, 8.0]), np.array([8, 64, 16]))


def test_a_point_that_was_observed_is_kept_with_its_standard_error() -> None:
    found = from_curves(curves(), PLACES[:1], Options(200))
    assert found.mean == pytest.approx(curves().accuracy[3:4], abs=1e-12)
    assert found.new.high - found.new.low == pytest.approx([2 * 1.645 * 0.01], rel=1e-3)
    assert found.these.high - found.these.low == pytest.approx([2 * 1.645 * 0.01 * np.sqrt(0.1)], rel=1e-3)


@pytest.mark.parametrize("without", [slice(None), slice(1), slice(-3, None)])
def test_without_all_standard_errors_there_is_no_interval(without: slice) -> None:
    bare = curves()
    bare.stderr[without] = np.nan
    found = from_curves(bare, PLACES, Options(200))
    assert np.isfinite(found.mean).all()
    assert np.isnan(found.these.low).all()


def test_half_the_change_over_a_forecast_length_is_an_independent_error() -> None:
    seen, new = curves(), PLACES[2:]
    shorter, longer = (
        means_by_law("majority", seen.points, seen.accuracy, replace(new, T=new.T * np.exp(by)))
        for by in (-0.2, 0.2)
    )
    found = (from_curves(seen, replace(new, spread=np.array([by])), Options(200)) for by in (0, 0.2))
    sure, unsure = (one.mean - one.new.low for one in found)
    assert unsure == pytest.approx(np.hypot(sure, 1.645 * (longer - shorter) / 2), rel=1e-3)
