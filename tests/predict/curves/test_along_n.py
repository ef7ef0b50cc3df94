"""The default along N from curves: halfway for votes, the power law for best-of-N, a fall followed."""

from dataclasses import replace

import numpy as np
import pytest

from predict.curves.along_n import along_n
from predict.curves.joint import joint
from predict.curves.rivals import power_law
from predict.protocol import Observed, Options, Points
from predict.questions.mixture import mixture

N = np.array([1, 2, 3, 4, 8, 16])
FAR = Points(np.full(2, "a"), np.ones(2), np.array([33, 129]))


def observed(method: str, copies: int = 0) -> Observed:
    points = Points(np.full(6, "a"), np.ones(6), N)
    accuracy = 0.8 - 0.4 * np.exp(-0.1 * (N - (N % 2 == 0)))
    noise = np.random.default_rng(0).normal(0, 0.01, (copies, 6))
    return Observed(points, accuracy, np.full(6, 0.01), accuracy + noise, (), method)


def test_a_vote_rises_half_as_far_as_the_joint_surface() -> None:
    seen = observed("majority", 200)
    surface = joint(seen, FAR, Options())
    mean, status, draws, unsure = along_n(seen, FAR)
    assert mean == pytest.approx((surface.mean + seen.accuracy[-1]) / 2)
    assert status.tolist() == surface.status.tolist()
    assert draws.shape == (200, 2)
    assert draws.mean(axis=0) == pytest.approx(mean, abs=0.005)
    assert draws.std(axis=0).min() > 0.003
    shares = np.linspace(0, 1, 10_001)[:, None]  # all equally likely
    assert unsure == pytest.approx((shares * (surface.mean - seen.accuracy[-1])).std(axis=0), rel=1e-3)
    assert mixture(seen, FAR, Options()).mean == pytest.approx(mean)


def test_best_of_n_follows_the_power_law() -> None:
    seen = observed("best_of_n")
    expected = power_law(seen.points, seen.accuracy[None], FAR)
    assert along_n(seen, FAR)[0] == pytest.approx(expected.mean[0])


def test_without_lengths_observed_settings_are_forecast_all_the_same() -> None:
    seen = observed("majority")
    nowhere = np.full(6, np.nan)
    bare = replace(seen, points=replace(seen.points, T=nowhere))
    far = replace(FAR, T=nowhere[:2])
    assert mixture(bare, far, Options()).mean == pytest.approx(mixture(seen, FAR, Options()).mean)
