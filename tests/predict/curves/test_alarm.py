"""Alarms: falling votes, falling accuracy along T, curves far from the data."""

from dataclasses import replace

import numpy as np
import pytest

from predict.curves.alarm import falling, far_along_T, poor_fit
from predict.curves.intervals import SHARED
from predict.estimate import Options, Status
from predict.evidence.groups import groups_of_samples
from predict.evidence.hidden import observe
from predict.evidence.points import Evidence, Points
from tests.predict.conftest import samples_of

N = np.array([1, 2, 4, 8, 16])


def curves(rows: dict[str, list[float]], noise: float = 0.004) -> Evidence:
    """Whole curves over N, settings in order of T = 1, 2, 3 …"""
    values = np.concatenate([np.array(row) for row in rows.values()])
    T = np.repeat(np.arange(1.0, 1 + len(rows)), len(N))
    points = Points(np.repeat(list(rows), len(N)), T, np.tile(N, len(rows)))
    return Evidence(points, values, np.full(len(values), noise), np.empty((0, len(values))))


RISING = [0.4, 0.4, 0.45, 0.5, 0.52]


def test_noise_that_all_points_share_hides_neither_a_fall_nor_a_poor_fit() -> None:
    """± 1 point each, nine tenths of the variance shared: differences are off by √0.2, residuals by √0.1."""
    target = Points(np.array(["a"]), np.array([1.0]), np.array([64]))
    for fall, expected in ((0.012, "ok"), (0.016, "falling")):  # 3 · √0.2 · 0.01 = 0.0134
        data = curves({"a": [0.4, 0.4, 0.45, 0.47, 0.47 - fall]}, noise=0.01)
        assert falling(data, target).tolist() == [expected]
    data = curves({"a": RISING}, noise=0.02)
    for off, verdict in ((0.024, "ok"), (0.027, "poor_fit")):  # 4 · √0.1 · 0.02 = 0.0253
        assert poor_fit(data, data.accuracy + off * np.array([1, -1, 1, -1, 1])) == verdict


def simulated(power: float, seed: int) -> Evidence:
    """Four settings; difficulty^(power) right at each next one: 1 for accuracy that T does not change."""
    rate = np.random.default_rng(seed).beta(1.5, 1.2, 80)
    right = {str(i): rate ** (power**i) for i in range(4)}
    chances = {name: np.stack([p, *[(1 - p) / 3] * 3, 0 * p], axis=1) for name, p in right.items()}
    frame = samples_of(chances, 6, seed)
    (group,) = groups_of_samples(frame, "majority")
    return observe(group, list(chances), 6, Options(replicates=100, seed=seed))


BEYOND = Points(np.array(["0", "new"]), np.array([1.0, 99.0]), np.array([64, 64]))


@pytest.mark.parametrize("curves_only", [False, True], ids=["samples", "curves"])
def test_accuracy_that_T_does_not_change_raises_few_false_alarms(curves_only: bool) -> None:
    alarms = []
    for seed in range(30):
        data = simulated(1.0, seed)
        data = replace(data, pools=(), replicates=data.replicates[:0]) if curves_only else data
        alarms.append(falling(data, BEYOND) == "falling")
    along_n, along_t = np.mean(alarms, axis=0)
    assert along_n == 0
    assert along_t <= 0.1  # 2 to 4 % over 200 draws


@pytest.mark.parametrize("curves_only", [False, True], ids=["samples", "curves"])
def test_accuracy_that_truly_falls_with_T_is_noticed(curves_only: bool) -> None:
    for seed in range(5):
        data = simulated(1.6, seed)
        data = replace(data, pools=(), replicates=data.replicates[:0]) if curves_only else data
        assert falling(data, BEYOND).tolist() == ["ok", "falling"]


@pytest.mark.parametrize(("miss", "expected"), [(0.05, Status.OK), (0.07, Status.POOR_FIT)])
def test_a_curve_along_T_is_poor_where_it_misses_settings_by_far_more_than_their_noise(
    miss: float, expected: Status
) -> None:
    """Of a standard deviation of 0.02 half of the variance is the settings' own: four of those are 0.057."""
    replicates = 0.6 + np.random.default_rng(0).normal(0, 0.02, (2000, 3))
    missed = miss * np.array([1.0, -1.0, 1.0])
    assert far_along_T(missed, replicates) is expected
    assert far_along_T(missed, replicates[:5]) is Status.POOR_FIT  # too few to tell: noise of half a point


def test_noise_alone_is_no_poor_fit() -> None:
    rng = np.random.default_rng(0)
    alarms = []
    for _ in range(200):
        data = curves({"a": RISING})
        shift, own = rng.standard_normal(), rng.standard_normal(len(N))
        noise = data.stderr * (np.sqrt(SHARED) * shift + np.sqrt(1 - SHARED) * own)
        alarms.append(poor_fit(replace(data, accuracy=data.accuracy + noise), data.accuracy) == "poor_fit")
    assert np.mean(alarms) == 0
