"""Errors of forecasts against numbers computed by hand."""

from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from results.report.inputs import read_tables
from results.report.page import build_report
from results.report.selectors import forecast_choices
from results.summary.forecasts import lead, make_forecasts, scores, targets
from results.tables.money import NO_MONEY, Price
from results.words.forecasts import error_table, which_predictor
from tests.results.made_tables import curves, forecast_table


@pytest.mark.usefixtures("undrawn")
def test_forecasts_of_a_model_with_a_price_cost_dollars(tmp_path):
    """16 answers of 700 tokens to 1,000 questions, at 2 dollars a million; no curve has that length."""
    curves().to_csv(tmp_path / "curves.csv", index=False)
    longer = forecast_table("flat", [0.6, 0.7]).assign(tokens_per_answer=700.0)
    longer.to_csv(tmp_path / "forecast.csv", index=False)
    read = read_tables(sorted(tmp_path.iterdir()), prices={"m": Price(2.0)})
    assert "$22.40" in build_report(read, datetime(2026, 1, 2, tzinfo=UTC))["index.html"].decode()


def test_errors_of_forecasts_are_those_worked_out_by_hand():
    """A predictor with only one of two forecasts is not ranked, however small its error."""
    good = forecast_table("good", [0.63, 0.75])  # 1 point off twice, inside ± 3 points
    bad = forecast_table("bad", [0.52, 0.94])  # 10 and 20 points off, outside
    partial = forecast_table("partial", [0.62, np.nan], "not_identifiable")
    forecasts = make_forecasts({"f": pd.concat([bad, partial, good])})
    table = error_table("errors", targets(forecasts))
    assert table.rows == [
        ["good", "1.00", "1.0", "6.0", "2 of 2", "2 of 2"],
        ["bad", "15.00", "20.0", "246.0", "0 of 2", "2 of 2"],
        ["partial", "0.00", "0.0", "6.0", "1 of 1", "1 of 2"],
    ]
    assert "partial" not in which_predictor(targets(forecasts))
    assert [one.name for one in forecast_choices(forecasts, NO_MONEY)[0].choices] == [
        "good",
        "bad",
        "partial",
    ]
    ahead = good.tail(1).assign(N=64, accuracy=np.nan)  # not measured
    unseen = make_forecasts({"f": pd.concat([good, ahead, bad])})
    assert error_table("errors", targets(unseen)).rows == table.rows[:2]
    twice = make_forecasts({name: pd.concat([good, bad]) for name in "fg"})
    assert error_table("errors", targets(twice)).rows[0][4:] == ["4 of 4", "4 of 4"]
    assert [one.file for one in twice] == ["f", "f", "g", "g"]  # told apart by file
    assert {one.file for one in forecasts} == {""}
    fewer = make_forecasts({"f": pd.concat([partial.query("setting == 'low'"), good])})
    assert [row[::5] for row in error_table("errors", targets(fewer)).rows][1] == ["partial", "1 of 2"]
    wide = forecast_table("wide", [0.62, 0.74]).assign(low=0.0, high=1.0)  # closest, but uninformative
    both = make_forecasts({"f": pd.concat([good, wide, partial])})
    assert [row[0] for row in error_table("errors", targets(both)).rows] == ["good", "wide", "partial"]
    assert which_predictor(targets(both[:1])).startswith("Good was 1.0 points off")
    assert which_predictor(targets(make_forecasts({"f": ahead}))) == ""
    bare = make_forecasts({"f": pd.concat([good.assign(low=np.nan, high=np.nan), wide])})
    assert [row[0] for row in error_table("errors", targets(bare)).rows] == ["wide", "good"]
    bare = make_forecasts({"f": pd.concat([bad, good.assign(low=np.nan, high=np.nan)])})
    assert [row[0] for row in error_table("errors", targets(bare)).rows] == ["good", "bad"]
    assert "by mean error" in which_predictor(targets(bare))


def backtested(scores, dataset="sums"):
    """A forecast by each predictor at three settings in each unit, with an interval as wide as its score."""
    rows = []
    for name, own in scores.items():
        for unit, score in enumerate(own):
            row = {"predictor": name, "split": str(unit), "dataset": dataset.format(unit), "N": 8}
            row |= {"accuracy": 0.5, "predicted": 0.5, "low": 0.5, "high": 0.5 + score / 100}
            rows += [row | {"setting": setting} for setting in "abc"]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("of", ["sums", "set {}"])
def test_a_lead_is_that_of_the_paired_t_test_over_splits_or_data_sets(of):
    """SciPy's test on the means of the splits; three settings of one split are not three trials."""
    rng = np.random.default_rng(1)
    first, second = rng.uniform(2, 6, 10), rng.uniform(3, 7, 10)
    found = lead(backtested({"one": first, "two": second}, of), "one", "two", 1)
    interval = stats.ttest_rel(second, first).confidence_interval(0.95)
    assert found.value == pytest.approx((second - first).mean())
    assert [found.value - found.margin, found.value + found.margin] == pytest.approx([*interval])
    assert (found.units, found.clear) == (10, interval.low > 0)
    together = lead(backtested({"one": first, "two": second}, of), "one", "two", 4)
    assert together.margin / found.margin == pytest.approx(stats.t.ppf(0.99375, 9) / stats.t.ppf(0.975, 9))


def test_who_leads_is_told_for_all_rivals_together():
    """Four predictors in the same splits: a t interval at the Bonferroni level of three comparisons."""
    rng = np.random.default_rng(2)
    table = backtested({name: 5 + rng.normal(0, 1, 12) for name in (*"abc", "default")})
    best, second, *_ = scores(table).index
    by_split = table.assign(score=100 * (table["high"] - table["low"])).groupby(["predictor", "split"])[
        "score"
    ]
    apart = by_split.mean()[second] - by_split.mean()[best]
    margin = stats.t.ppf(1 - 0.05 / 3 / 2, 11) * apart.std(ddof=1) / np.sqrt(12)
    assert f"ahead of {second} by {apart.mean():.1f} ± {margin:.1f} points" in which_predictor(table)


@pytest.mark.parametrize(
    ("splits", "told"), [(1, "One trial"), (3, "from 3 splits"), (6, "3.0 ± 0.0 points (clear)")]
)
def test_few_splits_do_not_tell_who_is_ahead(splits, told):
    table = backtested({"one": [2, 2, 2, 2, 2, 2.1][-splits:], "two": [5, 5, 5, 5, 5, 5.2][-splits:]})
    assert told in which_predictor(table)


def test_of_a_backtest_the_bias_the_unseen_error_and_the_width_are_told_too():
    """The third interval is 0.2 wide and misses 0.5 by 0.1: 0.2 + 20 · 0.1."""
    rows = pd.DataFrame(
        {
            "predictor": "p",
            "N": [1, 2, 4, 8],
            "accuracy": 0.5,
            "unseen": [0.5, 0.4, np.nan, 0.5],
            "predicted": [0.6, 0.5, 0.3, np.nan],
            "low": [0.4, 0.45, 0.2, np.nan],
            "high": [0.7, 0.55, 0.4, np.nan],
            "status": ["ok", "ok", "poor_fit", "not_identifiable"],
        }
    )
    row = scores(rows).loc["p"]
    assert row[["told", "asked", "bounded", "inside", "ok"]].tolist() == [3, 4, 3, 2, 2]
    found = row[["mean", "unseen", "bias", "largest", "width", "score", "error_of_ok"]].tolist()
    assert found == pytest.approx([10, 10, -10 / 3, 20, 20, 260 / 3, 5])
    (cells,) = error_table("errors", rows).rows
    assert cells == ["p", "10.00", "20.0", "86.7", "2 of 3", "3 of 4", "10.00", "−3.33", "20.00"]
    (cells,) = error_table("errors", rows.assign(low=rows["low"].where(rows["N"] != 2))).rows
    assert cells[4] == "1 of 2"


def test_new_lengths_and_more_answers_are_compared_by_themselves():
    """Two predictors of larger N and two of an unseen length, for the same curves."""
    more = pd.concat([forecast_table("near", [0.63, 0.75]), forecast_table("off", [0.52, 0.84])])
    ahead = more.query("setting == 'low' or role == 'held_out'")
    ahead = ahead.assign(
        role=ahead["role"].where(ahead["setting"] == "high", "used"),
        predictor=ahead["predictor"] + " along T",
    )
    forecasts = make_forecasts({"more": more, "new": ahead})
    names = [choice.name for choice in forecast_choices(forecasts, NO_MONEY)]
    assert len(set(names)) == 2
    assert [len(choice.choices) for choice in forecast_choices(forecasts, NO_MONEY)] == [2, 2]
