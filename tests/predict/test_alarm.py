"""Alarms: falling votes, falling accuracy along T, curves far from the data."""

import numpy as np
import pytest

from predict.alarm import falling, poor_fit
from predict.curve_predictors import CURVE_PREDICTORS
from predict.protocol import Observed, Options, Points

N = np.array([1, 2, 4, 8, 16])


def curves(rows: dict[str, list[float]], noise: float = 0.004) -> Observed:
    """Whole curves over N, settings in order of T = 1, 2, 3 …"""
    values = np.concatenate([np.array(row) for row in rows.values()])
    T = np.repeat(np.arange(1.0, 1 + len(rows)), len(N))
    points = Points(np.repeat(list(rows), len(N)), T, np.tile(N, len(rows)))
    return Observed(points, values, np.full(len(values), noise), np.empty((0, len(values))))


RISING, ROUND = [0.4, 0.4, 0.45, 0.5, 0.52], [0.42, 0.42, 0.47, 0.44, 0.39]


def test_a_vote_that_rises_and_then_falls_is_marked_at_its_own_setting_only() -> None:
    data = curves({"a": RISING, "b": ROUND})
    targets = Points(np.array(["a", "b"]), np.array([1.0, 2.0]), np.array([64, 64]))
    assert falling(data, targets).tolist() == ["ok", "falling"]


def test_a_fall_within_the_noise_is_no_alarm() -> None:
    data = curves({"a": RISING, "b": ROUND}, noise=0.1)
    targets = Points(np.array(["b"]), np.array([2.0]), np.array([64]))
    assert falling(data, targets).tolist() == ["ok"]


def test_accuracy_falling_with_T_is_marked_at_settings_beyond() -> None:
    down = [[x - 0.05 * i for x in RISING] for i in range(3)]
    data = curves(dict(zip("abc", down, strict=True)))
    targets = Points(np.array(["c", "d"]), np.array([3.0, 4.0]), np.array([64, 8]))
    assert falling(data, targets).tolist() == ["ok", "falling"]


def test_residuals_far_beyond_the_noise_are_a_poor_fit() -> None:
    data = curves({"a": RISING})
    assert poor_fit(data, data.accuracy + 0.001) == "ok"
    assert poor_fit(data, data.accuracy + 0.05 * np.array([1, -1, 1, -1, 1])) == "poor_fit"


@pytest.mark.parametrize("name", ["exponential", "power-law"])
def test_rivals_carry_the_alarm(name: str) -> None:
    data = curves({"a": ROUND})
    found = CURVE_PREDICTORS[name](data, Points(np.array(["a"]), np.array([1.0]), np.array([64])), Options())
    assert found.status[0] in ("falling", "bound_hit")
