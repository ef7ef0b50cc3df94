"""Caps of one run, and the commands with --fit-cap: tables, truths, rivals, and what is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from predict.estimate import Options
from predict.estimators import CURVE_ONLY, DEFAULT, chosen, estimate
from predict.evidence.capped import capped, observe, seen_of
from predict.evidence.groups import Group, group_of_pools
from predict.evidence.points import Points, Run
from predict.evidence.request import Request
from predict.forecast_table import forecast
from predict.splits import backtest
from results import BadInput, build_curves
from results.votes.caps import cap_samples
from tests.predict.stopped.simulated import samples

pytestmark = pytest.mark.integration  # many seconds

OPTIONS = Options(replicates=20)
CAPS, REQUEST = (12000, 20000), Request(fit_max_n=8, at_n=(1, 8))


def one(frame: pd.DataFrame, method: str = "majority", cap: int = 8000) -> Group:
    return capped(frame, method, cap, CAPS)[0]


@pytest.mark.parametrize("method", ["majority", "best_of_n"])
def test_a_backtest_has_a_row_for_every_place_and_the_truth_of_the_curves(method: str) -> None:
    group = one(samples(), method)
    names = chosen("all", group)
    assert set(names) == {DEFAULT, *CURVE_ONLY}
    names = [DEFAULT, "flat"] if method == "majority" else ["flat"]
    table = backtest(group, names, REQUEST, 2, OPTIONS)
    assert len(table) == 2 * len(names) * 2 * 2
    truth = build_curves(cap_samples(samples(), CAPS), [method], ns=[1, 8], permutations=0)
    truth = truth.set_index(["setting", "N"])
    for _, row in table.iterrows():
        at = truth.loc[(row["setting"], row["N"])]
        assert row["accuracy"] == pytest.approx(at["accuracy"], abs=1e-12)
        if method == "majority":
            assert row["tokens"] == pytest.approx(at["tokens_per_answer"])
    for _, ours in table.groupby("estimator"):
        assert ours.groupby("split")["predicted"].mean().nunique() == 2  # each split saw different answers
        both = (ours["unseen"] + ours.groupby(["setting", "N"])["unseen"].transform("sum")) / 3
        assert both[ours["N"] == 1].to_numpy() == pytest.approx(ours[ours["N"] == 1]["accuracy"], abs=0.05)


def test_a_forecast_is_a_forecast_table_with_the_truth_where_the_run_went_on() -> None:
    table, _ = forecast(one(samples()), REQUEST, ["flat"], OPTIONS)
    assert table["setting"].tolist() == ["cap=12000", "cap=12000", "cap=20000", "cap=20000"]
    assert set(table["role"]) == {"held_out"}
    assert table["T"].to_numpy() == pytest.approx(24 * table["tokens_per_answer"].to_numpy(), nan_ok=True)
    stopped_there = cap_samples(samples(), [8000]).drop(columns="setting").assign(setting="default")
    alone, _ = forecast(one(stopped_there), REQUEST, ["flat"], OPTIONS)
    assert set(alone["role"]) == {"forecast"}
    assert alone["accuracy"].isna().all()
    for name in ("predicted", "low", "high"):  # no more of the longer run was seen
        assert alone[name].to_numpy() == pytest.approx(table[name].to_numpy(), abs=1e-12)


def test_sixteen_times_beyond_the_cap_or_the_answers_seen_no_forecast_is_ok() -> None:
    group = capped(samples(), "best_of_n", 8000, [128_000, 128_001])[0]
    asked = Points.grid({"cap=128000": 1.0, "cap=128001": 1.0}, [1, 128, 129])
    found = estimate("flat", observe(group, ["cap=8000"], 8), asked, Options())
    assert found.status.tolist() == ["ok", "ok"] + 4 * ["bound_hit"]


def test_rivals_see_eight_caps_in_equal_steps_of_the_share_ended() -> None:
    group = one(samples(), "best_of_n")
    observed = observe(group, ["cap=8000"], 16)
    assert isinstance(group.run, Run)
    *cheaper, (last, _) = observed.points.settings()
    assert (len(cheaper), last) == (7, "cap=8000")
    tokens = group.run.answers.tokens
    ended = np.array([(tokens <= cap).sum() for cap in [*(float(name) for name, _ in cheaper), 8000]])
    assert ended / ended[-1] == pytest.approx(np.arange(1, 9) / 8, abs=0.02)
    assert max(observed.points.T) < 8000
    longer = replace(group.run.answers, tokens=np.where(tokens > 8000, 9e5, tokens))
    other = group_of_pools(group.key, seen_of(group.run, longer)[1])
    assert np.array_equal(other.accuracy, observed.accuracy)


def test_several_settings_are_told_apart() -> None:
    groups = capped(samples(settings=("low", "high")), "majority", 8000, CAPS[::-1])
    for group, name in zip(groups, ("low", "high"), strict=True):
        assert group.run
        assert list(group.run.caps) == [f"{name} cap={cap}" for cap in (8000, *CAPS)]


def test_a_run_that_cut_answers_off_itself_is_no_truth_there() -> None:
    table = samples()
    over = table["tokens"] > 15000
    table["finish_reason"] = np.where(over, "length", "stop")
    table.loc[over, ["tokens", "correct"]] = [15000, False]
    table["answer"] = table["answer"].mask(over)
    found, _ = forecast(one(table, "best_of_n"), REQUEST, ["flat"], OPTIONS)
    assert found["role"].tolist() == ["held_out", "held_out", "forecast", "forecast"]
    with pytest.raises(BadInput, match="cap=20000"):
        backtest(one(table), ["flat"], REQUEST, 1, OPTIONS)
    with pytest.raises(BadInput, match="15000"):
        capped(table, "majority", 16000, [20000])
