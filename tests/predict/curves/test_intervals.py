"""Replicates: all settings draw the same questions; the points of a curve share most of their noise."""

import numpy as np
import pandas as pd
import pytest

from predict.curves.intervals import SHARED, replicate_curves, replicate_samples
from predict.evidence.groups import Group, group_of_pools, groups_of_samples
from predict.evidence.points import Pool
from results.tables.key import Key
from results.votes.exact import answer_pools
from tests.predict.conftest import simulated_samples


def test_replicates_have_the_spread_of_the_standard_error_and_are_seeded() -> None:
    frame = simulated_samples(questions=80)
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
