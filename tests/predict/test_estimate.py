"""Estimates: intervals are the middle of the draws and contain the mean; a bad mean has a status."""

from typing import Any

import numpy as np
import pytest

from predict import forecast
from predict.estimate import Estimate, Options, Status, everywhere, from_draws
from predict.estimators import ESTIMATORS, WIDE, estimate
from predict.evidence.points import Evidence, Points
from results.summary.panels import make_panels
from results.tables.contract import as_table
from results.votes.curves import build_curves
from tests.predict.conftest import simulated_samples


def test_intervals_statuses_and_means_that_cannot_be() -> None:
    mean = np.array([0.5, 0.1, 1.2, np.nan])
    draws = np.tile(np.linspace(0.4, 0.6, 1001)[:, None], 4)
    wider = 2 * draws - 0.5
    found = from_draws(mean, draws, wider, everywhere(Status.BOUND_HIT, 4), 0.9)
    assert found.these.low == pytest.approx([0.41, 0.1, 0.41, np.nan], nan_ok=True)
    assert found.these.high == pytest.approx([0.59, 0.59, 1.2, np.nan], nan_ok=True)
    assert found.new.low[0] == pytest.approx(0.32)
    assert found.new.high[0] == pytest.approx(0.68)
    assert found.status.tolist() == ["bound_hit", "bound_hit", "out_of_range", "not_identifiable"]
    assert np.isnan(from_draws(mean, draws[:0], draws[:0], found.status, 0.9).these.low).all()


@pytest.mark.parametrize("level", [0.5, 0.8, 0.99])
def test_an_interval_holds_the_share_of_the_draws_that_its_level_says(level: float) -> None:
    draws = np.linspace(0.0, 1.0, 10_001)[:, None]
    found = from_draws(np.array([0.5]), draws, draws, everywhere(Status.OK, 1), level).these
    assert found.level == level
    inside = (draws >= found.low) & (draws <= found.high)
    assert inside.mean() == pytest.approx(level, abs=1e-3)


def test_only_the_interval_of_an_unstable_mean_leaves_the_unit_interval() -> None:
    status = np.array(["falling", "ill_conditioned", "bound_hit"])
    draws = np.tile([[-1.0], [3.0]], 3)
    found = from_draws(np.array([0.5, 0.5, 1.1]), draws, draws, status, 0.9)
    assert found.these.low == pytest.approx([0, -0.8, -0.8])
    assert found.these.high == pytest.approx([1, 2.8, 2.8])
    assert found.status.tolist() == ["falling", "ill_conditioned", "out_of_range"]


@pytest.mark.parametrize(("width", "status"), [(WIDE - 0.01, "ok"), (WIDE + 0.01, "bound_hit")])
def test_an_interval_of_a_third_of_the_range_is_not_ok_whoever_forecasts(
    width: float, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of_width(_seen: Evidence, targets: Points, _options: Options) -> Estimate:
        mean, ends = np.full(len(targets), 0.5), 0.5 + width * np.array([[-0.5], [0.5]])
        return from_draws(mean, ends, ends, everywhere(Status.OK, len(targets)), 1.0)

    monkeypatch.setitem(ESTIMATORS, "flat", of_width)
    place = Points(np.array(["s"]), np.ones(1), np.ones(1, int))
    seen = Evidence(place, np.array([0.5]), np.array([0.01]))
    assert estimate("flat", seen, place, Options()).status.tolist() == [status]


@pytest.mark.parametrize("predictor", ["default", "flat", "power-law"])
@pytest.mark.parametrize("given", ["majority", "all_of_n", "curves", "caps"])
@pytest.mark.parametrize(("size", "half"), [(1, 1.796 / 12), (3, 2.353 * 1.5 / 12)])
def test_any_predictor_takes_it_that_one_question_or_half_a_cluster_may_be_missed(
    given: str, predictor: str, size: int, half: float
) -> None:
    """For 12 questions and for 4 clusters of three, by Student's law; all answers are right."""
    rows = simulated_samples(12, 8, ("40",)).assign(answer="right", correct=True)
    rows["cluster"] = (rows["question_id"].str[1:].astype(int) // size).astype(str)
    if given == "curves":
        rows = build_curves(as_table(rows, "samples"), permutations=0)
    asked: dict[str, Any] = {"at_n": [8], "fit_cap": 33, "at_caps": [40]} if given == "caps" else {}
    method = "all_of_n" if given == "all_of_n" else "majority"
    found = forecast(rows, predictor=predictor, method=method, replicates=20, **asked).iloc[-1]
    assert found["new_high"] == pytest.approx(1, abs=0.02)
    assert found["new_low"] <= found["predicted"] - half + 1e-3


@pytest.mark.parametrize("given", ["samples", "curves"])
@pytest.mark.parametrize("size", [1, 3])
def test_at_few_questions_no_forecast_is_surer_of_a_measured_point_than_the_report(
    given: str, size: int
) -> None:
    """For 12 questions and for 4 clusters of three, by every predictor."""
    rows = simulated_samples(12, 8, ("40", "80", "160"))
    rows["cluster"] = (rows["question_id"].str[1:].astype(int) // size).astype(str)
    curves = build_curves(as_table(rows, "samples"), permutations=0)
    (panel,) = (one for one in make_panels(curves) if one.key.method == "majority")
    table = rows if given == "samples" else curves
    found = forecast(table, predictor="all", at_n=[1, 2, 8], replicates=200)
    assert set(found["role"]) == {"used"}
    least = panel.exact.assign(half=panel.margin).set_index(["setting", "N"])["half"]
    for (setting, n), own in found.groupby(["setting", "N"]):
        inside = own["new_low"].gt(0) & own["new_high"].lt(1)
        half = (own["new_high"] - own["new_low"])[inside] / 2
        assert (half >= least[setting, n] - 1e-9).all()
