"""The appendix's three fits against known curves, an independent Jacobian, and each way to fail."""

import numpy as np
import pytest

from results.paper_fits import along_gap, along_n, along_t
from results.saturating import condition_number
from results.tables.status import Status

N = np.array([1, 2, 4, 8, 16, 32])
T = np.array([0.8, 1.2, 1.7, 2.5, 3.2, 4.0])
SINGLE = (0.7, 0.5, 0.6)
"""α_1, β_1, μ_1 of the simulated curves."""


def saturating(parameters: tuple[float, float, float], x: np.ndarray) -> np.ndarray:
    alpha, beta, rate = parameters
    return np.asarray(alpha - beta * np.exp(-rate * np.asarray(x, dtype=float)))


def finite_differences(at: tuple[float, float, float], x: np.ndarray) -> np.ndarray:
    """The Jacobian in α, β and log rate by central differences."""
    step, columns = 1e-5, []
    for shift in np.eye(3) * step:
        ends = [
            saturating((at[0] + s * shift[0], at[1] + s * shift[1], at[2] * np.exp(s * shift[2])), x)
            for s in (1, -1)
        ]
        columns.append((ends[0] - ends[1]) / (2 * step))
    return np.stack(columns, axis=1)


@pytest.mark.parametrize(
    ("made", "x"),
    [
        ((0.8, 0.4, 0.2), N),
        ((0.8, -0.4, 0.05), N),
        ((0.9, 5.0, 1.3), T),
        ((0.9, 0.6, 3.0), np.linspace(0.2, 0.7, 5) ** 2),
        ((1.5, 1.0, 0.02), N),
        ((0.5, 0.1, 0.4), np.array([0.0, 1.0, 2.0])),
    ],
    ids=["rising", "falling", "far from 0", "gaps", "nearly straight", "from 0"],
)
def test_condition_number_is_that_of_a_finite_difference_jacobian(made, x):
    jacobian = finite_differences(made, x)
    scaled = jacobian / np.sqrt((jacobian**2).sum(axis=0))
    values = np.linalg.svd(scaled, compute_uv=False)
    found = condition_number(made[2], np.asarray(x, dtype=float))
    assert found == pytest.approx(values[0] / values[-1], rel=1e-4)
    # the threshold's promise: errors of ±ε in the accuracies move α by at most ε times the number
    worst = np.abs(np.linalg.pinv(jacobian)[0]).sum()
    assert worst <= found


def test_condition_number_of_a_curve_that_has_saturated_before_all_points_is_infinite():
    assert condition_number(1e4, np.array([0.0, 1.0, 2.0])) == np.inf


SQUARES = saturating(SINGLE, T) ** 2  # of the gap


@pytest.mark.parametrize(
    ("along", "x", "y", "status", "words"),
    [
        ("n", N, saturating((0.8, 0.3, 0.2), N), Status.OK, ""),
        ("n", N, 0.4 + 0.01 * N, Status.BOUND_HIT, "do not bend towards a limit"),
        ("t", T, np.where(T[0] < T, 0.7, 0.2), Status.BOUND_HIT, "before the second point"),
        ("n", N, saturating((0.8, 0.9, 0.9), N), Status.BOUND_HIT, "gap is above 1"),
        ("n", N, saturating((0.3, -0.2, 0.1), N), Status.FALLING, "falls with N"),
        ("t", T, saturating((0.3, -0.2, 0.7), T), Status.FALLING, "falls with T"),
        ("gap", T, 0.9 - 0.4 * T / 4, Status.FALLING, "falls with Δ"),
        ("t", T, saturating((0.95, 0.5, 0.02), T), Status.ILL_CONDITIONED, "number is above 100"),
        ("gap", T, saturating((1.2, 1.3, 3), SQUARES), Status.OK, ""),  # 0.9 at the end, Δ² = 0.49
        ("gap", T, saturating((1.4, 1.5, 3), SQUARES), Status.OUT_OF_RANGE, "∞"),
        ("t", T, saturating((1.4, 1.2, 0.2), T), Status.OUT_OF_RANGE, "for T → ∞ is outside 0 to 1"),
        ("n", N, saturating((0.6, 0.3, 0.1), N) + 0.03 * (-1.0) ** np.arange(6), Status.POOR_FIT, "0.02"),
        ("n", N[:2], np.array([0.3, 0.4]), Status.NOT_IDENTIFIABLE, "3 different N, has 2"),
        ("t", [1, 2, np.nan], [0.3, 0.4, 0.5], Status.NOT_IDENTIFIABLE, "has 2 (1 without a known T)"),
        ("t", [*T, np.nan], [*saturating(SINGLE, T), 0.1], Status.OK, ""),
        ("n", N[:3], saturating((0.8, 0.3, 0.3), N[:3]), Status.OK, "3 parameters from 3 points"),
        ("n", N[[0, 1, 2, 0]], saturating((0.8, 0.3, 0.3), N[[0, 1, 2, 0]]), Status.OK, "from 3 different N"),
    ],
)
def test_every_status_has_its_case(along, x, y, status, words):
    fits = {"n": lambda: along_n("a", x, y), "t": lambda: along_t(x, y)}
    fit = fits.get(along, lambda: along_gap(4, x, y, along_t(T, saturating(SINGLE, T))))()
    assert fit.status is status
    assert words in fit.reason
    assert (fit.reason == "") == (words == "")


@pytest.mark.parametrize("unit", [1e-12, 1e12])
def test_the_unit_of_length_does_not_matter(unit):
    fit = along_t(unit * T, saturating(SINGLE, T))
    assert fit.status is Status.OK
    assert fit.curve is not None
    assert (fit.curve.alpha, fit.curve.beta, unit * fit.curve.rate) == pytest.approx(SINGLE)


def test_best_of_n_may_rise_faster_than_any_vote():
    chance = 0.6
    fit = along_n("a", N, 1 - (1 - chance) ** N, votes=False)
    assert fit.status is Status.OK
    assert fit.gap == pytest.approx(np.sqrt(-2 * np.log(1 - chance)), rel=1e-6)
    assert fit.gap > 1


def test_a_limit_within_the_residual_of_1_is_not_held_against_the_curve():
    wiggle = 0.004 * (-1.0) ** np.arange(len(N))
    fit = along_n("a", N, saturating((1.0, 0.4, 0.2), N) - wiggle)
    assert fit.curve is not None
    assert 1 < fit.curve.alpha < 1 + fit.curve.rmse
    assert fit.status is Status.OK


def test_along_gap_is_never_better_than_the_fit_at_one_answer_that_it_is_read_by():
    steep = (1.4, 1.2, 0.2)
    single = along_t(T, saturating(steep, T))
    accuracy = saturating((0.9, 0.6, 2.0), saturating(steep, T) ** 2)
    fit = along_gap(8, T, accuracy, single)
    assert single.status is Status.OUT_OF_RANGE
    assert fit.curve is not None
    assert (fit.curve.alpha, fit.curve.beta, fit.curve.rate) == pytest.approx((0.9, 0.6, 2.0), rel=1e-4)
    assert fit.status is Status.OUT_OF_RANGE
    assert "N = 1" in fit.reason
    falls = along_gap(8, T, 0.9 - 0.4 * T / 4, single)  # the worse of the two statuses
    assert falls.status is max(Status.FALLING, single.status, key=list(Status).index)
    unchecked = along_t(T[::2], saturating(SINGLE, T[::2]))  # ok, by three points
    assert (unchecked.status, "N = 1" in along_gap(8, T, accuracy, unchecked).reason) == (Status.OK, True)


def test_a_gap_that_has_saturated_at_once_is_two_values_and_not_many():
    step = np.where(T[0] < T, 0.7, 0.2)
    fit = along_gap(4, T, step + 0.01 * np.sin(T), along_t(T, step))
    assert fit.status is Status.NOT_IDENTIFIABLE
    assert fit.reason == "needs 3 different Δ, has 2"


def test_noisy_curves_give_their_parameters_back_with_the_spread_that_the_jacobian_says():
    made, noise, votes = (0.85, 0.35, 0.15), 0.003, np.arange(1, 41)
    rng = np.random.default_rng(0)
    exact = saturating(made, votes)
    drawn = [along_n("a", votes, exact + rng.normal(0, noise, len(votes))) for _ in range(400)]
    found = np.array(
        [(fit.curve.alpha, fit.curve.beta, np.log(fit.curve.rate)) for fit in drawn if fit.curve]
    )
    jacobian = finite_differences(made, votes)
    spread = noise * np.sqrt(np.diag(np.linalg.inv(jacobian.T @ jacobian)))
    truth = np.array([made[0], made[1], np.log(made[2])])
    assert (np.abs(found.mean(axis=0) - truth) < 4 * spread / np.sqrt(400)).all()
    assert found.std(axis=0) == pytest.approx(spread, rel=0.12)  # from 400 draws, to within 3.5 %
    assert (np.abs(found - truth) < 5 * spread).all()
    assert {fit.status for fit in drawn} == {Status.OK}
