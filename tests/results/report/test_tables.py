"""The report's sentences and tables against numbers worked out by hand."""

import numpy as np
import pandas as pd
import pytest

from results.figures.forecast import make_forecasts
from results.figures.panels import make_panels
from results.report.choices import forecast_choices
from results.report.errors import closest, error_table, targets
from results.report.errors import forecast_table as shown
from results.report.findings import answers_verdict, findings, gain, length_verdict
from results.report.tables import value_table
from tests.results.made_tables import curves, forecast_table, twin

NBSP = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("one", "many", "thinking", "voting"),
    [
        (0.70, 0.71, "pays", "makes no clear difference"), (0.51, 0.80, "makes no clear difference", "pays"),
        (0.55, 0.80, "pays", "pays"), (0.40, 0.30, "hurts", "hurts"),
    ],
)  # fmt: skip
def test_headline_follows_what_is_clearly_different(one, many, thinking, voting):
    accuracy = {("low", 1): 0.5, ("low", 16): 0.5, ("high", 1): one, ("high", 16): many}
    headline = f"Thinking longer {thinking}; voting {voting}."
    assert findings(make_panels(curves(accuracy)))[0].headline == headline


def row(value, stderr, paired=np.nan):
    return pd.Series({"value": value, "stderr": stderr, "paired": paired})


def test_a_difference_is_clear_beyond_its_ninety_percent_interval():
    """Standard errors of 0.03 and 0.04 make one of 0.05 for the difference: clear beyond 0.0822."""
    for change, expected in ((0.082, 0), (0.083, 1), (-0.083, -1)):
        assert gain(row(0.5, 0.03), row(0.5 + change, 0.04), "paired").direction == expected
    before, after = row(0.5, 0.03), row(0.55, 0.04, paired=0.02)
    assert str(gain(before, after, "paired")) == "+5.0 ± 3.3 points"
    # the row before is itself compared with another: the paired error is of another difference
    assert gain(row(0.5, 0.03, paired=0.01), after, "paired").direction == 0


def test_risk_is_called_an_error_that_falls():
    table = twin(method="ensemble", risk=[60.0, 40.0, 50.0, 31.5]).drop(columns="accuracy")
    (panel,) = make_panels(table)
    assert "cuts the error from 50 to 31.5" in answers_verdict(panel)
    assert "cuts the error from 60 to 50" in length_verdict(panel)
    (worse,) = make_panels(table.assign(risk=[60.0, 40.0, 50.0, 55.0]))
    assert "raises the error from 50 to 55" in answers_verdict(worse)
    assert value_table(panel).rows[1][2:] == ["50.00 ± 0.02", "31.50 ± 0.02"]
    assert findings([panel]) == []


def test_errors_of_forecasts_are_those_worked_out_by_hand():
    """A predictor that forecast one of two points is not ranked, however small its error on that point."""
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
    assert "all 2 measured points: good 1.0 points off" in closest(forecasts)
    assert [one.name for one in forecast_choices(forecasts)[0].choices] == ["good", "bad", "partial"]
    ahead = good.tail(1).assign(N=64, accuracy=np.nan)  # nobody measured it
    unseen = make_forecasts({"f": pd.concat([good, ahead, bad])})
    assert error_table("errors", targets(unseen)).rows == table.rows[:2]
    twice = make_forecasts({name: pd.concat([good, bad]) for name in "fg"})
    assert error_table("errors", targets(twice)).rows[0][4:] == ["4 of 4", "4 of 4"]
    fewer = make_forecasts({"f": pd.concat([partial.query("setting == 'low'"), good])})
    assert [row[::5] for row in error_table("errors", targets(fewer)).rows][1] == ["partial", "1 of 2"]
    tied = make_forecasts({"f": pd.concat([bad, good.assign(predictor="other"), good])})
    assert "good and other, tied, 1.0 points" in closest(tied)
    wide = forecast_table("wide", [0.62, 0.74]).assign(low=0.0, high=1.0)  # closest, but tells little
    both = make_forecasts({"f": pd.concat([good, wide])})
    assert [row[0] for row in error_table("errors", targets(both)).rows] == ["good", "wide"]
    assert "points: wide 0.0 points" in closest(both)
    assert "good (score 6), 1.0 points" in closest(both)
    assert closest(both[:1]) == ""  # it has no rival
    bare = make_forecasts({"f": pd.concat([good.assign(low=np.nan, high=np.nan), wide])})
    assert [row[0] for row in error_table("errors", targets(bare)).rows] == ["wide", "good"]


def test_numbers_outside_the_range_are_told_with_their_status():
    wild = forecast_table("wild", [1.9, -0.5], "out_of_range", low=[0, 1.8, 0, np.nan])
    forecasts = make_forecasts({"f": wild.assign(new_low=0.2, new_high=[0, 0.9, 0, 0.8])})
    rows = [[cell.replace(NBSP, " ") for cell in row] for row in shown(forecasts[0]).rows]
    status = "do not use: outside 0–100 %"
    assert rows == [
        ["low", "16", "190.0 %", "180.0 % … 193.0 %", "20.0 % … 90.0 %", "62.0 %", status],
        ["high", "16", "−50.0 %", "–", "20.0 % … 80.0 %", "74.0 %", status],
    ]
