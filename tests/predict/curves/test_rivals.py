"""The simple rivals recover the parameters of data made from their own formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from predict.curves.intervals import CurveModel
from predict.curves.rivals import exponential, flat, power_law
from predict.evidence.points import Points

N = np.array([1, 2, 4, 8, 16])
FAR = np.array([32, 100])


def one_curve(n: np.ndarray) -> Points:
    return Points(np.full(len(n), "a"), np.full(len(n), 1.0), n)


@given(
    st.floats(0.3, 1.0), st.floats(0.05, 0.3), st.floats(0.1, 0.8), st.sampled_from([exponential, power_law])
)
def test_a_family_recovers_its_own_curve(alpha: float, beta: float, rate: float, model: CurveModel) -> None:
    def curve(n: np.ndarray) -> np.ndarray:
        return alpha - beta * (n ** (-3 * rate) if model is power_law else np.exp(-rate * n))

    found = model(one_curve(N), curve(N)[None], one_curve(FAR))
    assert found.mean[0] == pytest.approx(curve(FAR), abs=2e-3)


@pytest.mark.parametrize("model", [exponential, power_law])
def test_along_T_the_family_is_fitted_to_the_curves_in_N(model: CurveModel) -> None:
    T = np.array([1.0, 2.0, 3.0, 4.0])

    def truth(t: np.ndarray, n: np.ndarray) -> np.ndarray:
        if model is power_law:
            return 0.9 - 0.3 * t**-0.8 - 0.2 * n**-0.5
        return 0.9 - 0.3 * np.exp(-0.7 * t) - 0.2 * np.exp(-0.3 * n)

    points = Points(np.repeat(T.astype(str), len(N)), np.repeat(T, len(N)), np.tile(N, len(T)))
    far = Points(np.array(["6", "6"]), np.array([6.0, 6.0]), np.array([8, 64]))
    found = model(points, truth(points.T, points.N)[None], far)
    assert found.mean[0] == pytest.approx(truth(far.T, far.N), abs=3e-3)


@pytest.mark.parametrize("model", [exponential, power_law])
def test_a_new_setting_is_as_doubtful_as_the_curves_it_is_read_from(model: CurveModel) -> None:
    T = np.array([1.0, 2.0, 3.0])
    points = Points(np.repeat(T.astype(str), len(N)), np.repeat(T, len(N)), np.tile(N, len(T)))
    rising = 0.7 - 0.3 / points.N + 0.05 * points.T
    far = Points(np.array(["6"]), np.array([6.0]), np.array([32]))
    assert model(points, rising[None], far).status.tolist() == ["ok"]
    one_falls = np.where(points.T == 2, 0.79 + 0.1 / points.N, rising)
    assert model(points, one_falls[None], far).status.tolist() == ["falling"]


def test_flat_repeats_the_last_value_of_its_setting_or_the_next_cheaper_one() -> None:
    """Or the first, of an N below all that were seen."""
    points = Points(np.array(["a", "a", "b", "b"]), np.array([1.0, 1.0, 2.0, 2.0]), np.array([2, 4, 2, 4]))
    y = np.array([[0.1, 0.2, 0.3, 0.15]])
    names, T, ns = zip(
        ("a", 1, 64), ("b", 2, 64), ("b", 2, 3), ("c", 3, 64), ("d", 1.5, 64), ("e", 0.5, 1), strict=True
    )
    wanted = Points(np.array(names), np.array(T, float), np.array(ns))
    assert flat(points, y, wanted).mean[0] == pytest.approx([0.2, 0.15, 0.3, 0.15, 0.2, 0.1])


@pytest.mark.parametrize("model", [exponential, power_law])
def test_falling_curves_are_marked_and_constant_ones_are_continued(model: CurveModel) -> None:
    assert set(model(one_curve(N), (0.3 + 0.4 / N)[None], one_curve(FAR)).status) == {"falling"}
    constant = model(one_curve(N), np.full((1, len(N)), 0.4), one_curve(FAR))
    assert constant.mean[0] == pytest.approx([0.4, 0.4])
    assert set(constant.status) == {"ok"}


@pytest.mark.parametrize("model", [exponential, power_law])
def test_two_points_or_two_settings_fix_nothing(model: CurveModel) -> None:
    found = model(one_curve(N[:2]), np.array([[0.4, 0.5]]), one_curve(FAR))
    assert np.isnan(found.mean).all()
    assert set(found.status) == {"not_identifiable"}
    points = Points(np.repeat(["a", "b"], 3), np.repeat([1.0, 2.0], 3), np.tile(N[:3], 2))
    new = Points(np.array(["b", "c"]), np.array([2.0, 3.0]), np.array([4, 4]))
    found = model(points, np.array([[0.3, 0.4, 0.45, 0.4, 0.5, 0.55]]), new)
    assert found.mean[0] == pytest.approx([0.55, np.nan], abs=0.01, nan_ok=True)


@pytest.mark.parametrize("model", [exponential, power_law])
@pytest.mark.parametrize("slope", [0.028, -0.028])
def test_a_straight_line_is_not_continued_beyond_an_accuracy(model: CurveModel, slope: float) -> None:
    far = model(one_curve(N), (0.5 + slope * N)[None], one_curve(np.array([100, 10_000]))).mean[0]
    assert ((far >= -1e-9) & (far <= 1 + 1e-9)).all()
    assert abs(far[1] - 0.5) > 0.4
