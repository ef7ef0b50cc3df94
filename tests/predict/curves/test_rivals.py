"""The simple rivals recover the parameters of data made from their own formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from predict.curves.alarm import LIKELY, LOOSE, SURE
from predict.curves.rivals import CurveModel, exponential, flat, power_law
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


def test_flat_repeats_the_last_value_of_its_setting_or_the_next_cheaper_one() -> None:
    """Or the first, of an N below all that were seen."""
    points = Points(np.array(["a", "a", "b", "b"]), np.array([1.0, 1.0, 2.0, 2.0]), np.array([2, 4, 2, 4]))
    y = np.array([[0.1, 0.2, 0.3, 0.15]])
    names, T, ns = zip(("a", 1, 64), ("b", 2, 64), ("b", 2, 3), ("c", 3, 64), ("d", 1.5, 64), ("e", 2, 1),
                       strict=True)  # fmt: skip
    wanted = Points(np.array(names), np.array(T, float), np.array(ns))
    assert flat(points, y, wanted).mean[0] == pytest.approx([0.2, 0.15, 0.3, 0.15, 0.2, 0.3])


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


def other_fits(model: CurveModel, y: np.ndarray, at: np.ndarray) -> np.ndarray:
    """How far the forecasts of other shapes go whose loss is within `LIKELY`·`SURE`² of the best one's."""
    shapes = np.geomspace(0.05, 5, 300) if model is power_law else np.geomspace(0.01 / 15, 10, 600)
    losses, values = [], []
    for c in shapes:
        g, far = (n.astype(float) ** -c if model is power_law else np.exp(-c * n) for n in (N, at))
        fit = lsq_linear(np.stack([np.ones(len(N)), -g], axis=1), y, ([0, -np.inf], [1, np.inf]))
        losses.append(2 * fit.cost)
        values.append(fit.x[0] - fit.x[1] * far)
    best = int(np.argmin(losses))
    alike = np.array(losses) <= losses[best] + LIKELY * SURE**2
    return np.asarray(np.abs(np.array(values)[alike] - values[best]).max(axis=0))


@pytest.mark.parametrize("model", [exponential, power_law])
def test_a_target_is_not_pinned_down_where_curves_that_fit_as_well_go_elsewhere(model: CurveModel) -> None:
    at = 2 ** np.arange(14)
    verdicts = set()
    for alpha, beta, c in [(0.7, 0.3, 0.1), (0.9, 0.5, 0.06), (0.6, 0.05, 0.3), (0.8, 0.4, 0.6)]:
        g = N.astype(float) ** -c if model is power_law else np.exp(-c * N)
        y = alpha - beta * g
        away = other_fits(model, y, at)
        clear = np.abs(away / LOOSE - 1) > 0.1
        found = model(one_curve(N), y[None], one_curve(at)).status
        assert found[clear].tolist() == np.where(away > LOOSE, "bound_hit", "ok")[clear].tolist()
        assert (found[at <= N.max()] == "ok").all()
        verdicts |= set(found)
    assert verdicts == {"ok", "bound_hit"}


def test_a_limit_that_decides_nothing_is_not_told_and_one_that_does_is() -> None:
    """α = 1 in both: a curve that goes there by itself, and a straight line, which asks for more."""
    near_one = 1 - 0.5 * N**-0.8
    assert power_law(one_curve(N), near_one[None], one_curve(FAR)).status.tolist() == ["ok", "ok"]
    line = 0.1 + 0.05 * N
    assert set(exponential(one_curve(N), line[None], one_curve(FAR)).status) == {"bound_hit"}


def test_a_curve_along_T_that_misses_the_settings_is_a_poor_fit() -> None:
    """0.1 0.1 0.5 0.9 0.9 at T = 1 … 5 is no power law; a setting that was observed is not concerned."""
    T = np.repeat(np.arange(1.0, 6.0), len(N))
    points = Points(T.astype(str), T, np.tile(N, 5))
    y = np.repeat([0.1, 0.1, 0.5, 0.8, 0.8], len(N)) + 0.05 * (1 - points.N**-0.5)
    targets = Points(np.array(["5.0", "6"]), np.array([5.0, 6.0]), np.array([8, 8]))
    assert power_law(points, y[None], targets).status.tolist() == ["ok", "poor_fit"]


@pytest.mark.parametrize("model", [exponential, power_law])
@pytest.mark.parametrize("slope", [0.028, -0.028])
def test_a_straight_line_is_not_continued_beyond_an_accuracy(model: CurveModel, slope: float) -> None:
    far = model(one_curve(N), (0.5 + slope * N)[None], one_curve(np.array([100, 10_000]))).mean[0]
    assert ((far >= -1e-9) & (far <= 1 + 1e-9)).all()
    assert abs(far[1] - 0.5) > 0.4
