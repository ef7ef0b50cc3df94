"""Replicates: all settings draw the same questions, and the points of a curve share most of their noise.

The error of a formula: no more than the residual for a perfect one, and growing for a wrong one.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from predict.curves.intervals import (
    SHARED,
    USUAL,
    luck_share,
    model_error,
    replicate_curves,
    replicate_samples,
)
from predict.curves.rivals import exponential, flat
from predict.estimate import Options
from predict.estimators import RIVALS
from predict.evidence.groups import Group, group_of_pools, groups_of_samples
from predict.evidence.points import Evidence, Floats, Points, Pool
from results.normal import Z90
from results.tables.key import Key
from results.votes.exact import AnswerPools, answer_pools
from tests.predict.answers.pools import drawn_pool
from tests.predict.conftest import simulated_samples


@pytest.mark.parametrize("size", [1, 2])
def test_replicates_have_the_spread_of_the_standard_error_and_are_seeded(size: int) -> None:
    """This also holds for questions in pairs of similar difficulty."""
    frame = simulated_samples(questions=80)
    rank = frame.groupby("question_id")["correct"].mean().rank(method="first")
    frame["cluster"] = (frame["question_id"].map(rank - 1) // size).astype(str)
    pools = [
        Pool(str(name), 1.0 + i, answer_pools(part))
        for i, (name, part) in enumerate(frame.groupby("setting"))
    ]
    group = group_of_pools(Key("llm", "d", "m", method="majority"), pools)
    copies = replicate_samples(group.points, group.pools, "majority", 2000, 1)
    assert copies.mean(axis=0) == pytest.approx(group.accuracy, abs=0.01)
    assert copies.std(axis=0) == pytest.approx(group.stderr, rel=0.12)
    assert np.array_equal(copies, replicate_samples(group.points, group.pools, "majority", 2000, 1))
    drawn = replicate_curves(group.accuracy, group.stderr, 4000, 1)
    assert drawn.std(axis=0) == pytest.approx(group.stderr, rel=0.1)
    assert len(replicate_curves(group.accuracy, np.full(len(group.points), np.nan), 10, 1)) == 0


def test_a_question_weighs_alike_at_all_settings_whatever_one_of_them_lacks() -> None:
    """One of three is wrong: if it is not drawn, the setting that lacks a right one is all right, too."""
    starts, tokens = np.arange(4), np.ones(3)
    whole = AnswerPools(["a", "b", "c"], starts, np.array([0, 0, 1]), tokens)
    part = AnswerPools(["b", "c"], starts[:3], np.array([0, 1]), tokens[:2])
    pools = (Pool("10", 10.0, whole), Pool("20", 20.0, part))
    copies = replicate_samples(Points.grid({"10": 10.0, "20": 20.0}, [1]), pools, "majority", 200, 0)
    assert set(copies[copies[:, 0] == 1, 1]) == {1.0}
    pools = (Pool("10", 10.0, whole), Pool("20", 20.0, replace(whole, clusters=["a", "a", "b"])))  # only once
    copies = replicate_samples(Points.grid({"10": 10.0, "20": 20.0}, [1]), pools, "majority", 200, 0)
    assert np.array_equal(copies[:, 0], copies[:, 1])


def two_settings() -> Group:
    """The same answers at two settings: the bootstrap must draw the same questions at both."""
    frame = simulated_samples(questions=30, answers=4, settings=("40",))
    return groups_of_samples(pd.concat([frame, frame.assign(setting="80", tokens=90)]), "majority")[0]


def test_every_setting_draws_the_same_questions() -> None:
    group = two_settings()
    copies = replicate_samples(group.points, group.pools, "majority", 50, 3)
    first, second = (copies[:, group.points.setting == name] for name in ("40", "80"))
    assert first == pytest.approx(second, abs=1e-12)
    assert first.std(axis=0).min() > 0.02


def test_a_setting_with_fewer_questions_is_averaged_over_those_it_has() -> None:
    frame = simulated_samples(questions=40, answers=4, settings=("40", "80"))
    lacking = (frame["setting"] == "80") & frame["question_id"].isin([f"q{i}" for i in range(20)])
    group = groups_of_samples(frame[~lacking], "majority")[0]
    copies = replicate_samples(group.points, group.pools, "majority", 2000, 1)
    assert copies.mean(axis=0) == pytest.approx(group.accuracy, abs=0.01)
    assert copies.std(axis=0) == pytest.approx(group.stderr, rel=0.15)


def test_points_of_a_curve_share_most_of_their_noise() -> None:
    copies = replicate_curves(np.full(6, 0.5), np.full(6, 0.01), 20_000, 0)
    correlation = np.corrcoef(copies, rowvar=False)[np.triu_indices(6, 1)]
    # an estimated correlation is off by about (1 − ρ²) / √20,000 = 0.0013
    assert correlation == pytest.approx(SHARED, abs=0.008)


N = np.array([1, 2, 4, 8, 16])
POINTS = Points(np.full(5, "a"), np.ones(5), N)
FAR = Points(np.full(3, "a"), np.ones(3), np.array([16, 32, 256]))
RISING = 0.9 - 0.4 * np.exp(-0.2 * N)


def seen(accuracy: Floats) -> Evidence:
    return Evidence(POINTS, accuracy, np.full(5, 0.01))


def by_exponential(points: Points, accuracy: Floats, targets: Points) -> Floats:
    return exponential(points, accuracy[None], targets).mean[0]


def by_last(points: Points, accuracy: Floats, targets: Points) -> Floats:
    return flat(points, accuracy[None], targets).mean[0]


def test_a_right_formula_is_off_by_what_is_usual_at_most_and_nowhere_where_it_was_fitted() -> None:
    error = model_error(seen(RISING), FAR, by_exponential)
    assert error[0] == pytest.approx(0.0, abs=1e-3)
    assert (error[1:] <= USUAL * np.log(FAR.N[1:] / 16) + 1e-3).all()


def test_where_it_was_fitted_a_formula_is_off_by_its_residual() -> None:
    error = model_error(seen(RISING), FAR, lambda _points, _accuracy, at: np.full(len(at), 0.6))
    assert error[0] == pytest.approx(np.sqrt(np.mean((RISING - 0.6) ** 2)))


def test_along_N_a_half_and_then_three_quarters_of_the_largest_are_left_out() -> None:
    """A constant is off by 7 points at N = 16 if fitted to 8, and by 5 and 12 at N = 8 and 16 if to 4."""
    error = model_error(seen(0.01 * np.log2(N) ** 2), FAR, by_last)
    squares = [(0.07 / np.log(2)) ** 2, ((0.05 / np.log(2)) ** 2 + (0.12 / np.log(4)) ** 2) / 2]
    per_e = np.sqrt((USUAL**2 + sum(squares)) / 3)
    assert error == pytest.approx(per_e * np.log(FAR.N / 16), abs=1e-12)


def test_along_T_the_dearest_settings_are_left_out() -> None:
    T = np.repeat([1.0, 2.0, 4.0, 8.0], 5)
    points = Points(T.astype(str), T, np.tile(N, 4))
    accuracy = np.tile(RISING, 4) + 0.1 * np.log2(T)
    observed = Evidence(points, accuracy, np.full(20, 0.01))
    at = np.array([8.0, 16.0, 64.0, 16.0])
    error = model_error(observed, Points(at.astype(str), at, np.array([32, 8, 8, 32])), by_last)
    per_e = np.sqrt((USUAL**2 + 2 * (0.1 / np.log(2)) ** 2) / 3)
    assert error[1:3] == pytest.approx(per_e * np.log([2.0, 8.0]), rel=1e-6)
    assert error[3] == pytest.approx(np.hypot(error[0], error[1]))  # farther along N and along T


def test_for_these_questions_only_the_luck_of_the_answers_spreads() -> None:
    pool = drawn_pool(200, 8, np.random.default_rng(5))
    group = group_of_pools(Key("llm", "d", "m", method="majority"), [pool])
    answers = Evidence(group.points, group.accuracy, group.stderr, group.pools)
    counts = pool.answers.counts()
    rate = counts.correct / counts.pools
    share = (rate * (1 - rate) / 7).mean() / rate.var()
    assert luck_share(answers) == pytest.approx(share)
    assert luck_share(Evidence(group.points, group.accuracy, group.stderr)) == pytest.approx(1 - SHARED)


def test_the_shared_interval_is_narrower_for_these_questions_than_for_new_ones() -> None:
    pool = drawn_pool(200, 8, np.random.default_rng(5))
    group = group_of_pools(Key("llm", "d", "m", method="majority"), [pool])
    answers = Evidence(group.points, group.accuracy, group.stderr, group.pools)
    place = Points(np.array(["s"]), np.ones(1), np.array([8]))
    found = RIVALS["flat"](answers, place, Options(replicates=4000))
    ratio = (found.these.high - found.these.low) / (found.new.high - found.new.low)
    assert ratio == pytest.approx([np.sqrt(luck_share(answers))], rel=0.05)
    sd = (found.new.high - found.new.low) / 2 / Z90
    assert sd == pytest.approx(group.stderr[group.points.N == 8], rel=0.08)
