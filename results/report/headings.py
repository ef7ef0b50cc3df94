"""The columns of forecasts and plans: what each says of a row, in the terminal and on the page alike.

setting  tokens/answer  N   tokens/question  forecast  90 % these questions  90 % new questions  measured
120      58.1           16  929              96.3 %    95.5 … 97.1 %         94.9 … 97.5 %       95.9 %
"""

from operator import itemgetter

import pandas as pd

from results.figures.words import METHOD_NAMES, PRICED, UNITS, dollars
from results.frontier import Plan
from results.normal import FORECAST_LEVEL
from results.report.cells import Columns, between, count, share
from results.tables.status import SHORT


def percent_of(rows: pd.DataFrame) -> str:
    """The level of the intervals in a forecast table or a plan: "90 %"."""
    level = rows["level"].iloc[0] if "level" in rows and len(rows) else FORECAST_LEVEL
    return f"{100 * level:g} %"


def interval_columns(rows: pd.DataFrame) -> Columns:
    """The two intervals of a forecast: for more answers to these questions, and for new questions."""
    level = percent_of(rows)
    return {
        f"{level} these questions": lambda row: between(row["low"], row["high"]),
        f"{level} new questions": lambda row: between(row.get("new_low"), row.get("new_high")),
    }


def forecast_columns(source: str, rows: pd.DataFrame) -> Columns:
    """Of the rows of a forecast table with their `length`, tokens or steps of an answer.

    Where they have `usd`, the price of 1,000 questions, it stands in the place of the tokens of one.
    """
    unit = UNITS[source]
    cost: Columns = {f"{unit}/question": lambda row: count(row["length"] * row["N"])}
    if "usd" in rows and rows["usd"].notna().all():
        cost = {PRICED: lambda row: dollars(row["usd"])}
    lengths: Columns = {f"{unit}/answer": lambda row: count(row["length"])}
    if "tokens_low" in rows and rows["tokens_low"].notna().any():
        lengths[f"{percent_of(rows)} of {unit}"] = lambda row: (
            f"{count(row['tokens_low'])} … {count(row['tokens_high'])}"
        )
    return {
        "setting": itemgetter("setting"),
        **lengths,
        "N": lambda row: str(row["N"]),
        **cost,
        "forecast": lambda row: share(row["predicted"]),
        **interval_columns(rows),
        "measured": lambda row: share(row["accuracy"]),
        "status": _status,
    }


def choice_columns(source: str) -> Columns:
    """Of choices of setting and N, measured or forecast: rows with their `cost` and `predicted` accuracy."""
    unit = UNITS[source]
    return {
        f"{unit}/question": lambda row: count(row["cost"]),
        "setting": itemgetter("setting"),
        f"{unit}/answer": lambda row: count(row["cost"] / row["N"]),
        "N": lambda row: str(row["N"]),
        "accuracy": lambda row: share(row["predicted"]),
    }


def plan_columns(plan: Plan) -> Columns:
    """Of the frontier of a plan: a choice's `alone` accuracy and, where it differs, what to expect of it.

    With the method of each where there are several to choose from.
    """
    rows = plan.frontier
    columns = choice_columns(rows["source"].iloc[0]) | {"accuracy": lambda row: share(row["alone"])}
    if (rows["alone"] != rows["predicted"]).any():
        columns["to expect"] = lambda row: share(row["predicted"])
    columns |= {**interval_columns(rows), "status": _known}
    if len(plan.methods) > 1:
        columns["by"] = lambda row: METHOD_NAMES[row["method"]]
    return columns


def _status(row: "pd.Series[str]") -> str:
    return SHORT.get(row["status"], row["status"])


def _known(row: "pd.Series[str]") -> str:
    """Whether a choice was measured, or how far its forecast can be trusted."""
    if row["known"] == "measured":
        return "measured"
    return _status(row) if pd.notna(row.get("status")) else "forecast"
