"""Forecasts beyond a token cap with a known truth (`studies.forecasts.own_law`)."""

from collections.abc import Iterator

import pandas as pd

from results.normal import FORECAST_LEVEL
from studies.forecasts.own_law import PRODUCT, TIMES, WORLDS, forecasts
from studies.promises.rows import Found, Row, at_least, mean, share

SETS = 12
"""Sets of questions in each world; the nine forecasts of a set tend to hold or miss together."""

TABLE = "forecasts beyond a cap"


def measured(times: float) -> Iterator[Row]:
    """Measure every world; for the law's own answers also forecasts without some parts."""
    for world in WORLDS:
        found = forecasts(world, max(2, round(times * SETS)))
        for part, rows in found.groupby("part", sort=False):
            of_product = part == PRODUCT
            promised = at_least(FORECAST_LEVEL) if of_product else ""
            yield from measures(world if of_product else f"{world}, {part}", rows, promised)


def measures(case: str, rows: pd.DataFrame, promised: str) -> Iterator[Row]:
    """The measures of one case."""
    farthest = rows[rows["times"] == str(max(TIMES))]
    yield Row(TABLE, case, "bias", *mean(rows.groupby("set")["bias"].mean()))
    yield Row(TABLE, case, "at 4 ×", *mean(farthest.groupby("set")["bias"].mean()))
    yield Row(TABLE, case, "held, %", *of_sets(rows, "held"))
    yield Row(TABLE, case, "held at 4 ×, %", *of_sets(farthest, "held"))
    yield Row(TABLE, case, "`ok`, %", *of_sets(rows, "ok"))
    yield Row(TABLE, case, "held of `ok`, %", *of_sets(rows[rows["ok"]], "held"), promised)


def of_sets(rows: pd.DataFrame, column: str) -> Found:
    """The percentage that is true, with sets as clusters."""
    return share(rows[column], list(rows["set"].astype(str)))
