"""What a comparison of runs says: its rows in words, for the page and for the terminal, and its sentence.

answer                at            b − a                  b is       better, worse  to decide it
majority vote, N = 4  equal N       +8.0 (+3.0 … +13.0)    better     6, 2
majority vote, N = 4  equal tokens  −1.0 (−5.0 … +3.0)     undecided                 900 questions
"""

from typing import Any

import pandas as pd

from results.figures.words import METHOD_NAMES, points
from results.paired.differences import fewest_questions
from results.paired.verdict import Verdict
from results.paired.verdict import verdict as verdict_of
from results.report.cells import Columns, number

OLD_LEVEL = 0.90
"""Of tables that do not say the level of their intervals."""


def both_ways(rows: pd.DataFrame) -> pd.DataFrame:
    """Two rows for each row of a comparison: at equal N and, where it is known, at equal cost.

    The second has `difference`, `low`, `high` and `questions_needed` at equal cost; `at` says which is which.
    """
    told = []
    for _, row in rows.iterrows():
        told.append({**row, "at": "equal N"})
        if pd.notna(row["difference_at_cost"]):
            names = ("difference", "low", "high", "questions_needed")
            at_cost = {name: row.get(f"{name}_at_cost") for name in names}
            unknown = {"answers_needed": None, "gained": None}
            told.append({**row, **at_cost, **unknown, "at": f"equal {_unit(row)}".replace("cost in ", "")})
    return pd.DataFrame(told)


def answer(row: Any) -> str:
    """The kind of answer that a row is about."""
    return "single answer" if row["N"] == 1 else f"{METHOD_NAMES[row['method']]}, N = {row['N']}"


def level_of(rows: pd.DataFrame) -> str:
    """The level of the intervals of a comparison: "95 %"."""
    level = rows["level"].iloc[0] if "level" in rows else OLD_LEVEL
    return f"{100 * level:g} %"


def _unit(row: Any) -> str:
    unit = row.get("cost_unit")
    return "cost" if unit is None or pd.isna(unit) else f"cost in {unit}"


def _difference(row: Any, basis: str = "") -> str:
    value, low, high = (row[f"{name}{basis}"] for name in ("difference", "low", "high"))
    return points(value) if pd.isna(low) else f"{points(value)} ({points(low)} … {points(high)})"


def _word(row: Any, basis: str = "") -> Verdict:
    return verdict_of(row[f"low{basis}"], row[f"high{basis}"])


def _to_decide(row: Any) -> str:
    """What would tell the two apart, where nothing does yet."""
    if _word(row) != "undecided":
        return ""
    if row["questions"] == 1:
        return "one question says nothing about others"
    fewest = fewest_questions(row.get("level", OLD_LEVEL))
    if row["questions"] < fewest:
        return f"too few questions: {fewest} or more"
    ways = {"questions_needed": "questions", "answers_needed": "answers to each"}
    known = [f"{number(row[name], ',.0f')} {what}" for name, what in ways.items() if pd.notna(row[name])]
    return " or ".join(known) or "no difference seen"


def _gained(row: Any) -> str:
    return "" if pd.isna(row["gained"]) else f"{row['gained']:.0f}, {row['lost']:.0f}"


COLUMNS: Columns = {
    "answer": answer,
    "at": lambda row: str(row["at"]),
    "b − a": _difference,
    "b is": lambda row: str(_word(row)),
    "better, worse": _gained,
    "to decide it": _to_decide,
}
"""The columns of a comparison in words, of rows from `both_ways`: b − a in points with its interval, …"""


def verdict(found: pd.DataFrame) -> str:
    """Which of two runs is better, by how much at most and in what, at equal N and at equal cost."""
    words = found.apply(_word, axis=1)
    clear = found[words != "undecided"]
    if clear.empty:
        return _undecided(found)
    row: Any = clear.iloc[int(clear["difference"].abs().round(9).argmax())]  # of equal ones the first
    better, worse = (row["b"], row["a"]) if row["difference"] > 0 else (row["a"], row["b"])
    most = f"{better} beats {worse} by {100 * abs(row['difference']):.1f} points ({_place(row, found)})"
    opposed = clear["difference"].min() < 0 < clear["difference"].max()
    where = ", but not everywhere" if opposed else ", the largest clear difference at equal N"
    where = where if len(found) > 1 else " at equal N"
    return f"{most}{where}{_at_cost(row, found)}."


def _at_cost(row: Any, found: pd.DataFrame) -> str:
    """How the difference of a row fares at equal cost, to follow what it is at equal N.

    Where it is not known at equal cost, that of the most answers for which it is.
    """
    paid: Any = row
    if pd.isna(row["cost"]):
        return ""
    if pd.isna(row["difference_at_cost"]):
        known = found[found["difference_at_cost"].notna() & (found["method"] == row["method"])]
        if known.empty:
            return f"; at equal {_unit(row)} it is not known"
        paid = known.loc[known["N"].idxmax()]
    place = "" if paid is row else f" ({_place(paid, found)})"
    word = _word(paid, "_at_cost")
    how = "it is undecided" if word == "undecided" else "the other way round"
    if word == _word(row):
        how = "too"
    told = f"{paid['b']} − {paid['a']} is {_difference(paid, '_at_cost')}{place}"
    return f"; at equal {_unit(paid)} {how}: {told}"


def _undecided(found: pd.DataFrame) -> str:
    """That nothing is decided at equal N, what would, and what is at equal cost."""
    a, b = found["a"].iloc[0], found["b"].iloc[0]
    said = (
        f"{b} against {a} is undecided: no difference at equal N is clear of its {level_of(found)} interval"
    )
    fewest = found["questions_needed"].min()
    if pd.notna(fewest):
        there = int(found["questions"].max())
        said += f" ({there:,} questions; a difference as large as was seen would take {fewest:,.0f})"
    at_cost = found[found["difference_at_cost"].notna()]
    clear = at_cost[[_word(row, "_at_cost") != "undecided" for _, row in at_cost.iterrows()]]
    if clear.empty:
        return f"{said}."
    row: Any = clear.iloc[int(clear["difference_at_cost"].abs().argmax())]
    told = f"{row['b']} is {_word(row, '_at_cost')}, {_difference(row, '_at_cost')} ({_place(row, found)})"
    return f"{said}; at equal {_unit(row)} {told}."


def _place(row: Any, found: pd.DataFrame) -> str:
    """The kind of answer of a row, with its setting where there are several."""
    if len(found[["setting_a", "setting_b"]].drop_duplicates()) == 1:
        return answer(row)
    settings = dict.fromkeys([row["setting_a"], row["setting_b"]])
    return f"{answer(row)}, setting {' and '.join(settings)}"
