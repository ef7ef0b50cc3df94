"""What a comparison of runs says: its columns in words, for the page and for the terminal, and its verdict.

answer                at equal N             at equal cost          better, worse  to tell them apart
majority vote, N = 4  +8.0 (+3.0 … +13.0)    −1.0 (−5.0 … +3.0)     6, 2           they differ
"""

from typing import Any

import pandas as pd

from results.figures.words import METHOD_NAMES, points
from results.paired.differences import LEVEL
from results.report.table import Columns, number


def answer(row: Any) -> str:
    """The kind of answer that a row is about."""
    return "single answer" if row["N"] == 1 else f"{METHOD_NAMES[row['method']]}, N = {row['N']}"


def _difference(row: Any, basis: str) -> str:
    value, low, high = (row[f"{name}{basis}"] for name in ("difference", "low", "high"))
    if pd.isna(value):
        return "–"
    return points(value) if pd.isna(low) else f"{points(value)} ({points(low)} … {points(high)})"


def _needed(row: Any) -> str:
    if row["p_value"] < LEVEL:
        return "they differ"
    ways = {"questions_needed": "questions", "answers_needed": "answers to each"}
    known = [f"{number(row[name], ',.0f')} {what}" for name, what in ways.items() if pd.notna(row[name])]
    return " or ".join(known) or "no difference seen"


COLUMNS: Columns = {
    "answer": answer,
    "at equal N": lambda row: _difference(row, ""),
    "at equal cost": lambda row: _difference(row, "_at_cost"),
    "better, worse": lambda row: f"{row['gained']}, {row['lost']}",
    "to tell them apart": _needed,
}
"""The columns of a comparison in words: b − a in percentage points with its 90 % interval, …"""


def verdict(found: pd.DataFrame) -> str:
    """Which of two runs is clearly better, by how much at most, and in what."""
    clear = found[(found["low"] > 0) | (found["high"] < 0)]
    if clear.empty:
        return "No difference is clear of its 90 % interval."
    row: Any = clear.iloc[int(clear["difference"].abs().argmax())]
    better, worse = (row["b"], row["a"]) if row["difference"] > 0 else (row["a"], row["b"])
    opposed = clear["difference"].min() < 0 < clear["difference"].max()
    most = f"{better} beats {worse} by {100 * abs(row['difference']):.1f} points ({answer(row)})"
    return f"{most}, but not everywhere." if opposed else f"{most}, the largest clear difference."
