"""The error of Algorithm 3 that its claim measures is that of the predictor on the same curves."""

import numpy as np
import pytest

from predict.curves.algorithm_3 import low_cost_to_high
from predict.evidence.points import Points
from synthetic.panels.experiments import VOTES
from synthetic.theory.claims.low_cost import LENGTHS, STEPS, forecast_error

N = np.array(VOTES)


def votes(level: float) -> np.ndarray:
    """Curves of nearly the paper's form, at STEPS and VOTES."""
    gap = 0.55 - 0.4 * np.exp(-0.3 * np.array(STEPS))[:, None]
    return level - 0.4 * np.exp(-(gap**2) * N / 2) - 0.02 * np.log2(N) / (1 + np.array(STEPS)[:, None])


@pytest.mark.parametrize("up_to", [16, 256])
@pytest.mark.parametrize("seen", [4, 6])
def test_the_error_is_that_of_the_predictor(seen: int, up_to: int) -> None:
    curves = votes(0.95)
    steps, counts = (one.ravel() for one in np.meshgrid(LENGTHS, N, indexing="ij"))
    accuracy = curves[steps - 1, np.searchsorted(N, counts)]
    points = Points(steps.astype(str), steps.astype(float), counts)
    used, asked = (steps <= LENGTHS[seen - 1]) & (counts <= up_to), steps > LENGTHS[seen - 1]
    found = low_cost_to_high(points[used], accuracy[None, used], points[asked])
    expected = np.abs(found.mean[0] - accuracy[asked]).mean()
    assert forecast_error(curves, seen, up_to) == pytest.approx(expected, abs=1e-12)
    assert 0 < expected < 1


def test_a_forecast_beyond_all_bounds_counts_as_one() -> None:
    """Accuracy climbs as long as it is seen, then falls back. Uncut, the mean error would be 1.28."""
    T = np.array(STEPS)[:, None]
    level = 0.3 + 0.1 * T * (T <= 4)
    curves = level - 0.2 * np.exp(-((0.2 + 0.001 * T) ** 2) * N / 2)
    assert 0.5 < forecast_error(curves, 4, 16) < 1
