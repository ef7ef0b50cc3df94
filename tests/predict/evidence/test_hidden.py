"""A predictor sees nothing that depends on hidden answers, settings or points."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from predict.evidence.capped import observe
from predict.evidence.groups import Group, groups_of_curves, groups_of_samples
from predict.evidence.points import Evidence
from predict.evidence.request import Request
from predict.evidence.targets import split
from tests.predict.conftest import simulated_samples

SEEN = 4


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return simulated_samples(questions=20, answers=8)


def group(frame: pd.DataFrame) -> Group:
    return groups_of_samples(frame, "majority")[0]


def test_answers_beyond_the_limit_change_nothing_that_is_observed(frame: pd.DataFrame) -> None:
    """The first answers stay the same, with all later ones right, then all wrong."""
    later = frame["sample"] >= SEEN
    request = Request(fit_max_n=SEEN)
    seen = []
    for right, word in ((True, "right"), (False, "wrong 9")):
        changed = frame.assign(
            correct=frame["correct"].where(~later, right), answer=frame["answer"].where(~later, word)
        )
        seen.append(split(group(changed), request).observed)
    one, other = seen
    assert set(one.points.N) == {1, 2, 3, 4}
    for name in ("accuracy", "stderr"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    for a, b in zip(one.pools, other.pools, strict=True):
        assert np.array_equal(a.answers.votes, b.answers.votes)


def assert_made_of_its_own_answers(seen: Evidence) -> None:
    for pool in seen.pools:
        assert set(pool.answers.sizes) == {SEEN}
        counts = pool.answers.counts()
        single = (seen.points.setting == pool.setting) & (seen.points.N == 1)
        assert seen.accuracy[single] == pytest.approx((counts.correct / counts.pools).mean())
        assert (pool.sizes == 8).all()
    assert seen.points.N.max() == SEEN


def test_points_are_made_of_the_answers_kept(frame: pd.DataFrame) -> None:
    whole = group(frame)
    names = [name for name, _ in whole.points.settings()]
    assert_made_of_its_own_answers(observe(whole, names, SEEN))
    for draw in (0, 1):
        assert_made_of_its_own_answers(observe(whole, names, SEEN, 0, draw))


def test_settings_that_are_not_fitted_are_not_observed(frame: pd.DataFrame) -> None:
    whole = group(frame)
    for known in (whole, replace(whole, pools=())):
        task = split(known, Request(fit_settings=("40", "160")))
        assert set(task.observed.points.setting) == {"40", "160"}
        assert {pool.setting for pool in task.observed.pools} <= {"40", "160"}


def test_roles_and_truths(frame: pd.DataFrame) -> None:
    whole = group(frame)
    task = split(whole, Request(fit_max_n=SEEN, at_n=(2, 8, 64), at_settings=("80", "new=500")))
    told = list(zip(task.targets.setting.tolist(), task.targets.N.tolist(), task.role, strict=True))
    assert told == [
        ("80", 2, "used"),
        ("80", 8, "held_out"),
        ("80", 64, "forecast"),
        ("new", 2, "forecast"),
        ("new", 8, "forecast"),
        ("new", 64, "forecast"),
    ]
    at_8 = (whole.points.setting == "80") & (whole.points.N == 8)
    assert task.truth[1] == whole.accuracy[at_8][0]
    assert np.isnan(task.truth[2:]).all()
    assert task.targets.T[3] == 500


def test_without_options_the_cheaper_half_is_observed(frame: pd.DataFrame) -> None:
    whole = group(frame)
    assert set(split(whole, Request()).observed.points.setting) == {"40", "80", "160"}
    two = group(frame[frame["setting"].isin(["40", "80"])])
    task = split(two, Request())
    rows = pd.DataFrame({"setting": list("abcdefg"), "tokens_per_answer": np.arange(1, 8), "N": 1}).assign(
        source="llm", dataset="d", model="m", method="majority", permutation="exact", accuracy=0.5, T=np.nan
    )
    (seven,) = groups_of_curves(rows, "majority")
    assert set(split(seven, Request()).observed.points.setting) == set("abcd")
    assert (set(task.observed.points.setting), task.observed.points.N.max()) == ({"40", "80"}, 4)
