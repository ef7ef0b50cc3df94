"""The paper's claims with measured verdicts, as the report shows them.

claim,where,setting,quantity,measured,low,high,holds,verdict
greedy-stays-near-2/d,"Sec. 5, Fig. 2f",fig2f t=50,P(greedy right) ≤ 0.202,0.211,0.194,0.229,True,holds

One row for each setting; all rows of a claim have its verdict.
"""

import pandas as pd

from results.figures.words import NBSP
from results.report.tables import Table, number


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
    body = []
    for _, row in claims.iterrows():
        told = _words(row["claim"]), row["setting"], row["quantity"], number(row["measured"])
        extreme = row["low"] == row["high"]  # one over tasks, which has no interval
        interval = "–" if extreme else f"{number(row['low'])}{NBSP}… {number(row['high'])}"
        body.append([*told, interval, "yes" if row["holds"] else "no"])
    head = ["claim", "setting", "quantity", "measured", "95 % interval", "holds"]
    return Table("Measurements", head, body)


def _words(name: str) -> str:
    text = name.replace("-", " ")
    return text[:1].upper() + text[1:]
