"""The claims of the paper: how each came out, and what was measured for it."""

from collections import Counter
from operator import itemgetter
from typing import Any

import pandas as pd

from results.words.cells import Columns, Table, number, tabled
from results.words.names import NBSP, known, line_name, sentence

OURS = "ours"
"""What the place of a claim says that the paper does not make."""

GROUPS = ("hold", "hold in part", "undecided", "fail")
"""How claims come out: an undecided one has an interval that holds the threshold."""


def verdict_tables(claims: pd.DataFrame) -> list[Table]:
    """The verdicts on the paper's claims, and on our own where there are any."""
    ours = claims["where"].str.contains(rf"\b{OURS}\b")
    parts = {"of the paper": claims[~ours], "of our own": claims[ours]}
    return [_verdicts(whose, part) for whose, part in parts.items() if len(part)]


def _verdicts(whose: str, claims: pd.DataFrame) -> Table:
    """One row for each claim, under a title that counts the verdicts."""
    first = claims.drop_duplicates("claim").assign(
        checked=lambda rows: rows["claim"].map(claims["claim"].value_counts())
    )
    groups = Counter(map(_group, first["verdict"]))
    counted = ", ".join(f"{group}: {groups[group]}" for group in GROUPS if groups[group])
    columns: Columns = {
        "claim": _claim,
        "verdict": lambda row: line_name(row["verdict"]),
        "where": lambda row: row["where"].removeprefix(OURS).strip(":, ") or "–",
    }
    if "sentence" in first and first["sentence"].notna().any():
        columns["in the paper’s words"] = lambda row: (
            f"“{row['sentence']}”" if known(row, "sentence") else "–"
        )
    columns["settings checked"] = lambda row: str(row["checked"])
    return tabled(f"{len(first)} claim{'s' * (len(first) > 1)} {whose} ({counted})", first, columns)


def measurement_table(claims: pd.DataFrame) -> Table:
    """What was measured for each claim in each setting."""
    columns: Columns = {
        "claim": _claim,
        "setting": lambda row: line_name(row["setting"]),
        "quantity": itemgetter("quantity"),
        "measured": lambda row: number(row["measured"]),
        "95 % interval": _measured_interval,
        "outcome": _outcome,
    }
    return tabled("Measurements", claims, columns)


def _group(verdict: str) -> str:
    """How a claim came out, over all settings it was measured at."""
    first, second = f"{verdict} ".split(" ")[:2]
    if (first, second) == ("holds", "only"):
        return "hold in part"
    return {"holds": "hold", "undecided": "undecided"}.get(first, "fail")


def _outcome(row: Any) -> str:
    """How a claim came out at one setting; a table without the column knows two outcomes only."""
    return str(row["outcome"]) if known(row, "outcome") else "holds" if row["holds"] else "fails"


def _claim(row: Any) -> str:
    return sentence(row["claim"].replace("-", " ").replace(" of n ", " of N "))


def _measured_interval(row: Any) -> str:
    extreme = row["low"] == row["high"]  # one over tasks, which has no interval
    return "–" if extreme else f"{number(row['low'])}{NBSP}… {number(row['high'])}"
