"""Stopping rules in words, for the page and for the terminal: each at its usual threshold, cheapest first.

rule    cost    answers  rounds  agreement  worst tenth  false stops  less a fixed N of equal cost
lead:4  24.8 %  7.1      2.3     99.3 %     92.8 %       0.2 %        +0.3 (−2.3 … +2.8)
"""

from typing import Any

import pandas as pd

from results.figures.words import points, show
from results.report.cells import UNKNOWN, Columns
from results.stopping.advice import one_by_one
from results.stopping.replay import EXACT


def usual_rows(table: pd.DataFrame) -> pd.DataFrame:
    """One row a rule, with `rounds_exact`: at the threshold that was replayed in batches, the usual one."""
    keys = ["dataset", "model", "setting", "rule", "threshold"]
    exact = table.loc[table["batch"] == EXACT, [*keys, "rounds"]]
    rows = one_by_one(table).merge(exact, on=keys, suffixes=("", "_exact"))
    return rows.sort_values("share", kind="stable", ignore_index=True)


def _false_stops(row: Any) -> str:
    """How often the rule stops falsely, and how often its source says it may."""
    if row["false_stops"] != row["false_stops"]:
        return UNKNOWN
    stated = "" if row["delta"] != row["delta"] else f" ({show(row['delta'])} stated)"
    return f"{show(row['false_stops'])}{stated}"


def _less_fixed(row: Any) -> str:
    """The rule's accuracy less that of a fixed N of equal cost, in points."""
    if row["difference_fixed"] != row["difference_fixed"]:
        return UNKNOWN
    difference, low, high = (points(row[f"{name}_fixed"]) for name in ("difference", "low", "high"))
    return f"{difference} ({low} … {high})"


COLUMNS: Columns = {
    "rule": lambda row: f"{row['rule']}:{row['threshold']:g}",
    "cost": lambda row: show(row["share"]),
    "answers": lambda row: f"{row['answers']:.1f}",
    "rounds": lambda row: f"{row['rounds_exact']:.1f}",
    "agreement": lambda row: show(row["agreement"]),
    "worst tenth": lambda row: show(row["worst_tenth"]),
    "false stops": _false_stops,
    "less a fixed N of equal cost": _less_fixed,
}
"""The columns of the rows of `usual_rows` in words."""

NOTE = (
    "Cost: of the tokens of all answers (of the answers, where tokens are not known). Rounds: asked for in "
    "exact blocks. Agreement: the vote ends with an answer that the whole pool gives most often; worst "
    "tenth: of the questions. The last column is accuracy in points; its intervals hold for all rules "
    "together."
)
