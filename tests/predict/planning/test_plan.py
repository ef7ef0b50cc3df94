"""The planner: prices, frontier, cheapest and best choices."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from predict.cli.plan import propose
from predict.forecasting import forecast
from predict.groups import Group, read_groups
from predict.planning.next_run import NextRun
from predict.planning.plan import plan
from predict.protocol import Options
from predict.split import Request
from results.frontier import Plan
from tests.predict.commands import predict


@pytest.fixture(scope="module")
def group(curves_file: Path) -> Group:
    return next(g for g in read_groups([curves_file], "majority") if g.model == "large")


def test_the_cheapest_choice_that_reaches_the_target_is_that_of_the_known_surface(group: Group) -> None:
    found = plan(group, "joint", 64, Options(replicates=60), target_accuracy=0.8)
    lengths = np.array([0.8, 1.2, 1.7, 2.5, 3.2, 4.0])
    places = [(1000 * T * n, T, n) for T in lengths for n in 2 ** np.arange(7)]
    gap = {T: (0.8 - 0.5 * np.exp(-0.6 * T)) ** 2 / 2 for T in lengths}
    true = min(cost for cost, T, n in places if 0.9 - 0.4 * np.exp(-gap[T] * n) >= 0.8)
    assert found.chosen is not None
    assert found.chosen["cost"] == pytest.approx(true)
    assert found.cautious is not None
    assert found.cautious["low"] >= 0.8
    assert found.cautious["cost"] >= found.chosen["cost"]
    assert found.frontier["cost"].is_monotonic_increasing
    assert (np.diff(found.frontier["predicted"]) > 0).all()


def test_the_cautious_choice_goes_by_the_lower_end_of_the_interval() -> None:
    rows = pd.DataFrame(
        {"cost": [100.0, 200.0, 300.0, 400.0], "predicted": [0.80, 0.90, 0.86, 0.88],
         "low": [0.70, 0.60, 0.81, 0.84]}
    )  # fmt: skip
    for goal, chosen, cautious in (
        ({"target_accuracy": 0.8}, 100, 300), ({"token_budget": 300.0}, 200, 300), ({}, 200, 400),
    ):  # fmt: skip
        found = Plan(rows, **goal)
        assert found.chosen is not None
        assert found.cautious is not None
        assert (found.chosen["cost"], found.cautious["cost"]) == (chosen, cautious)


def test_a_vote_of_two_is_never_bought(samples_file: Path) -> None:
    """It is as good as a single answer, with ties shared, and costs twice as much."""
    (sampled,) = read_groups([samples_file], "majority")
    found = plan(sampled, "mixture", 2, Options(replicates=20))
    assert found.chosen is not None
    assert found.chosen["N"] == 1
    assert set(found.frontier["N"]) == {1}


@pytest.mark.parametrize("name", ["power-law", "mixture"])
def test_what_was_measured_is_taken_as_measured_whoever_forecasts(curves_file: Path, name: str) -> None:
    group = next(g for g in read_groups([curves_file], "majority") if g.model == "small")
    rows = plan(group, name, 64, Options(replicates=400)).options
    seen = rows[rows["known"] == "measured"]
    known = {(s, n): a for s, n, a in zip(group.points.setting, group.points.N, group.accuracy, strict=True)}
    assert len(seen) == 36
    for row in seen.itertuples():
        assert row.predicted == pytest.approx(known[row.setting, row.N], abs=1e-12)
    new = (seen["new_high"] - seen["new_low"]).mean()
    assert new == pytest.approx(2 * 1.645 * 0.005, rel=0.1)
    assert (seen["high"] - seen["low"]).mean() == pytest.approx(np.sqrt(0.1) * new)
    assert set(rows.loc[rows["known"] == "forecast", "N"]) == {64}


def test_forecast_and_plan_give_the_exact_vote_of_all_answers(samples_file: Path) -> None:
    """Not that of the first N answers, nor what the mixture makes of them; the interval holds it."""
    (group,) = read_groups([samples_file], "majority")
    known = {(s, n): a for s, n, a in zip(group.points.setting, group.points.N, group.accuracy, strict=True)}
    table, _ = forecast(group, Request(fit_max_n=2), ["mixture"], Options(replicates=20))
    assert {
        (s, n): a for s, n, a in zip(table["setting"], table["N"], table["accuracy"], strict=True)
    } == known
    rows = plan(group, "mixture", 8, Options(replicates=20)).options
    assert set(rows["known"]) == {"measured"}
    for row in rows.itertuples():
        assert row.predicted == pytest.approx(known[row.setting, row.N], abs=1e-12)
        assert row.low <= row.predicted <= row.high
        assert row.new_low <= row.predicted <= row.new_high


def test_new_settings_are_priced_by_the_length_named(curves_file: Path) -> None:
    group = next(g for g in read_groups([curves_file], "majority") if g.model == "large")
    rows = plan(group, "joint", 8, Options(replicates=40), new_settings=("long=6000",)).options
    long = rows[rows["setting"] == "long"].set_index("N")
    assert long.loc[4, "cost"] == pytest.approx(24_000)
    assert long.loc[4, "predicted"] == pytest.approx(
        0.9 - 0.4 * np.exp(-((0.8 - 0.5 * np.exp(-0.6 * 6)) ** 2) * 4 / 2), abs=0.01
    )


def test_from_samples_the_next_run_is_named_with_its_price(samples_file: Path, tmp_path: Path) -> None:
    table, picture = tmp_path / "plan.csv", tmp_path / "plan.svg"
    done = predict(
        "plan", samples_file, "--target-accuracy", "0.6", "--max-n", "16", "--bootstrap", "60",
        "--out", table, "--plot", picture,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "The next run, to narrow an interval at setting" in done.output
    assert "40 → 80 questions" in done.output
    rows = pd.read_csv(table, dtype={"setting": str})
    assert len(rows) == 4 * 5
    assert (rows["cost"] == sorted(rows["cost"])).all()
    assert picture.read_text().startswith("<svg")


def test_runs_are_named_by_what_they_narrow_for_their_tokens_and_only_where_they_do(
    samples_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (sampled,) = read_groups([samples_file], "majority")
    widths = {"dear": (5000.0, 0.05), "cheap": (100.0, 0.09), "idle": (1.0, 0.0999), "worse": (1.0, 0.11)}
    runs = [NextRun(name, "answers", 8, 16, cost, 0.1, then) for name, (cost, then) in widths.items()]
    monkeypatch.setattr("predict.cli.plan.next_runs", lambda *_: runs)
    propose(sampled, "mixture", pd.Series({"setting": "40", "N": 4, "cost": 126.0}), 16, Options())
    lines = capsys.readouterr().out.splitlines()[-2:]
    assert [line.split()[0] for line in lines] == ["cheap", "dear"]


def test_goals_out_of_reach_are_said_to_be(curves_file: Path) -> None:
    options = ("--bootstrap", "40", "--predictor", "power-law")
    high = predict("plan", curves_file, "--target-accuracy", "0.999", *options)
    assert "no choice does; the best: " in high.output
    low = predict("plan", curves_file, "--token-budget", "1", *options)
    assert "800 tokens a question" in low.output
