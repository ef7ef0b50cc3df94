"""The mixture from curves: laws of the questions found through their curve, and what it leaves open told."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import betaln, softmax

from predict.answers import prior
from predict.answers.atom_votes import vote_table
from predict.answers.best_of_n import best_of_n_by_rate, rate_laws
from predict.answers.from_curve import along_n, fit_curve
from predict.answers.mixture import mixture
from predict.curves.alarm import LOOSE
from predict.curves.intervals import SHARED
from predict.estimate import Options
from predict.evidence.points import Evidence, Points
from results.normal import Z90
from tests.predict.answers.pools import drawn_pool, observed, targets

N = np.array([1, 2, 3, 4, 8, 16])
FAR = Points(np.full(2, "a"), np.ones(2), np.array([33, 129]))


def curve(accuracy: np.ndarray, method: str = "majority") -> Evidence:
    points = Points(np.full(len(N), "a"), np.ones(len(N)), N)
    return Evidence(points, accuracy, np.full(len(N), 0.01), (), method)


def test_a_vote_curve_of_the_prior_s_own_kind_is_carried_on() -> None:
    alpha = np.random.default_rng(0).normal(0, 0.5, prior.features().shape[1])
    weights = softmax(prior.base() + prior.features() @ alpha)
    known, truth = (np.array([weights @ vote_table(int(n)) for n in ns]) for ns in (N, FAR.N))
    mean, status, draws = along_n(curve(known), FAR, Options(replicates=400))
    assert mean == pytest.approx((known[-1] + truth) / 2, abs=0.01)
    fitted, _ = fit_curve(N, known, np.full(len(N), np.sqrt(1 - SHARED) * 0.01), "majority", FAR.N)
    assert mean == pytest.approx((known[-1] + fitted) / 2)  # half of the rise
    low, high = np.quantile(draws, [0.03, 0.97], axis=0)
    assert ((low < truth) & (truth < high)).all()
    assert set(status) <= {"ok", "bound_hit"}


def test_a_vote_is_pinned_down_where_its_draws_stay_within_three_points() -> None:
    """Slower curves leave more of their rise to come; at N = 33 some are within, some are not."""
    told = []
    for rate in (0.02, 0.05, 0.1, 0.2, 0.4, 0.8):
        known = 0.75 - 0.2 * np.exp(-rate * (N - 1))
        _, status, draws = along_n(curve(known), FAR, Options(replicates=2000))
        told += list(zip(Z90 * draws.std(axis=0) / LOOSE, status, strict=True))
    clear = {(unsure > 1, status) for unsure, status in told if abs(unsure - 1) > 0.15}
    assert clear - {(False, "poor_fit"), (True, "poor_fit")} == {(True, "bound_hit"), (False, "ok")}


@pytest.mark.parametrize(("a", "b"), [(0.4, 1.2), (2.0, 3.0), (0.3, 0.3)])
def test_best_of_n_is_that_of_a_beta_law_of_rates(a: float, b: float) -> None:
    exact = [1 - np.exp(betaln(a, b + n) - betaln(a, b)) for n in (*N, *FAR.N)]
    mean, _, _ = along_n(curve(np.array(exact[: len(N)]), "best_of_n"), FAR, Options())
    assert mean == pytest.approx(exact[len(N) :], abs=0.02)


def test_the_curve_is_the_likeliest_one_and_its_spread_that_of_normal_errors() -> None:
    accuracy, noise = 0.7 - 0.3 * np.exp(-0.2 * N), np.full(len(N), 0.02)
    tables = best_of_n_by_rate(np.array([*N, *FAR.N])).T

    def curve_of(x: np.ndarray) -> np.ndarray:
        return tables @ rate_laws(x)

    def loss(x: np.ndarray) -> float:
        off = (curve_of(x)[: len(N)] - accuracy) / noise
        return float(off @ off + x @ x) / 2

    best = minimize(loss, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-14}).x
    values, spread = fit_curve(N, accuracy, noise, "best_of_n", np.array([*N, *FAR.N]))
    assert values == pytest.approx(curve_of(best), abs=1e-5)
    step = 1e-5 * np.eye(3)
    slopes = np.array([curve_of(best + e) - curve_of(best - e) for e in step]).T / 2e-5
    seen = slopes[: len(N)] / noise[:, None]
    inverse = np.linalg.inv(seen.T @ seen + np.eye(3))
    assert spread @ spread.T == pytest.approx(slopes @ inverse @ slopes.T, rel=1e-3, abs=1e-7)


def test_intervals_from_curves_of_real_answers_hold_about_what_they_say() -> None:
    """Twelve pools, 6 of 40 answers seen. An interval that holds nine tenths misses 6 once in 2,000 times."""
    held, errors = 0, []
    for seed in range(12):
        seen, whole = observed(drawn_pool(400, 40, np.random.default_rng(seed)), 6)
        truth = whole.accuracy[whole.points.N == 40][0]
        blind = replace(seen, pools=())
        found = mixture(blind, targets([40]), Options(replicates=200))
        held += int(found.these.low[0] <= truth <= found.these.high[0])
        errors.append(abs(found.mean[0] - truth))
    assert held > 6
    assert np.mean(errors) < 0.04


def test_without_lengths_observed_settings_are_forecast_all_the_same() -> None:
    seen = curve(0.8 - 0.4 * np.exp(-0.1 * N))
    nowhere = np.full(len(N), np.nan)
    bare = replace(seen, points=replace(seen.points, T=nowhere))
    far = replace(FAR, T=nowhere[:2])
    one, other = (mixture(known, at, Options()) for known, at in ((seen, FAR), (bare, far)))
    assert one.mean == pytest.approx(other.mean)
    assert np.isfinite(one.mean).all()
