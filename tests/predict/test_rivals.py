"""The simple rivals recover the parameters of data made from their own formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from predict.protocol import Points
from predict.rivals import CurveModel, exponential, flat, power_law
from results import fit_saturating

N = np.array([1, 2, 4, 8, 16])
FAR = np.array([32, 100])


def one_curve(n: np.ndarray) -> Points:
    return Points(np.full(len(n), "a"), np.full(len(n), 1.0), n)


@given(
    st.floats(0.3, 1.0),
    st.floats(0.05, 0.3),
    st.floats(0.05, 0.8),
)
def test_exponential_recovers_its_own_curve(alpha: float, beta: float, rate: float) -> None:
    found = exponential(one_curve(N), (alpha - beta * np.exp(-rate * N))[None], one_curve(FAR))
    assert found.mean[0] == pytest.approx(alpha - beta * np.exp(-rate * FAR), abs=2e-3)


@given(st.floats(0.3, 1.0), st.floats(0.05, 0.3), st.floats(0.1, 3.0))
def test_power_law_recovers_its_own_curve(alpha: float, beta: float, c: float) -> None:
    found = power_law(one_curve(N), (alpha - beta * N**-c)[None], one_curve(FAR))
    assert found.mean[0] == pytest.approx(alpha - beta * FAR**-c, abs=2e-3)


def test_exponential_agrees_with_the_scalar_fit_where_no_bound_acts() -> None:
    rng = np.random.default_rng(1)
    y = 0.8 - 0.3 * np.exp(-0.2 * N) + rng.normal(0, 0.005, (20, len(N)))
    found = exponential(one_curve(N), y, one_curve(FAR))
    single = np.array([fit_saturating(N, row)(FAR) for row in y])
    assert (single <= 1).all()
    assert found.mean == pytest.approx(single, abs=2e-3)


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


def test_flat_repeats_the_last_value_of_its_setting_or_the_next_cheaper_one() -> None:
    points = Points(np.array(["a", "a", "b", "b"]), np.array([1.0, 1.0, 2.0, 2.0]), np.array([1, 4, 1, 4]))
    y = np.array([[0.1, 0.2, 0.3, 0.4]])
    wanted = Points(np.array(["a", "b", "b", "c"]), np.array([1.0, 2.0, 2.0, 3.0]), np.array([64, 64, 2, 64]))
    assert flat(points, y, wanted).mean[0] == pytest.approx([0.2, 0.4, 0.3, 0.4])


@pytest.mark.parametrize("model", [exponential, power_law])
def test_falling_curves_are_marked_and_constant_ones_are_continued(model: CurveModel) -> None:
    assert set(model(one_curve(N), (0.3 + 0.4 / N)[None], one_curve(FAR)).status) == {"falling"}
    constant = model(one_curve(N), np.full((1, len(N)), 0.4), one_curve(FAR))
    assert constant.mean[0] == pytest.approx([0.4, 0.4])
    assert set(constant.status) == {"ok"}


@pytest.mark.parametrize("model", [exponential, power_law])
def test_two_points_fix_nothing(model: CurveModel) -> None:
    found = model(one_curve(N[:2]), np.array([[0.4, 0.5]]), one_curve(FAR))
    assert np.isnan(found.mean).all()
    assert set(found.status) == {"not_identifiable"}
