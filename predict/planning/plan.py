"""What to buy: the cheapest (setting, N) that reaches an accuracy, or the best one within a token budget.

    cost   setting  N   predicted  low   high  new_low  new_high  known
    1200   100      8   0.791      0.77  0.81  0.72     0.85      measured    <- cheapest that reaches 0.79
    3300   300      16  0.822      0.80  0.84  0.76     0.87      forecast

The cost of a question is tokens per answer × N (for the twin: steps × N). Where a curve was measured, the
plan goes by the measurement, the exact vote over all answers, as the report does; its interval is the one
that the default predictor gives to that point, widened to hold it.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from predict.capped import SURVIVAL, CapRequest, Run, forecast_run
from predict.forecasting import forecast
from predict.groups import Group
from predict.predictors import DEFAULT
from predict.protocol import UNUSABLE, Options, Points, Status
from predict.split import Request
from results import BadInput
from results.frontier import best_choice, pareto_frontier

PRICED = [
    "source", "cost", "setting", "T", "N", "predicted", "low", "high", "new_low", "new_high", "status",
    "known",
]  # fmt: skip
"""Columns of a table of priced choices."""


@dataclass(frozen=True)
class Plan:
    """All priced choices (see `PRICED`), the frontier, and the choice.

    `chosen` goes by the point forecast, `cautious` by the lower end of the interval; None: no such row.
    """

    options: pd.DataFrame
    frontier: pd.DataFrame
    chosen: pd.Series | None
    cautious: pd.Series | None

    @property
    def best(self) -> pd.Series:
        """The choice with the highest forecast, whatever it costs."""
        return self.options.sort_values("predicted").iloc[-1]


def plan(
    group: Group,
    predictor: str,
    max_n: int,
    options: Options,
    target_accuracy: float | None = None,
    token_budget: float | None = None,
    new_settings: tuple[str, ...] = (),
) -> Plan:
    """Forecast every observed setting at N = 1, 2, 4, … max_n from all data, price it and choose.

    `new_settings` are settings without data, as NAME=LENGTH. Without a goal the cheapest choice within a
    point of the best is chosen. Raises BadInput without token counts or T, and where nothing can be forecast.
    """
    return choose(price(group, predictor, max_n, options, new_settings), target_accuracy, token_budget)


def choose(priced: pd.DataFrame, target_accuracy: float | None, token_budget: float | None) -> Plan:
    """The plan among `priced` rows (see `price`)."""
    chosen, cautious = (best_choice(priced, by, target_accuracy, token_budget) for by in ("predicted", "low"))
    return Plan(priced, pareto_frontier(priced, "predicted"), chosen, cautious)


def price(
    group: Group, predictor: str, max_n: int, options: Options, new_settings: tuple[str, ...] = ()
) -> pd.DataFrame:
    """Usable choices at every setting and N with the cost of a question, cheapest first."""
    ns = tuple(2**k for k in range(max_n.bit_length()))
    observed = tuple(name for name, _ in group.points.settings()) if new_settings else ()
    request = Request(at_n=ns, at_settings=(*observed, *new_settings))
    table, _ = forecast(group, request, dict.fromkeys([predictor, DEFAULT]), options)
    missing = ~(table["tokens_per_answer"] > 0)
    if missing.any():
        name = table["setting"][missing].iloc[0]
        raise BadInput(
            f"{group.name}: setting {name!r} has no token counts, so it has no price: give a column tokens "
            "(samples) or tokens_per_answer (curves) with numbers above 0"
        )
    used = table["role"] == "used"
    forecasts = table[(table["predictor"] == predictor) & ~used].assign(known="forecast")
    table = pd.concat([_as_measured(table[(table["predictor"] == DEFAULT) & used]), forecasts])
    # a vote of 2 is as good as a single answer: differences in the last digits make no choice better
    values = ["predicted", "low", "high", "new_low", "new_high"]
    table = table.assign(cost=table["tokens_per_answer"] * table["N"], **table[values].round(12))
    table = table[~table["status"].isin(UNUSABLE) & table["predicted"].between(0, 1)]
    if table.empty:
        raise BadInput(f"{group.name}: {predictor} makes no usable forecast from these data")
    return table[PRICED].sort_values("cost", kind="stable").reset_index(drop=True)


def price_caps(run: Run, request: CapRequest, method: str, options: Options) -> pd.DataFrame:
    """Usable choices of a cap and N for a run seen up to a cap, that one and dearer ones, cheapest first.

    Costs are forecast: the mean tokens of an answer stopped at the cap. Raises BadInput.
    """
    table, _ = forecast_run(run, request, [SURVIVAL], method, options, with_own=True)
    table = table.assign(cost=table["tokens_per_answer"] * table["N"], known="forecast")
    table = table[~table["status"].isin(UNUSABLE)]
    if table.empty:
        raise BadInput(f"{run.name}: too few answers ended within {request.fit_cap} tokens to plan from")
    return table.reindex(columns=PRICED).sort_values("cost", kind="stable").reset_index(drop=True)


def _as_measured(table: pd.DataFrame) -> pd.DataFrame:
    """Rows of the forecast table with what was measured there; intervals hold it."""
    ends = {end: np.fmin(table[end], table["accuracy"]) for end in ("low", "new_low")}
    ends |= {end: np.fmax(table[end], table["accuracy"]) for end in ("high", "new_high")}
    return table.assign(known="measured", predicted=table["accuracy"], status=str(Status.OK), **ends)


def place(row: pd.Series) -> Points:
    """The one (setting, T, N) of a priced row."""
    return Points.grid({str(row["setting"]): row["cost"] / row["N"]}, [row["N"]])
