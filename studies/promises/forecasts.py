"""Forecasts along N with a known truth (`studies.forecasts.worlds`): nine in ten `ok` ones hold."""

from collections.abc import Iterator

import pandas as pd

from results.normal import FORECAST_LEVEL
from studies.forecasts.worlds import POOL, WORLDS, forecasts
from studies.promises.rows import Row, at_least, mean, ratio, share

SETS = 20
"""Sets of questions in each world."""

TABLE = "forecasts from four answers, by N"
HOLDS = at_least(FORECAST_LEVEL)


def measured(times: float) -> Iterator[Row]:
    """Measure every world at every N, then all together; `times` multiplies SETS."""
    worlds = []
    for world in WORLDS:
        found = forecasts(world, max(2, round(times * SETS))).assign(world=world)
        worlds.append(found)
        for n, rows in found.groupby("N"):
            case = f"{world}, {n}"
            yield Row(TABLE, case, "bias", *mean(rows["bias"], 100))
            yield Row(TABLE, case, "held, %", *share(rows["held"]))
            yield Row(TABLE, case, f"of {POOL}", *share(rows["held of 64"]))
            score = ratio(rows["score of 64"], rows["score of the oracle"])
            yield Row(TABLE, case, "score / oracle's", *score)
            yield Row(TABLE, case, "answers alone hold, %", *share(rows["allowed holds"]), HOLDS)
            yield Row(TABLE, case, "`ok`, %", *share(rows["ok"]))
            yield from of_ok(case, rows)
    yield from of_ok("all worlds", pd.concat(worlds))


def of_ok(case: str, rows: pd.DataFrame) -> Iterator[Row]:
    """The promises for ok forecasts, for either reader; the N of a set tend to hold or miss together."""
    known = rows[rows["ok"]]
    sets = list(known["world"] + known["set"].astype(str))
    yield Row(TABLE, case, "held of `ok`, %", *share(known["held"], sets), HOLDS)
    yield Row(TABLE, case, f"of `ok`, of {POOL}", *share(known["held of 64"], sets), HOLDS)
