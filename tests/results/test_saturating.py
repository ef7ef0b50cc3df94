"""The saturating fit against known curves and brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from results.saturating import fit_curves, fit_saturating
from results.tables.status import Status


def curve(x, alpha, beta, rate):
    return alpha - beta * np.exp(-rate * x)


@given(
    alpha=st.floats(-1, 1),
    beta=st.floats(0.05, 3) | st.floats(-3, -0.05),
    rate=st.floats(0.01, 3),
    shift=st.floats(0, 30),
)
@settings(max_examples=100, deadline=None)
def test_any_noise_free_curve_is_reproduced_between_and_beyond_its_points(alpha, beta, rate, shift):
    x = np.linspace(0, 10, 7) + shift
    y = curve(x - shift, alpha, beta, rate)
    fit = fit_saturating(x, y)
    between = np.linspace(0, 20, 41) + shift
    np.testing.assert_allclose(fit(between), curve(between - shift, alpha, beta, rate), atol=1e-5)


def test_no_rate_on_a_fine_grid_does_better_even_on_data_of_another_shape():
    x = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
    y = 0.9 - 0.5 * x**-0.4  # a power law
    fit = fit_saturating(x, y)
    for rate in np.geomspace(1e-4, 20, 2_000):
        design = np.stack([np.ones_like(x), -np.exp(-rate * x)], axis=1)
        loss = np.mean((y - design @ np.linalg.lstsq(design, y, rcond=None)[0]) ** 2)
        assert fit.rmse**2 <= loss * (1 + 1e-9)


@pytest.mark.parametrize("limit", [1.1, -0.1])
def test_the_limit_of_an_accuracy_is_held_between_0_and_1(limit):
    x, held = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0]), float(limit > 1)
    y = curve(x, limit, limit - 0.5, 0.2)
    fit = fit_curves(x, y[None], accuracy=True)
    assert fit.level[0] + fit.rise[0] == pytest.approx(held)
    assert np.mean((fit(x)[0] - y) ** 2) == pytest.approx(fit.loss[0])
    for decay in np.exp(-np.geomspace(1e-3, 20, 2_000)[:, None] * x):
        best = np.mean((y - held - decay * (decay @ (y - held)) / (decay @ decay)) ** 2)
        assert fit.loss[0] <= best * (1 + 1e-9)


@pytest.mark.parametrize("x", [[5.0], [1.0, 2.0], [1.0, 1.0, 2.0, 2.0]])
def test_fewer_than_three_different_x_say_so(x):
    fit = fit_saturating(x, np.linspace(0.2, 0.4, len(x)))
    assert fit.status == Status.NOT_IDENTIFIABLE
    assert fit.alpha == pytest.approx(np.linspace(0.2, 0.4, len(x)).mean())
    assert (fit.beta, fit.rate) == (0.0, 0.0)


def test_flat_data_say_so():
    fit = fit_saturating([1, 2, 4, 8], [0.7] * 4)
    assert (fit.alpha, fit.beta, fit.rate, fit.rmse, fit.status) == (0.7, 0, 0, 0, Status.NOT_IDENTIFIABLE)


@pytest.mark.parametrize("y", [[0.1, 0.2, 0.3, 0.4], [0.1, 0.15, 0.3, 0.8]])
def test_a_line_or_an_upward_bend_has_no_saturation(y):
    fit = fit_saturating([1, 2, 3, 4], y)
    assert fit.status == Status.BOUND_HIT
    assert "bend" in fit.reason


@pytest.mark.parametrize("offset", [1e3, 1e5, 1e7])
def test_large_offset_of_x_stays_finite(offset):
    x = offset + np.array([0.0, 1.0, 2.0, 3.0])
    fit = fit_saturating(x, [0.2, 0.7, 0.7, 0.7])
    assert np.isfinite([fit.alpha, fit.beta, fit.rate, *fit(x)]).all()


@pytest.mark.parametrize(
    ("x", "y"), [([1, 2], [1, 2, 3]), ([1, 2, 3], [1, np.nan, 3]), ([[1, 2, 3]], [[1, 2, 3]]), ([], [])]
)
def test_unusable_input_is_refused(x, y):
    with pytest.raises(ValueError, match="must be"):
        fit_saturating(x, y)


@pytest.mark.parametrize("seed", range(5))
def test_rounding_moves_no_digit_that_counts(seed: int) -> None:
    """Points in another order are rounded differently, as on another processor."""
    rng = np.random.default_rng(seed)
    x = np.array([1.0, 2, 3, 4, 6, 8, 12, 16, 24])
    y = 0.8 - 0.5 * np.exp(-rng.uniform(0.05, 0.8) * x) + 0.01 * rng.standard_normal(9)
    order = rng.permutation(9)
    fit, other = fit_saturating(x, y), fit_saturating(x[order], y[order])
    assert other.rate == pytest.approx(fit.rate, rel=1e-12)
    assert other.alpha == pytest.approx(fit.alpha, rel=1e-12)
