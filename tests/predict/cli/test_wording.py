"""Numbers and tables as they are printed."""

import re

import numpy as np
import pandas as pd
import pytest

from predict.cli.forecast import judged
from predict.cli.wording import interval, percent, spread, tokens
from predict.protocol import Status
from results.tables.status import SHORT


def test_numbers_are_short_and_unknown_ones_a_dash() -> None:
    assert percent(0.6362) == "63.6 %"
    assert percent(-0.02) == "−2.0 %"
    assert percent(np.nan) == interval(0.1, np.nan) == tokens(np.nan) == "–"
    assert interval(0.6014, 0.6677) == "60.1 … 66.8 %"
    assert interval(-0.05, 0.5) == "−5.0 … 50.0 %"
    assert interval(-3.0, 1e6) == "< −100 … > 200 %"
    assert [tokens(n) for n in (3718.4, 64.0, 8.871)] == ["3,718", "64", "8.9"]


def test_every_status_has_words() -> None:
    assert set(SHORT) == set(Status)


def table(**columns: object) -> pd.DataFrame:
    base = {
        "source": "llm", "setting": ["a", "a", "b", "b"], "N": [1, 8, 1, 8],
        "tokens_per_answer": [10.0, 10.0, 50.0, 50.0], "accuracy": [0.5, 0.6, 0.7, 0.8],
        "role": ["used", "held_out", "used", "held_out"], "predicted": [0.55, 0.62, 0.71, 0.76],
        "low": 0.6, "high": 0.79, "status": "ok",
    }  # fmt: skip
    return pd.DataFrame({**base, **columns})


def test_forecasts_are_judged_against_the_held_out_values_only() -> None:
    told = judged(table())
    assert re.findall(r"\d+\.?\d*", told) == ["2", "3.0", "1.0", "4.0", "1", "2"]
    assert "too low" in told
    assert judged(table(role="forecast")) == ""


@pytest.mark.parametrize(("settings", "counts"), [(3, 9), (9, 9), (30, 4)])
def test_a_long_table_keeps_every_setting_and_its_ends(settings: int, counts: int) -> None:
    rows = pd.DataFrame(
        {"setting": np.repeat(np.arange(settings), counts), "N": np.tile(2 ** np.arange(counts), settings)}
    )
    shown = spread(rows, 24)
    assert set(shown["setting"]) == set(range(settings))
    assert {1, 2 ** (counts - 1)} <= set(shown["N"])
    assert len(shown) <= max(24, 2 * settings)
