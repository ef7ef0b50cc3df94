"""Predictions: intervals are the middle of their draws and hold the mean; a bad mean has a status."""

import numpy as np
import pytest

from predict.protocol import Status, everywhere, with_interval


def test_intervals_statuses_and_means_that_cannot_be() -> None:
    mean = np.array([0.5, 0.1, 1.2, np.nan])
    draws = np.tile(np.linspace(0.4, 0.6, 1001)[:, None], 4)
    found = with_interval(mean, draws, everywhere(Status.BOUND_HIT, 4), np.ones(4), 0.9)
    assert found.low == pytest.approx([0.41, 0.1, 0.41, np.nan], nan_ok=True)
    assert found.high == pytest.approx([0.59, 0.59, 1.2, np.nan], nan_ok=True)
    assert found.status.tolist() == ["bound_hit", "bound_hit", "out_of_range", "not_identifiable"]
    assert np.isnan(with_interval(mean, draws[:0], found.status, np.ones(4), 0.9).low).all()
