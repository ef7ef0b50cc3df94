"""If questions come in clusters, new questions are new passages: in forecasts, plans, sizes of runs."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import stdtrit

from predict.library import forecast
from predict.planning.margins import precision
from predict.planning.power import power
from results import as_samples
from results.votes.clusters import standard_error
from results.votes.exact import answer_pools
from tests.results.test_clusters import clustered, samples


@pytest.fixture(autouse=True)
def few_imagined(monkeypatch):
    monkeypatch.setattr("predict.planning.imagined_runs.IMAGINED", 4000)


def pools(frame):
    return answer_pools(as_samples(frame))


def test_the_new_margin_of_a_run_like_the_pilot_is_that_of_its_clusters():
    plain, together = (precision(pools(frame(seed=4)), [60], [4], 0) for frame in (samples, clustered))
    assert (together["new_margin"] > 1.5 * plain["new_margin"]).all()
    np.testing.assert_allclose(together["margin"], plain["margin"])
    counts = pools(clustered(seed=4)).counts()
    exact = (counts.correct / counts.pools)[:, None]
    stderr = standard_error(exact, pools(clustered(seed=4)).clusters)[0]
    assert together["new_margin"][0] == pytest.approx(1.796 * stderr, rel=0.08)  # Student's
    fewer = precision(pools(clustered(seed=4)[1:]), [60], [8], 0)  # one question has one answer less
    assert (fewer["new_margin"] > 1.5 * fewer["margin"]).all()


@pytest.mark.parametrize(("added", "left"), [(0.05, 0.03), (0.01, 0.0)])
def test_what_luck_leaves_below_zero_is_taken_from_what_clusters_add(added, left, monkeypatch):
    monkeypatch.setattr("predict.planning.margins.parts", lambda _: (-0.02, 0.04))
    monkeypatch.setattr("predict.planning.margins.shared_variance", lambda *_: [added])
    margin = precision(pools(clustered(seed=4)), [600], [1], 0)["new_margin"]
    np.testing.assert_allclose(margin, 1.645 * np.sqrt((left + 0.04) / 600), rtol=1e-3)


def test_a_comparison_of_clusters_takes_more_questions():
    runs = [(pools(frame(seed=5)), pools(frame(seed=6))) for frame in (samples, clustered)]
    plain, together = (power(a, b, [60], [4], 0) for a, b in runs)
    assert (together["margin"] > plain["margin"]).all()
    assert (together["questions_to_decide"] > plain["questions_to_decide"]).all()
    a, b = runs[1]
    told_by_one = power(replace(a, clusters=None), b, [60], [4], 0)
    pd.testing.assert_frame_equal(told_by_one, together)


@pytest.mark.parametrize("method", ["majority", "best_of_n"])
def test_intervals_of_new_questions_are_wider_and_those_of_these_are_not(method):
    plain, together = (forecast(frame(seed=4), at_n=[8], method=method) for frame in (samples, clustered))
    width = [table["new_high"] - table["new_low"] for table in (plain, together)]
    assert (width[1] > 1.2 * width[0]).all()
    these = [(table["high"] - table["low"]).iloc[0] for table in (plain, together)]
    students = stdtrit(11, 0.95) / 1.645  # 12 passages; for 60 questions the normal law applies
    assert these[1] == pytest.approx(students * these[0], rel=0.05)
