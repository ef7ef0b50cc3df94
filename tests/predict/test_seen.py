"""Besides the forecasts, a figure shows the points that were fitted and those that were measured."""

import pandas as pd

from predict.estimate import Options
from predict.evidence.request import Request, read_asked
from predict.forecast_table import forecast, with_seen


def test_a_picture_has_every_point_that_the_fit_saw(curves_file):
    """Only N = 64 is asked for; of the six measured N, four were fitted, and two are shown as well."""
    group, *_ = read_asked([curves_file], "majority")
    request = Request(fit_max_n=8, at_n=(64,))
    table, _ = forecast(group, request, ["flat"], Options(0, 0))
    shown = with_seen(group, request, table)
    roles = shown.groupby("role")["N"].apply(lambda n: sorted(set(n)))
    assert roles.to_dict() == {"forecast": [64], "held_out": [16, 32], "used": [1, 2, 4, 8]}
    pd.testing.assert_frame_equal(shown[shown["role"] == "forecast"], table, check_dtype=False)
    assert len(with_seen(group, Request(), forecast(group, Request(), ["flat"], Options(0, 0))[0])) == 36
