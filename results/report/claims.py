"""The paper's claims with measured verdicts, as the report shows them.

claim,where,setting,quantity,measured,low,high,holds,verdict
greedy-stays-near-2/d,"Sec. 5, Fig. 2f",fig2f t=50,P(greedy right) ≤ 0.202,0.211,0.194,0.229,True,holds

One row for each setting; all rows of a claim have its verdict.
"""

from operator import itemgetter
from typing import Any

import pandas as pd

from results.figures.words import NBSP
from results.report.tables import Columns, Table, number, tabled


def verdict_table(claims: pd.DataFrame) -> Table:
    """One row for each claim, under a title that counts the verdicts."""
    first = claims.drop_duplicates("claim")
    settings = claims["claim"].value_counts()
    body = [
        [_words(name), verdict, where, str(settings[name])]
        for name, verdict, where in first[["claim", "verdict", "where"]].itertuples(index=False)
    ]
    verdicts = first["verdict"].map({"holds": "hold", "fails": "fail"}).fillna("hold in part")
    counted = ", ".join(f"{verb}: {(verdicts == verb).sum()}" for verb in ("hold", "hold in part", "fail"))
    head = ["claim", "verdict", "in the paper", "settings checked"]
    return Table(f"{len(body)} claims of the paper ({counted})", head, body)


def measurement_table(claims: pd.DataFrame) -> Table:
    """What was measured for each claim in each setting."""
    columns: Columns = {
        "claim": lambda row: _words(row["claim"]),
        "setting": itemgetter("setting"),
        "quantity": itemgetter("quantity"),
        "measured": lambda row: number(row["measured"]),
        "95 % interval": _interval,
        "holds": lambda row: "yes" if row["holds"] else "no",
    }
    return tabled("Measurements", claims, columns)


def _interval(row: Any) -> str:
    extreme = row["low"] == row["high"]  # one over tasks, which has no interval
    return "–" if extreme else f"{number(row['low'])}{NBSP}… {number(row['high'])}"


def _words(name: str) -> str:
    text = name.replace("-", " ")
    return text[:1].upper() + text[1:]
