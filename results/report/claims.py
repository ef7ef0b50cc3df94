"""The table of the paper's claims with measured verdicts, as the report shows it.

claim,where,setting,quantity,measured,low,high,holds,verdict
greedy-stays-near-2/d,"Sec. 5, Fig. 2f",fig2f t=50,P(greedy right) ≤ 0.202,0.211,0.194,0.229,True,holds

One row a setting; the verdict is the claim's own, the same in all of its rows.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from results.commandline import BadInput
from results.figures.axes import NBSP
from results.report.tables import Table
from results.tables.files import read_raw

COLUMNS = ("claim", "where", "setting", "quantity", "measured", "low", "high", "holds", "verdict")


@dataclass(frozen=True)
class ClaimsView:
    """All claims in one table, a sentence that counts the verdicts, and the measured rows of each claim."""

    sentence: str
    table: Table
    details: Table


def is_claims(path: Path) -> bool:
    """Whether the file's columns are those of a claims table."""
    return {"claim", "verdict"} <= set(read_raw(path, COLUMNS).columns)


def read_claims(path: Path) -> pd.DataFrame:
    """The table: numbers in measured, low and high, text elsewhere. Raises BadInput on any other cell."""
    table = read_raw(path, COLUMNS)
    absent = [name for name in COLUMNS if name not in table]
    if absent:
        raise BadInput(f"{path}: no column {absent[0]!r}, expected in the claims table")
    table = table[list(COLUMNS)].astype("str").fillna("")
    for name in COLUMNS:
        expected = "text"
        bad = table[name] == ""
        if name in ("measured", "low", "high"):
            expected = "a number"
            table[name] = pd.to_numeric(table[name], errors="coerce")
            bad = table[name].isna()
        elif name == "holds":
            expected = "True or False"
            bad = ~table[name].isin(["True", "False"])
        if bad.any():
            row = int(bad.to_numpy().argmax()) + 1
            raise BadInput(f"{path}: row {row}, column {name!r}: expected {expected}")
    return table


def claims_view(claims: pd.DataFrame) -> ClaimsView:
    """One row a claim for reading, and all measured rows for checking."""
    rows, counts = [], {"hold": 0, "hold only in part": 0, "fail": 0}
    for name, part in claims.groupby("claim", sort=False):
        verdict = str(part["verdict"].iloc[0])
        counts[{"holds": "hold", "fails": "fail"}.get(verdict, "hold only in part")] += 1
        rows.append([_words(str(name)), verdict, str(part["where"].iloc[0]), str(len(part))])
    told = ", ".join(f"{count} {verb}" for verb, count in counts.items() if count)
    sentence = f"Of {len(rows)} claims of the paper checked here, {told}."
    details = [
        [
            _words(row["claim"]),
            row["setting"],
            row["quantity"],
            _number(row["measured"]),
            _range(row),
            "yes" if row["holds"] == "True" else "no",
        ]
        for _, row in claims.iterrows()
    ]
    return ClaimsView(
        sentence,
        Table("The paper’s claims", ["claim", "verdict", "in the paper", "settings checked"], rows),
        Table("Claims", ["claim", "setting", "quantity", "measured", "95 % interval", "holds"], details),
    )


def _words(name: str) -> str:
    text = name.replace("-", " ")
    return text[:1].upper() + text[1:]


def _number(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")


def _range(row: "pd.Series[Any]") -> str:
    if row["low"] == row["high"]:  # an extreme over tasks has no interval
        return "–"
    return f"{_number(row['low'])}{NBSP}… {_number(row['high'])}"
