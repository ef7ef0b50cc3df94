"""The law along T recovers known laws, is independent of units, interpolates, and is suitably unsure."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from predict.curves.intervals import SHARED
from predict.curves.law_along_t import (
    EXPONENTS,
    REACH,
    Carried,
    _widening,
    along_T,
    answers_luck,
    other_settings,
)
from predict.curves.rivals import exponential, power_law
from predict.estimate import Options
from predict.evidence.points import Points
from predict.evidence.request import Request, read_asked
from predict.splits import backtest
from tests.predict.answers.pools import drawn_pool

CACHED = Path(__file__).parents[3] / "results" / "cached"
T = np.array([1.0, 2.0, 3.0, 4.0, 6.0, 8.0])
EXACT = np.full(len(T), 1e-8)


@pytest.mark.parametrize("top", [0.5, 0.8, 0.97])
@pytest.mark.parametrize("law", ["exponential", "slow", "power"])
def test_known_laws_are_recovered_and_carried_on(top: float, law: str) -> None:
    shape = {
        "exponential": lambda t: np.exp(-0.4 * t),
        "slow": lambda t: np.exp(-((t / 5) ** 0.6)),
        "power": lambda t: 1 / (1 + (t / 3) ** 1.5),
    }[law]
    at = np.array([2.5, 5.0, 12.0, 16.0])
    truth = top - 0.8 * top * shape(at)
    mean, draws = along_T(T, top - 0.8 * top * shape(T), EXACT, at, R=400)
    assert mean[:2] == pytest.approx(truth[:2], abs=0.004)
    assert mean[2:] == pytest.approx(truth[2:], abs=0.02)
    low, high = np.quantile(draws, [0.02, 0.98], axis=0)
    assert ((low - 1e-9 <= truth) & (truth <= high + 1e-9)).all()


def test_laws_count_as_likely_as_they_make_what_was_seen() -> None:
    """Against every law of the grid written out, with the ends α and ζ on a fine grid instead of draws."""
    lengths, y, at = np.array([1.0, 2.0, 5.0]), np.array([0.3, 0.55, 0.6]), np.array([3.0, 20.0])
    errors, missed = np.full(3, 0.03**2), 0.02
    near = np.exp(-np.abs(np.log(lengths)[:, None] - np.log(lengths)) / REACH)
    noise = np.diag(errors + 1e-8) + missed**2 * (near + 1e-3 * np.eye(3))
    gain = missed**2 * np.exp(-np.abs(np.log(at)[:, None] - np.log(lengths)) / REACH) @ np.linalg.inv(noise)
    ends = (np.arange(100) + 0.5) / 100
    alpha, zeta = (one.ravel()[:, None] for one in np.meshgrid(ends, ends))
    total, weighted = 0.0, np.zeros(2)
    for c in EXPONENTS:
        for tau in np.geomspace(1 / 3, 15, 25):
            for left in (lambda u: np.exp(-u), lambda u: 1 / (1 + u)):
                seen, ahead = (alpha - (alpha - zeta) * left((t / tau) ** c) for t in (lengths, at))
                off = y - seen
                nearness = np.einsum("pi,ij,pj->p", off, np.linalg.inv(noise), off) + (np.log(c) / 0.5) ** 2
                prior = (alpha[:, 0] - 0.5) ** 2 + (zeta[:, 0] - 0.5) ** 2
                weight = np.exp(-(nearness + prior) / 2)
                total += weight.sum()
                weighted += weight @ (ahead + off @ gain.T)
    found, _ = along_T(lengths, y, errors, at, R=0, sizes=(missed,))
    assert found == pytest.approx(weighted / total, abs=0.004)


@settings(max_examples=20, deadline=None)
@given(st.floats(1e-4, 1e6), st.integers(0, 100))
def test_the_unit_of_T_does_not_matter(unit: float, seed: int) -> None:
    y = np.sort(np.random.default_rng(seed).uniform(0.1, 0.9, 3))
    one, other = (along_T(s * T[:3], y, EXACT[:3], s * np.array([2.5, 9.0]), R=0)[0] for s in (1.0, unit))
    assert one == pytest.approx(other, abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6))
def test_forecasts_stay_accuracies_and_less_is_known_farther_out(seed: int, n: int) -> None:
    y = np.sort(np.random.default_rng(seed).uniform(0.0, 1.0, n))
    mean, draws = along_T(T[:n], y, np.full(n, 1e-4), T[n - 1] * np.array([1.0, 2.0, 8.0]), R=400)
    assert ((mean >= 0) & (mean <= 1)).all()
    spread = draws.std(axis=0)
    assert spread[0] < 0.05
    assert spread[0] < spread[2] + 1e-3


def test_at_a_fitted_setting_the_observed_accuracy_is_kept() -> None:
    y = np.array([0.30, 0.52, 0.50, 0.61, 0.66, 0.71])
    assert along_T(T, y, EXACT, T, R=0)[0] == pytest.approx(y, abs=2e-3)


def test_settings_without_answers_from_those_with_some() -> None:
    pools = [drawn_pool(80, 8, np.random.default_rng(3), blank) for blank in (0.6, 0.4, 0.3)]
    pools = [type(p)(f"s{i}", 1.0 + i, p.answers) for i, p in enumerate(pools)]
    noise, N = np.full(2, 0.02**2), np.array([1, 8])
    carried = [
        Carried(p.T, np.array([0.4, 0.5]) + 0.1 * i, noise, answers_luck(p, N, "majority"), 3 * noise)
        for i, p in enumerate(pools)
    ]
    targets = Points(np.array(["new", "new", "blind"]), np.array([4.0, 4.0, np.nan]), np.array([1, 8, 8]))
    mean, status, draws = other_settings(carried, N, targets, Options(replicates=300))
    assert 0.6 < mean[0] < mean[1] < 0.9
    assert status.tolist() == ["ok", "ok", "not_identifiable"]
    assert draws[:, :, :2].std(axis=1).min() > 0.02
    assert np.isnan(mean[2])
    alone = other_settings(carried[:1], N, targets, Options())
    assert np.isnan(alone[0]).all()


def test_only_lengths_as_far_as_those_seen_reach_are_ok() -> None:
    """T = 1, 2 and 4 check forecasts 4 times beyond them; through two lengths goes any law."""
    value = np.array([1e-4])
    carried = [Carried(t, np.array([0.5 + t / 50]), *[value] * 3) for t in (1.0, 2.0, 4.0)]

    def status(T: list[float], seen: int) -> list[str]:
        wanted = Points(np.array(["new"] * len(T)), np.array(T), np.ones(len(T), int))
        told: list[str] = other_settings(carried[:seen], np.ones(1, int), wanted, Options())[1].tolist()
        return told

    assert status([0.24, 0.26, 15, 17], 3) == ["bound_hit", "ok", "ok", "bound_hit"]
    assert status([0.9, 1.5, 2.1], 2) == ["bound_hit", "ok", "bound_hit"]


def test_the_luck_is_that_of_the_setting_of_the_nearest_length() -> None:
    """Distances are ratios: between T = 1 and 8, 2 is nearer to the first and 4 to the second."""
    half, own, none, some = (np.array([value]) for value in (0.5, 1e-8, 0.0, 0.04))
    carried = [Carried(1.0, half, own, luck=none, questions=some), Carried(8.0, half, own, some, none)]
    wanted = Points(np.array(["a", "b"]), np.array([2.0, 4.0]), np.ones(2, int))
    _, _, draws = other_settings(carried, np.ones(1, int), wanted, Options(replicates=2000))
    assert draws[0].var(axis=0) == pytest.approx([0, 0.04], abs=0.004)
    assert draws[1].var(axis=0) == pytest.approx([0.04, 0], abs=0.004)


def test_on_the_twins_exact_curve_the_interval_of_the_fallback_holds_the_truth() -> None:
    """The twin's curve is not a power law: without the model error no interval would cover the truth."""
    (group,) = [g for g in read_asked([CACHED / "fig2f.csv"], "majority") if not g.pools]
    found = backtest(group, ["default"], Request(fit_max_n=8), 1, Options(replicates=200))
    held = found["accuracy"].between(found["low"], found["high"])
    assert held.mean() >= 0.85
    near = found["N"] == 16
    assert (found["high"] - found["low"])[near].mean() < 0.2


@pytest.mark.integration  # many seconds
def test_dearer_settings_are_within_the_interval_as_often_as_it_says() -> None:
    """The tiny model's accuracy still rises steeply: the laws along T alone are overconfident."""
    (group,) = read_asked([CACHED / "tiny.csv"], "majority")
    names = [name for name, _ in group.points.settings()]
    held = []
    for k in (3, 4, 5):
        found = backtest(
            group, ["default"], Request(fit_settings=tuple(names[:k])), 1, Options(replicates=200)
        )
        held += found["accuracy"].between(found["low"], found["high"]).tolist()
    assert np.mean(held) >= 0.9


def test_misses_at_the_dearest_settings_widen_the_interval() -> None:
    """A law of the family is not missed; an accuracy that leaps at the longest setting is, by far.

    A leap that may be noise of that setting does not count.
    """
    law = (0.8 - 0.6 * np.exp(-0.3 * T))[:, None]
    leap = np.where(T[:, None] < 8, law, 0.97)
    own = np.full((len(T), 1), 1e-4)
    assert _widening(T, law, own, 0) == 1.0
    assert _widening(T, leap, own, 0) > 1.5
    noisy = np.where(T[:, None] < 8, own, (leap - law).max() ** 2)
    assert _widening(T, leap, noisy, 0) < 1.1
    assert _widening(T[:2], leap[:2], own[:2], 0) == 1.0


def test_new_questions_move_all_settings_together() -> None:
    """Six similar settings with forecasts of sd 0.05: nine tenths of the variance comes from the draw of
    questions, which averaging over settings does not reduce; the rest it does."""
    rng, T = np.random.default_rng(0), np.linspace(1.0, 2.0, 6)
    pools = [replace(drawn_pool(80, 8, rng), setting=f"s{t}", T=t, whole=np.full(80, 999)) for t in T]
    whole, N = np.array([0.05**2]), np.array([1])
    own, questions = (1 - SHARED) * whole, SHARED * whole
    lucks = [answers_luck(pool, N, "majority") for pool in pools]
    carried = [Carried(t, np.array([0.6]), own, luck, questions) for t, luck in zip(T, lucks, strict=True)]
    place = Points(np.array(["new"]), np.array([1.5]), np.array([1]))
    _, _, (these, new) = other_settings(carried, N, place, Options(replicates=4000))
    assert new.std() == pytest.approx(0.05 * np.sqrt(SHARED + (1 - SHARED) / 6), rel=0.1)
    assert these.std() < 0.6 * new.std()


def test_the_luck_of_a_pool_is_that_of_its_answers() -> None:
    """One answer of P: p(1 − p)/P for a question, and 1/Q of that for the mean of Q questions."""
    pool = drawn_pool(80, 8, np.random.default_rng(3))
    counts = pool.answers.counts()
    p = counts.correct / counts.pools
    larger = replace(pool, whole=np.full(80, 32))
    found = answers_luck(larger, np.array([1]), "majority")
    assert found == pytest.approx([(p * (1 - p)).mean() / 32 / 80])
    whole = answers_luck(replace(pool, whole=np.full(80, 4)), np.array([1, 4]), "best_of_n")
    best = 1 - np.prod([(8 - counts.correct - i).clip(0) / (8 - i) for i in range(4)], axis=0)
    assert whole[1] == pytest.approx((best * (1 - best)).mean() / 80)


def test_beyond_and_between_it_beats_the_simple_rivals_on_a_population_of_rates() -> None:
    rates = np.random.default_rng(0).lognormal(-1.5, 1.2, 400)
    far = np.array([16.0, 32.0])
    truth = (1 - np.exp(-rates[:, None] * far)).mean(axis=0)
    y = (1 - np.exp(-rates[:, None] * T)).mean(axis=0)
    points = Points(np.repeat(T.astype(str), 3), np.repeat(T, 3), np.tile([1, 3, 5], len(T)))
    wanted = Points(far.astype(str), far, np.array([1, 1]))
    error = np.abs(along_T(T, y, EXACT, far, R=0)[0] - truth).mean()
    for rival in (exponential, power_law):
        assert error < np.abs(rival(points, np.repeat(y, 3)[None], wanted).mean[0] - truth).mean()
