"""The paper's claims with measured verdicts, as the report shows them.

claim,where,setting,quantity,measured,low,high,holds,verdict
greedy-stays-near-2/d,"Sec. 5, Fig. 2f",fig2f t=50,P(greedy right) ≤ 0.202,0.211,0.194,0.229,True,holds

One row for each setting; all rows of a claim have its verdict.
"""

from typing import Any

import pandas as pd

from results.figures.words import NBSP
from results.report.tables import Table


def verdict_table(claims: pd.DataFrame) -> Table:
    """One row for each claim, under a title that counts the verdicts."""
    rows, counts = [], {"hold": 0, "hold in part": 0, "fail": 0}
    for name, part in claims.groupby("claim", sort=False):
        verdict = str(part["verdict"].iloc[0])
        counts[{"holds": "hold", "fails": "fail"}.get(verdict, "hold in part")] += 1
        rows.append([_words(str(name)), verdict, str(part["where"].iloc[0]), str(len(part))])
    counted = ", ".join(f"{verb}: {count}" for verb, count in counts.items())
    head = ["claim", "verdict", "in the paper", "settings checked"]
    return Table(f"{len(rows)} claims of the paper ({counted})", head, rows)


def measurement_table(claims: pd.DataFrame) -> Table:
    """What was measured for each claim in each setting."""
    rows = [
        [
            _words(row["claim"]),
            row["setting"],
            row["quantity"],
            _number(row["measured"]),
            _range(row),
            "yes" if row["holds"] else "no",
        ]
        for _, row in claims.iterrows()
    ]
    return Table("Measurements", ["claim", "setting", "quantity", "measured", "95 % interval", "holds"], rows)


def _words(name: str) -> str:
    text = name.replace("-", " ")
    return text[:1].upper() + text[1:]


def _number(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")


def _range(row: "pd.Series[Any]") -> str:
    if row["low"] == row["high"]:  # an extreme over tasks has no interval
        return "–"
    return f"{_number(row['low'])}{NBSP}… {_number(row['high'])}"
