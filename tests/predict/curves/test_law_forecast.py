"""The estimator recovers a known truth and is invariant to what must not matter."""

from typing import Any

import numpy as np
import pytest

from predict.curves.intervals import SHARED
from predict.curves.law_forecast import forecast_by_law
from predict.curves.question_law import fit
from predict.estimate import Estimate, Options, Status
from predict.evidence.groups import groups_of_curves
from predict.evidence.points import Evidence, Floats, Points
from results import BadInput, read_curves
from results.normal import Z90
from tests.conftest import ROOT
from tests.predict.curves.worlds import N, T, seen_and_hidden, world


def estimate(
    points: Points,
    accuracy: Floats,
    stderr: Floats,
    targets: Points,
    *,
    method: str = "majority",
    draws: int = 200,
    seed: int = 0,
    level: float = 0.9,
) -> Estimate:
    evidence = Evidence(points, accuracy, stderr, method=method)
    return forecast_by_law(evidence, targets, Options(draws, seed, level)).estimate


def of_world(
    settings: int = 3, most: int = 16, *, method: str = "majority", stderr: float = 0.005, **options: Any
) -> tuple[Estimate, Floats, Points]:
    """The forecast from the cheapest settings at N ≤ `most`, the truth, and the points of both."""
    points, accuracy = world(method)
    seen, hidden = seen_and_hidden(points, settings, most)
    noise, asked = np.full(len(seen), stderr), points[hidden]
    found = estimate(points[seen], accuracy[seen], noise, asked, method=method, **options)
    return found, accuracy[hidden], asked


@pytest.mark.parametrize("method", ["majority", "best_of_n"])
def test_a_simulated_world_is_recovered(method: str) -> None:
    """Within a point up to 16 times the N seen, within 4 at two and four times the T, with coverage."""
    found, truth, asked = of_world(method=method)
    off = np.abs(found.mean - truth)
    known = T[2] >= asked.T
    assert off[known].max() < 0.012
    assert off[~known].mean() < 0.04
    held = (found.these.low <= truth) & (truth <= found.these.high)
    assert held.mean() > 0.85


def test_the_parameters_are_those_of_the_world() -> None:
    """From all points: σ = 1.5 within 0.1, the levels within 0.15, c₀ = −0.6 within 0.3."""
    points, accuracy = world()
    law = fit(points.T, points.N, accuracy, np.full(len(accuracy), 0.002), points.setting, "majority")
    assert law.sigma == pytest.approx(1.5, abs=0.1)
    assert law.logits == pytest.approx(1 - 3 * np.exp(-T / 90), abs=0.15)
    assert law.shared[1] == pytest.approx(-0.6, abs=0.3)


def test_neither_draws_nor_seed_move_the_mean_or_the_status() -> None:
    given = ({"draws": 50, "seed": 1}, {"draws": 0, "seed": 1}, {"draws": 300, "seed": 2})
    first, none, more = (of_world(**options)[0] for options in given)
    for other in (none, more):
        assert np.array_equal(first.mean, other.mean)
    assert np.array_equal(first.status, more.status)
    assert np.isnan(none.these.low).all()


def test_the_order_of_rows_does_not_matter() -> None:
    points, accuracy = world()
    seen, hidden = seen_and_hidden(points, 4, 8)
    mixed = np.random.default_rng(0).permutation(seen)
    first, other = (
        estimate(points[rows], accuracy[rows], np.full(len(rows), 0.01), points[hidden], draws=60)
        for rows in (seen, mixed)
    )
    assert first.mean == pytest.approx(other.mean, abs=1e-12)
    for one, again in ((first.these, other.these), (first.new, other.new)):
        assert one.low == pytest.approx(again.low, abs=1e-12)
        assert one.high == pytest.approx(again.high, abs=1e-12)


def test_intervals_hold_the_mean_and_grow_with_the_level_and_for_new_questions() -> None:
    half, most = (of_world(most=8, stderr=0.02, level=level)[0] for level in (0.5, 0.95))
    assert ((half.these.low <= half.mean) & (half.mean <= half.these.high)).all()
    assert (most.these.high - most.these.low > half.these.high - half.these.low).mean() > 0.95
    assert np.mean(most.new.high - most.new.low) > np.mean(most.these.high - most.these.low)
    assert ((most.new.low >= 0) & (most.new.high <= 1)).all()


def test_accuracy_rises_with_n_where_it_must() -> None:
    """Best-of-N never falls with N, at settings seen and new."""
    points, accuracy = world("best_of_n")
    seen, _ = seen_and_hidden(points, 3, 8)
    asked = Points.grid({"t40": 40.0, "new": 640.0}, np.array([1, 3, 16, 100, 1000]))
    found = estimate(
        points[seen], accuracy[seen], np.full(len(seen), 0.01), asked, method="best_of_n", draws=0
    )
    assert (np.diff(found.mean.reshape(2, 5), axis=1) > -0.005).all()


def test_at_what_was_seen_a_new_run_differs_by_the_luck_of_its_answers() -> None:
    """For these questions by the answers' share of the variance, for new ones by all of it.

    With 10,000 draws, the 5 % and 95 % points are off by 0.02 standard deviations.
    """
    points, accuracy = world()
    seen, _ = seen_and_hidden(points, 2, 4)
    stderr = np.full(len(seen), 0.02)
    at = seen[points.N[seen] == 4]
    found = estimate(points[seen], accuracy[seen], stderr, points[at], draws=10_000)
    luck = 0.02 * np.sqrt(1 - SHARED)
    ends = (
        (found.these.low, -luck),
        (found.these.high, luck),
        (found.new.low, -0.02),
        (found.new.high, 0.02),
    )
    for end, deviation in ends:
        assert (end - found.mean) / deviation == pytest.approx(Z90, abs=0.06)


def test_beside_what_was_seen_the_luck_counts_of_both_runs() -> None:
    """With noise so large that the law's own errors hardly matter: √2 times the luck of one run."""
    points, accuracy = world()
    seen, _ = seen_and_hidden(points, 5, 4)
    beside = Points.grid({f"beside {t:.0f}": 1.0001 * t for t in T}, np.array([4]))
    found = estimate(points[seen], accuracy[seen], np.full(len(seen), 0.1), beside, draws=4000)
    deviation = (found.these.high - found.these.low) / 2 / Z90
    assert deviation / (0.1 * np.sqrt(1 - SHARED)) == pytest.approx(np.sqrt(2), rel=0.12)


def test_one_setting_is_forecast_along_n_alone() -> None:
    found, _, asked = of_world(1)
    known = T[0] == asked.T
    assert np.isfinite(found.mean[known]).all()
    assert np.isnan(found.mean[~known]).all()
    assert np.isnan(found.these.high[~known]).all()
    assert set(found.status[~known]) == {"not_identifiable"}


def test_two_settings_of_known_length_leave_nothing_to_check_a_law_by() -> None:
    """Close to one setting: the third is seen, or has unknown tokens, or does not exist."""
    points, accuracy = world()
    asked = Points.grid({"beside": 1.05 * T[1]}, N[:3])
    for settings, known, status in ((3, 3, Status.OK), (3, 2, Status.BOUND_HIT), (2, 2, Status.BOUND_HIT)):
        seen, _ = seen_and_hidden(points, settings, 16)
        length = np.where(T[known - 1] < points.T, np.nan, points.T)[seen]
        shown = Points(points.setting[seen], length, points.N[seen])
        found = estimate(shown, accuracy[seen], np.full(len(seen), 0.005), asked)
        assert np.isfinite(found.mean).all()
        assert set(found.status) == {status}


def test_a_rise_that_has_not_begun_is_not_forecast_with_trust() -> None:
    """The tiny model stopped after 5, 10 and 15 tokens is right in 2 of 100; after 60 in 65."""
    curves = read_curves(ROOT / "studies" / "figure_3" / "tiny-forced.csv")
    (group,) = groups_of_curves(curves, "majority")
    points, accuracy = group.points, group.accuracy
    for count, trusted in ((3, False), (6, True)):
        seen = np.isin(points.setting, [name for name, _ in points.settings()[:count]])
        found = estimate(points[seen], accuracy[seen], group.stderr[seen], points[~seen])
        assert any("at every length seen" in note for note in found.notes) is not trusted
        if not trusted:
            assert set(found.status) == {Status.BOUND_HIT}


def test_one_n_is_enough_and_says_how_little_it_tells() -> None:
    points, accuracy = world()
    one = np.flatnonzero((points.N == 1) & (T[2] >= points.T))
    all_N, _ = seen_and_hidden(points, 3, 16)
    asked = Points.grid({"t320": 320.0}, N)
    vague, sure = (
        estimate(points[rows], accuracy[rows], np.full(len(rows), 0.005), asked) for rows in (one, all_N)
    )
    wide, narrow = vague.these.high - vague.these.low, sure.these.high - sure.these.low
    assert np.isfinite(vague.mean).all()
    assert wide[-1] > 1.5 * narrow[-1]


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_accuracies_at_the_ends_stay_there(value: float) -> None:
    points, _ = world()
    seen, hidden = seen_and_hidden(points, 3, 8)
    found = estimate(points[seen], np.full(len(seen), value), np.zeros(len(seen)), points[hidden])
    assert np.abs(found.mean - value).max() < 0.05
    assert ((found.these.low >= 0) & (found.these.high <= 1) & (found.these.low <= found.these.high)).all()


def test_missing_standard_errors_are_said_and_missing_lengths_are_not_guessed() -> None:
    points, accuracy = world()
    seen, hidden = seen_and_hidden(points, 3, 8)
    found, _, _ = of_world(most=8, stderr=np.nan, draws=20)
    assert np.isfinite(found.mean).all()
    assert any("standard errors" in note for note in found.notes)
    blind = Points(points.setting[seen], np.full(len(seen), np.nan), points.N[seen])
    other = estimate(blind, accuracy[seen], np.full(len(seen), 0.01), points[hidden], draws=20)
    known = np.isin(points.setting[hidden], blind.setting)
    assert np.isfinite(other.mean[known]).all()
    assert np.isnan(other.mean[~known]).all()


@pytest.mark.parametrize("bad", [np.nan, 1.2, -0.1])
def test_what_is_no_accuracy_is_refused(bad: float) -> None:
    points, _ = world()
    with pytest.raises(BadInput, match="0 to 1"):
        estimate(points[:3], np.array([0.2, bad, 0.3]), np.full(3, 0.01), points[3:])


def test_a_point_of_unknown_error_counts_as_one_of_a_point() -> None:
    """It is set to 0.01 beside known errors, so that it does not outweigh them."""
    at = np.array([1, 2, 4, 8, 16])
    accuracy = np.array([0.40, 0.41, 0.50, 0.56, 0.60])
    known, places = np.full(5, 0.03), (np.full(5, 100.0), at, accuracy)
    laws = [
        fit(*places, np.array([error, *known[1:]]), np.full(5, "s"), "majority")
        for error in (np.nan, 0.01, 0.03)
    ]
    unknown, one, other = (law.seen(at)[0] for law in laws)
    assert unknown == pytest.approx(one, abs=1e-9)
    assert np.abs(unknown - other).max() > 1e-3
