"""The planner: prices, frontier, cheapest and best choices."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from predict.cli.plan import propose, verdict
from predict.estimate import Options
from predict.evidence.groups import Group, read_groups
from predict.evidence.request import Request
from predict.planning.next_run import NextRun
from predict.planning.plan import _as_measured, plan
from predict.table import forecast
from results.summary.buying import Plan
from tests.predict.commands import predict

LENGTHS = np.array([0.8, 1.2, 1.7, 2.5, 3.2, 4.0, 6.0])
GAP = {T: (0.8 - 0.5 * np.exp(-0.6 * T)) ** 2 / 2 for T in LENGTHS}


@pytest.fixture(scope="module")
def group(curves_file: Path) -> Group:
    return next(g for g in read_groups([curves_file], "majority") if g.model == "large")


@pytest.fixture(scope="module")
def planned(group: Group) -> Plan:
    """Of the six settings and a new one that is longer."""
    options = Options(replicates=400)
    return plan(group, "joint", 64, options, target_accuracy=0.8, new_settings=("long=6000",))


def test_the_cheapest_choice_that_reaches_the_target_is_that_of_the_known_surface(planned: Plan) -> None:
    places = [(1000 * T * n, T, n) for T in LENGTHS for n in 2 ** np.arange(7)]
    true = min(cost for cost, T, n in places if 0.9 - 0.4 * np.exp(-GAP[T] * n) >= 0.8)
    assert planned.chosen is not None
    assert planned.chosen["cost"] == pytest.approx(true)
    assert planned.cautious is not None
    assert planned.cautious["low"] >= 0.8
    assert planned.frontier["cost"].is_monotonic_increasing
    assert (np.diff(planned.frontier["predicted"]) > 0).all()


def test_new_settings_are_priced_by_the_length_named(planned: Plan) -> None:
    long = planned.options[planned.options["setting"] == "long"].set_index("N")
    assert long.loc[4, "cost"] == pytest.approx(24_000)
    assert long.loc[4, "predicted"] == pytest.approx(0.9 - 0.4 * np.exp(-GAP[6.0] * 4), abs=0.01)
    assert set(long["known"]) == {"forecast"}


def test_what_was_measured_is_taken_as_measured_whoever_forecasts(group: Group, planned: Plan) -> None:
    rows = planned.options[planned.options["setting"] != "long"]
    seen = rows[rows["known"] == "measured"]
    known = dict(zip(group.points.places(), group.accuracy, strict=True))
    assert len(seen) == 36
    for row in seen.itertuples():
        assert row.predicted == pytest.approx(known[row.setting, row.N], abs=1e-12)
    new = (seen["new_high"] - seen["new_low"]).mean()
    assert new == pytest.approx(2 * 1.645 * 0.005, rel=0.1)
    assert (seen["high"] - seen["low"]).mean() == pytest.approx(np.sqrt(0.1) * new)
    assert set(rows.loc[rows["known"] == "forecast", "N"]) == {64}


def test_both_intervals_hold_what_was_measured(group: Group) -> None:
    forecast = {"predicted": 0.5, "low": 0.4, "high": 0.6, "new_low": 0.3, "new_high": 0.7}
    rows = pd.DataFrame({"setting": "a", "N": 1, "accuracy": [0.2, 0.9], **forecast})
    found = _as_measured(rows, replace(group, pools=()), 0.9)
    ends = found[["low", "high", "new_low", "new_high"]].to_numpy().tolist()
    assert ends == [[0.2, 0.6, 0.2, 0.7], [0.4, 0.9, 0.3, 0.9]]


ROWS = pd.DataFrame(
    {
        "source": "llm",
        "method": "majority",
        "setting": ["40", "40", "80", "80"],
        "N": [1, 2, 2, 4],
        "cost": [100.0, 200.0, 300.0, 600.0],
        "predicted": [0.80, 0.90, 0.86, 0.88],
        "low": [0.70, 0.60, 0.81, 0.84],
        "high": 0.95,
    }
)
A, B, C, D = (
    "40 tokens, used 100, N = 1:",
    "40 tokens, used 100, N = 2: 90.0 % (60.0 … 95.0 %) for 200 ",
    "80 tokens, used 150, N = 2:",
    "80 tokens, used 150, N = 4:",
)


@pytest.mark.parametrize(
    ("goal", "told"),
    [
        ({"target_accuracy": 0.8}, [("80.0 %: ", A), ("80.0 %", C)]),
        ({"target_accuracy": 0.85}, [("85.0 %: ", B), ("85.0 %", "no choice does")]),
        ({"target_accuracy": 0.95}, [("95.0 %: no choice does; the best: ", B)]),
        ({"token_budget": 300.0}, [("Within 300 tokens", B), ("lower end", C)]),
        ({"token_budget": 100.0}, [("Within 100 tokens", A), ("lower end", "the same")]),
        ({"token_budget": 99.0}, [("no choice fits; the cheapest: ", A)]),
        ({}, [("a point of the best (90.0 %): ", B), ("lower end", D)]),
    ],
)
def test_what_to_buy_is_said_and_what_by_the_lower_end_of_the_interval(
    goal: dict[str, float], told: list[tuple[str, str]]
) -> None:
    sentences = verdict(Plan(ROWS, **goal), "tokens")
    assert len(sentences) == len(told)
    for sentence, (aim, what) in zip(sentences, told, strict=True):
        assert aim in sentence
        assert what in sentence.split(aim)[1]


def test_a_vote_of_two_is_never_bought(samples_file: Path) -> None:
    """It is as good as a single answer, with ties shared, and costs twice as much."""
    (sampled,) = read_groups([samples_file], "majority")
    found = plan(sampled, "mixture", 2, Options(replicates=20))
    assert found.chosen is not None
    assert found.chosen["N"] == 1
    assert set(found.frontier["N"]) == {1}


def test_forecast_and_plan_give_the_exact_vote_of_all_answers(samples_file: Path) -> None:
    """Not that of the first N answers, nor what the mixture makes of them; the interval holds it."""
    (group,) = read_groups([samples_file], "majority")
    known = dict(zip(group.points.places(), group.accuracy, strict=True))
    table, _ = forecast(group, Request(fit_max_n=2), ["mixture"], Options(replicates=20))
    assert dict(zip(zip(table["setting"], table["N"], strict=True), table["accuracy"], strict=True)) == known
    rows = plan(group, "mixture", 8, Options(replicates=20)).options
    assert set(rows["known"]) == {"measured"}
    for row in rows.itertuples():
        assert row.predicted == pytest.approx(known[row.setting, row.N], abs=1e-12)
        assert row.low <= row.predicted <= row.high
        assert row.new_low <= row.predicted <= row.new_high


def test_from_samples_the_next_run_is_named_with_its_price(samples_file: Path, tmp_path: Path) -> None:
    table, picture = tmp_path / "plan.csv", tmp_path / "plan.svg"
    done = predict(
        "plan",
        samples_file,
        "--target-accuracy",
        "0.6",
        "--max-n",
        "16",
        "--bootstrap",
        "60",
        "--predictor",
        "plug-in",
        "--out",
        table,
        "--plot",
        picture,
    )
    assert done.exit_code == 0, done.output
    assert "The next run, to narrow an interval at setting" in done.output
    assert "40 → 80 questions" in done.output
    rows = pd.read_csv(table, dtype={"setting": str})
    assert len(rows) == 4 * 5
    assert (rows["cost"] == sorted(rows["cost"])).all()
    assert set(rows["target_accuracy"]) == {0.6}
    assert rows["token_budget"].isna().all()
    assert picture.read_text().startswith("<svg")


def test_runs_are_named_by_what_they_narrow_for_their_tokens_and_only_where_they_do(
    samples_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """ "idle" gains less than a tenth of a point to either side, "noise" less than a fiftieth."""
    (sampled,) = read_groups([samples_file], "majority")
    runs = [
        NextRun(name, kind, 8, 16, cost, now, then)
        for name, kind, cost, now, then in (
            ("dear", "answers", 5000.0, 0.1, 0.05),
            ("cheap", "questions", 100.0, 0.2, 0.18),
            ("idle", "answers", 1.0, 0.05, 0.0481),
            ("noise", "answers", 1.0, 0.3, 0.295),
            ("worse", "answers", 1.0, 0.1, 0.11),
        )
    ]
    monkeypatch.setattr("predict.cli.plan.next_runs", lambda *_given: runs)
    row = pd.Series({"setting": "40", "N": 4, "cost": 126.0})
    propose(sampled, "mixture", row, Options())
    lines = capsys.readouterr().out.splitlines()[-2:]
    assert [line.split()[0] for line in lines] == ["cheap", "dear"]
    assert "100  new questions    ±10.0 → ±9.0" in lines[0]
    assert "these questions" in lines[1]
