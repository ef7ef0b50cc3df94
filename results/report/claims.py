"""The paper's claims with measured verdicts, as the report shows them.

claim,where,setting,quantity,measured,low,high,holds,verdict
greedy-stays-near-2/d,"Sec. 5, Fig. 2f",fig2f t=50,P(greedy right) ≤ 0.202,0.211,0.194,0.229,True,holds

One row for each setting; all rows of a claim have its verdict.
"""

from operator import itemgetter
from typing import Any

import pandas as pd

from results.figures.words import NBSP, sentence
from results.report.table import Columns, Table, number, tabled


def verdict_table(claims: pd.DataFrame) -> Table:
    """One row for each claim, under a title that counts the verdicts."""
    first = claims.drop_duplicates("claim").assign(
        checked=lambda rows: rows["claim"].map(claims["claim"].value_counts())
    )
    verdicts = first["verdict"].map({"holds": "hold", "fails": "fail"}).fillna("hold in part")
    counted = ", ".join(f"{verb}: {(verdicts == verb).sum()}" for verb in ("hold", "hold in part", "fail"))
    columns: Columns = {
        "claim": _claim,
        "verdict": itemgetter("verdict"),
        "in the paper": itemgetter("where"),
        "settings checked": lambda row: str(row["checked"]),
    }
    return tabled(f"{len(first)} claims of the paper ({counted})", first, columns)


def measurement_table(claims: pd.DataFrame) -> Table:
    """What was measured for each claim in each setting."""
    columns: Columns = {
        "claim": _claim,
        "setting": itemgetter("setting"),
        "quantity": itemgetter("quantity"),
        "measured": lambda row: number(row["measured"]),
        "95 % interval": _interval,
        "holds": lambda row: "yes" if row["holds"] else "no",
    }
    return tabled("Measurements", claims, columns)


def _claim(row: Any) -> str:
    return sentence(row["claim"].replace("-", " "))


def _interval(row: Any) -> str:
    extreme = row["low"] == row["high"]  # one over tasks, which has no interval
    return "–" if extreme else f"{number(row['low'])}{NBSP}… {number(row['high'])}"
