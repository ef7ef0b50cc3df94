"""Predictions: intervals are the middle of their draws and hold the mean; a bad mean has a status."""

import numpy as np
import pytest

from predict.estimate import Status, everywhere, with_interval


def test_intervals_statuses_and_means_that_cannot_be() -> None:
    mean = np.array([0.5, 0.1, 1.2, np.nan])
    draws = np.tile(np.linspace(0.4, 0.6, 1001)[:, None], 4)
    found = with_interval(mean, draws, everywhere(Status.BOUND_HIT, 4), np.ones(4))
    assert found.low == pytest.approx([0.41, 0.1, 0.41, np.nan], nan_ok=True)
    assert found.high == pytest.approx([0.59, 0.59, 1.2, np.nan], nan_ok=True)
    assert found.status.tolist() == ["bound_hit", "bound_hit", "out_of_range", "not_identifiable"]
    assert np.isnan(with_interval(mean, draws[:0], found.status, np.ones(4)).low).all()


def test_only_the_interval_of_an_unstable_mean_leaves_the_unit_interval() -> None:
    status = np.array(["falling", "ill_conditioned", "bound_hit"])
    found = with_interval(np.array([0.5, 0.5, 1.1]), np.tile([[-1.0], [3.0]], 3), status, np.ones(3))
    assert found.low == pytest.approx([0, -0.8, -0.8])
    assert found.high == pytest.approx([1, 2.8, 2.8])
    assert found.status.tolist() == ["falling", "ill_conditioned", "out_of_range"]
