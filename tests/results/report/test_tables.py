"""The report's sentences and tables against numbers worked out by hand."""

import numpy as np
import pandas as pd
import pytest

from results.figures.forecast import make_forecasts
from results.figures.panels import make_panels
from results.report.findings import answers_verdict, direction, findings, length_verdict
from results.report.page import closest
from results.report.tables import error_table, frontier_table, overview_table, trend_table, value_table
from results.tables.status import MEANINGS, Status
from tests.results.made_tables import ACCURACY, curves, forecast_table, twin

NBSP = "\N{NO-BREAK SPACE}"


def test_card_numbers_are_those_of_the_table():
    best = curves({key: min(1, value + 0.2) for key, value in ACCURACY.items()}, method="best_of_n")
    (card,) = findings(make_panels(pd.concat([curves(), best])))
    assert card.title == "m on sums"
    assert card.about == "200 questions, 2 settings, up to 16 answers a question"
    assert [(tile.label, tile.value.replace(NBSP, " ")) for tile in card.tiles] == [
        ("One answer", "50.0 % → 70.0 %"),
        ("Vote over 16", "74.0 %"),
        ("Best of 16", "94.0 %"),
        ("Tokens per answer", "100 → 400"),
    ]
    assert card.tiles[1].note == "+4.0 points at setting “high”"
    assert card.headline == "Both pay, thinking longer more than voting."
    assert "adds 20.0 points for 4 times the tokens" in card.verdict
    # 0.70 for 400 tokens is more than a point below 0.74, the best: only N = 16 at high is near enough
    assert f"setting “high” with N{NBSP}={NBSP}16: 74.0{NBSP}% for 6,400 tokens a question" in card.verdict


@pytest.mark.parametrize(
    ("high_one", "high_many", "headline"),
    [
        (0.70, 0.71, "Thinking longer pays; voting makes no clear difference."),
        (0.51, 0.80, "Thinking longer makes no clear difference; voting pays."),
        (0.51, 0.52, "Neither voting nor thinking longer makes a clear difference."),
        (0.55, 0.80, "Both pay, voting more than thinking longer."),
        (0.40, 0.30, "Thinking longer hurts; voting hurts."),
    ],
)
def test_headline_follows_what_is_clearly_different(high_one, high_many, headline):
    accuracy = {("low", 1): 0.5, ("low", 16): 0.5, ("high", 1): high_one, ("high", 16): high_many}
    assert findings(make_panels(curves(accuracy)))[0].headline == headline


def test_a_difference_is_clear_beyond_its_ninety_percent_interval():
    """Standard errors of 0.03 and 0.04 make one of 0.05 for the difference: clear beyond 0.0822."""
    before = pd.Series({"value": 0.5, "stderr": 0.03})
    for gain, expected in ((0.082, 0), (0.083, 1), (-0.083, -1)):
        assert direction(before, pd.Series({"value": 0.5 + gain, "stderr": 0.04})) == expected


def test_risk_is_called_an_error_that_falls():
    table = twin(method="ensemble", risk=[60.0, 40.0, 50.0, 31.5]).drop(columns="accuracy")
    (panel,) = make_panels(table)
    assert answers_verdict(panel) == "Averaging 16 paths cuts the error from 50 to 31.5 at setting “high”."
    assert length_verdict(panel).startswith("Going from setting “low” to “high” cuts the error from 60 to 50")
    assert value_table(panel).rows[1][2:] == ["50.00 ± 0.02", "31.50 ± 0.02"]
    assert findings([panel]) == []


def test_values_frontier_and_trend_tables():
    (panel,) = make_panels(curves())
    assert value_table(panel).rows[0] == ["low", "100", "50.0 ± 1.6", "62.0 ± 1.6"]
    # (low, 16) costs 1,600 tokens for 0.62: dearer than (high, 1), 400 tokens for 0.70, and worse
    assert [row[:3] for row in frontier_table(panel).rows] == [
        ["100", "low", "1"],
        ["400", "high", "1"],
        ["6,400", "high", "16"],
    ]
    assert trend_table(panel) is None


def test_errors_of_forecasts_are_those_worked_out_by_hand():
    good = forecast_table("good", [0.63, 0.75])  # 1 point off twice, inside ± 3 points
    bad = forecast_table("bad", [0.52, 0.94])  # 10 and 20 points off, outside
    partial = forecast_table("partial", [0.62, np.nan], "not_identifiable")
    forecasts = make_forecasts({"f": pd.concat([bad, good, partial])})
    table = error_table(forecasts)
    assert table.rows == [
        ["partial", "0.00", "0.0", "1 of 1", "1 of 2"],
        ["good", "1.00", "1.0", "2 of 2", "2 of 2"],
        ["bad", "15.00", "20.0", "0 of 2", "2 of 2"],
    ]
    assert table.remarks == (f"partial: 2 of 2 points: {MEANINGS[Status.NOT_IDENTIFIABLE]}.",)
    assert closest(forecasts).startswith("Closest over all 2 held-out points: good, 1.0 percentage points")
    assert overview_table({"a": table}).rows == [["a", "15.00", "1.00", "0.00"]]


def test_numbers_outside_the_range_are_told_with_their_status():
    (forecast,) = make_forecasts({"f": forecast_table("wild", [1.9, -0.5], "out_of_range")})
    (remark,) = error_table([forecast]).remarks
    assert f"190.0{NBSP}% at setting low, N = 16; −50.0{NBSP}% at setting high, N = 16" in remark
