"""The joint surface is bounded everywhere, recovered from its own data, and flagged where it fits poorly."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from predict.curves.intervals import replicates_of
from predict.estimate import Options
from predict.evidence.points import Evidence, Points
from results.normal import Z90
from studies.forecasts.joint import PRIOR, Surface, fit_surface
from studies.forecasts.rivals import JOINT, counted

T = np.repeat([0.8, 1.2, 1.7, 2.5], 6)
N = np.tile([1, 2, 4, 8, 16, 32], 4)
TRUE = Surface(0.8, 1.7, np.log([1.2, 0.4, 0.8]), np.array([0.7, 0.92, 0.25, 0.45]))
joint = JOINT["joint"]


def observe(accuracy: np.ndarray, noise: float, method: str = "best_of_n") -> Evidence:
    points = Points(np.array([f"{t:g}" for t in T]), T, N)
    return Evidence(points, accuracy, np.full(len(T), noise), method=method)


def one_curve(n: np.ndarray) -> Points:
    return Points(np.full(len(n), "a"), np.full(len(n), np.nan), n)


def test_exact_data_give_back_every_parameter() -> None:
    found = fit_surface(T, N, TRUE(T, N))
    assert np.exp(found.log) == pytest.approx(np.exp(TRUE.log), abs=1e-4)
    assert found.ends == pytest.approx(TRUE.ends, abs=1e-4)
    steps = 1e-6 * np.eye(7)
    for i, slope in enumerate(TRUE.slopes(T, N).T):
        up, down = (
            replace(TRUE, log=TRUE.log + h[:3], ends=TRUE.ends + h[3:]) for h in (steps[i], -steps[i])
        )
        assert slope == pytest.approx((up(T, N) - down(T, N)) / 2e-6, abs=1e-6)


def test_forecast_and_interval_at_unseen_T_and_N() -> None:
    rng = np.random.default_rng(1)
    far = Points(np.array(["4", "8"]), np.array([4.0, 8.0]), np.array([64, 16]))
    data = observe(TRUE(T, N) + rng.normal(0, 0.003, len(T)), 0.003)
    found = joint(data, far, Options(replicates=200))
    truth = TRUE(far.T, far.N)
    assert found.mean == pytest.approx(truth, abs=0.015)
    assert (found.these.low <= truth).all()
    assert (truth <= found.these.high).all()
    assert set(found.status) == {"ok"}


unit, rate = st.floats(0.0, 1.0), st.floats(0.01, 1)


@given(st.tuples(unit, unit, unit, unit), st.tuples(st.floats(0.01, 50), rate, rate), st.integers(1, 10**6))
def test_surface_never_leaves_the_unit_interval(
    ends: tuple[float, ...], rates: tuple[float, ...], n: int
) -> None:
    value = Surface(1.0, 2.0, np.log(rates), np.array(ends))(np.array([1.0, 1.5, 40.0]), np.full(3, n))
    assert (value >= -1e-12).all()
    assert (value <= 1 + 1e-12).all()


def test_one_setting_without_T_is_an_exponential_in_N() -> None:
    n = np.array([1, 2, 4, 8, 16])
    y = 0.8 - 0.4 * np.exp(-0.1 * n)
    wanted = Points(np.array(["a", "b"]), np.full(2, np.nan), np.array([64, 64]))
    observed = Evidence(one_curve(n), y, np.full(5, 0.005), method="best_of_n")
    found = joint(observed, wanted, Options())
    assert found.mean[0] == pytest.approx(0.8 - 0.4 * np.exp(-6.4), abs=2e-3)
    assert np.isnan(found.mean[1])
    assert found.status.tolist() == ["ok", "not_identifiable"]


def test_a_surface_of_another_shape_is_a_poor_fit() -> None:
    late = np.repeat([0.2, 0.2, 0.2, 0.8], 6)  # not a saturating curve along T
    found = joint(observe(late, 0.002), Points(np.array(["4"]), np.array([4.0]), np.array([8])), Options())
    assert found.status.tolist() == ["poor_fit"]


def test_even_votes_count_as_the_odd_ones_below_them() -> None:
    assert counted(one_curve(np.array([1, 2, 3, 4, 8, 9]))).N.tolist() == [1, 1, 3, 3, 7, 9]
    # with two possible answers this is exact: 2m votes, ties shared, are right as often as 2m − 1
    for m in (1, 2, 5):
        even, odd = (binom(k, 0.6) for k in (2 * m, 2 * m - 1))
        assert even.sf(m) + even.pmf(m) / 2 == pytest.approx(odd.sf(m - 1))
    votes = TRUE(T, N - (N % 2 == 0))
    for method, off in (("majority", False), ("best_of_n", True)):
        missed = joint(observe(votes, 0.003, method=method), observe(votes, 0.003).points, Options()).mean
        assert (np.abs(missed - votes).max() > 0.005) == off


def test_four_answers_do_not_tell_the_rate_so_it_is_the_usual_one_and_marked() -> None:
    y = np.array([0.52, 0.52, 0.573, 0.58])
    observed = Evidence(one_curve(np.array([1, 2, 3, 4])), y, np.full(4, 0.01))
    found = joint(observed, one_curve(np.array([64])), Options())
    delta = np.exp(PRIOR[0][1])
    rise = 1 - np.exp(-(delta**2))  # from N = 1 to 3
    assert found.mean[0] == pytest.approx(0.52 + (0.576 - 0.52) / rise, abs=0.01)


def test_three_numbers_of_answers_tell_the_rate_however_unusual_it_is() -> None:
    """0.3, 0.35, 0.395: every two further answers add 0.9 times what the previous two added."""
    found = fit_surface(np.zeros(3), np.array([1, 3, 5]), np.array([0.3, 0.35, 0.395]))
    expected = [0.395 + 0.0405, 0.3 + 0.05 / (1 - 0.9)]
    assert found(np.zeros(2), np.array([7, 1000])) == pytest.approx(expected, abs=1e-4)


def test_the_interval_has_the_spread_of_refits() -> None:
    """Between exact points it is only the spread of the surface fitted to each replicate."""
    data = observe(TRUE(T, N), 0.004)
    copies = replicates_of(data, 40, 0)
    between = Points(np.array(["2.5", "1.2"]), np.array([2.5, 1.2]), np.array([5, 20]))
    refits = [fit_surface(T, N, copy)(between.T, between.N) for copy in copies]
    found = joint(data, between, Options(replicates=400))
    # with 40 refits a spread is known to 11 %
    assert (found.new.high - found.new.low) / 2 / Z90 == pytest.approx(np.std(refits, axis=0), rel=0.35)


def test_settings_that_the_surface_misses_have_curves_of_their_own() -> None:
    levels = np.repeat([0.1, 0.6, 0.2, 0.5], 6)  # no trend along T
    far = Points(np.array(["0.8", "1.2"]), np.array([0.8, 1.2]), np.array([65, 65]))
    found = joint(observe(levels + 0.2 * (1 - np.exp(-0.15 * N)), 0.003), far, Options())
    assert found.mean == pytest.approx([0.3, 0.8], abs=0.01)
