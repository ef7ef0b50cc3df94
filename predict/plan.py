"""What to buy: the cheapest (setting, N) that reaches an accuracy, or the best one within a token budget.

    cost   setting  N   predicted  low   high
    1200   100      8   0.791      0.77  0.81     <- cheapest that reaches 0.79
    3300   300      8   0.822      0.80  0.84

The cost of a question is tokens per answer × N (for the twin: steps × N).
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from predict.data import Group
from predict.forecast import forecast
from predict.protocol import Options, Status
from predict.split import Request
from results import BadInput

USABLE = (Status.OK, Status.POOR_FIT, Status.FALLING, Status.BOUND_HIT)
"""Forecasts with any other status are not planned with."""


@dataclass(frozen=True)
class Plan:
    """All priced forecasts (cost, setting, N, predicted, low, high, status), the frontier, and the choice.

    `chosen` goes by the point forecast, `cautious` by the lower end of the interval; None: no such row.
    """

    options: pd.DataFrame
    frontier: pd.DataFrame
    chosen: pd.Series | None
    cautious: pd.Series | None


def plan(
    group: Group,
    predictor: str,
    max_n: int,
    options: Options,
    target_accuracy: float | None = None,
    token_budget: float | None = None,
) -> Plan:
    """Forecast every observed setting at N = 1, 2, 4, … max_n from all data, price it and choose.

    Raises BadInput without token counts or T, and where nothing can be forecast.
    """
    priced = price(group, predictor, max_n, options)
    if target_accuracy is not None:
        reached = priced[priced["predicted"] >= target_accuracy]
        surely = priced[priced["low"] >= target_accuracy]
        return Plan(priced, frontier(priced), _cheapest(reached), _cheapest(surely))
    within = priced[priced["cost"] <= (token_budget or 0.0)]
    return Plan(priced, frontier(priced), _best(within, "predicted"), _best(within, "low"))


def price(group: Group, predictor: str, max_n: int, options: Options) -> pd.DataFrame:
    """Usable forecasts at every observed setting and N, with the cost of a question, cheapest first."""
    ns = tuple(2**k for k in range(max_n.bit_length()))
    request = Request(at_n=ns, replicates=options.replicates, seed=options.seed)
    table, _ = forecast(group, request, [predictor], options)
    length = table["T"] if group.source == "synthetic" else table["tokens_per_answer"]
    if length.isna().any():
        missing = table["setting"][length.isna()].iloc[0]
        raise BadInput(f"{group.name}: setting {missing!r} has no token counts, so it cannot be priced")
    table = table.assign(cost=length * table["N"])
    table = table[table["status"].isin(USABLE) & table["predicted"].between(0, 1)]
    if table.empty:
        raise BadInput(f"{group.name}: {predictor} makes no usable forecast from these data")
    columns = ["cost", "setting", "N", "predicted", "low", "high", "status"]
    return table[columns].sort_values("cost", kind="stable").reset_index(drop=True)


def frontier(priced: pd.DataFrame) -> pd.DataFrame:
    """Rows that are better than everything cheaper."""
    best_before = priced["predicted"].cummax().shift(fill_value=-np.inf)
    return priced[priced["predicted"] > best_before].reset_index(drop=True)


def _cheapest(rows: pd.DataFrame) -> pd.Series | None:
    return None if rows.empty else rows.sort_values(["cost", "predicted"], ascending=[True, False]).iloc[0]


def _best(rows: pd.DataFrame, by: str) -> pd.Series | None:
    rows = rows[rows[by].notna()]
    return None if rows.empty else rows.sort_values([by, "cost"], ascending=[False, True]).iloc[0]
