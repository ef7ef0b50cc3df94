"""Comparisons of runs in words: their rows and sentences.

answer                at            b − a                  b is       better, worse  to decide it
majority vote, N = 4  equal N       +8.0 (+3.0 … +13.0)    better     6, 2
majority vote, N = 4  equal tokens  −1.0 (−5.0 … +3.0)     undecided                 900 questions
"""

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
import pandas as pd

from results.methods import CREDIT
from results.normal import FORECAST_LEVEL
from results.paired.differences import fewest_questions
from results.paired.runs import Pair
from results.paired.sequential import Look, SequentialReplay
from results.paired.verdict import Verdict
from results.paired.verdict import verdict as verdict_of
from results.summary.gains import ranks
from results.tables.key import on_dataset
from results.terminal import plural, visible
from results.words.cells import Columns, Table, level_of, number, tabled
from results.words.names import METHOD_NAMES, listed, percent, points_within, sentence, show

PAIR = ("dataset", "a", "b")
"""Two runs on one data set, which share a sentence; if there are several settings, it names one."""

PAIR_AT = (*PAIR, "setting_a", "setting_b")
"""Two runs, each at one setting, which share a picture."""

_MOVED = ("difference", "low", "high", "questions_needed")
"""Columns that differ between equal N and equal cost."""


def pairs_of(rows: pd.DataFrame, parts: Sequence[str] = PAIR) -> list[pd.DataFrame]:
    """The rows of each pair of runs, in the order of the table."""
    return [own for _, own in rows.groupby(list(parts), sort=False)]


def at_cost(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with a known difference at equal cost, moved to `difference`, `low` and `high`."""
    known = rows[rows["difference_at_cost"].notna()]
    moved = {name: known[f"{name}_at_cost"] for name in _MOVED if f"{name}_at_cost" in known}
    absent = {name: float("nan") for name in _MOVED if f"{name}_at_cost" not in known}
    return known.assign(**moved, **absent)


def both_ways(rows: pd.DataFrame) -> pd.DataFrame:
    """Two rows for each row of a comparison: at equal N and, if known, at equal cost.

    The second has the values at equal cost; the column `at` says which is which.
    """
    equal_n = rows.assign(at="equal N")
    equal_cost = at_cost(rows).assign(answers_needed=float("nan"), gained=float("nan"))
    equal_cost = equal_cost.assign(at=[f"equal {_unit(row, '')}" for _, row in equal_cost.iterrows()])
    return pd.concat([equal_n, equal_cost]).sort_index(kind="stable")


def _unit(row: Any, what: str = "cost in ") -> str:
    unit = row.get("cost_unit")
    return "cost" if unit is None or pd.isna(unit) else f"{what}{unit}"


def in_clusters(rows: pd.DataFrame) -> str:
    """ " in 30 clusters" or " in 10 to 21 clusters", for compared questions; "" without clusters."""
    clusters = rows.get("clusters", pd.Series(dtype=float))
    counted = " to ".join(dict.fromkeys(f"{end:,.0f}" for end in (clusters.min(), clusters.max())))
    where = ", where there are any" if clusters.isna().any() else ""
    return "" if clusters.isna().all() else f" in {plural(counted, 'cluster')}{where}"


def answer_name(row: Any) -> str:
    """The kind of answer of a row; a "single answer" unless weights or credit make N = 1 special."""
    is_single = row["N"] == 1 and row["method"] not in ("weighted_majority", *CREDIT)
    return "single answer" if is_single else f"{METHOD_NAMES[row['method']]}, N = {row['N']}"


def without_repeats(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows, at N = 1 only those of the first method and of credit: other methods repeat the first."""
    return rows[(rows["N"] > 1) | rows["method"].isin([rows["method"].iloc[0], *CREDIT])]


def _difference(row: Any) -> str:
    return points_within(row["difference"], row["low"], row["high"])


def _verdict(row: Any) -> Verdict:
    return verdict_of(row["low"], row["high"])


def _to_decide(row: Any) -> str:
    """What would decide an undecided row; "" if it is decided."""
    if _verdict(row) != "undecided":
        return ""
    if row["questions"] == 1:
        return "one question says nothing about others"
    fewest = fewest_questions(row.get("level", FORECAST_LEVEL))
    if pd.notna(row.get("clusters")) and row["clusters"] < fewest:
        return f"too few clusters: {fewest} are needed"
    if row["questions"] < fewest:
        return f"too few questions: {fewest} are needed"
    ways = []
    if pd.notna(row["questions_needed"]):
        ways.append(f"{number(row['questions_needed'], ',.0f')} questions")
    if pd.notna(row["answers_needed"]):
        ways.append(f"{number(row['answers_needed'], ',.0f')} answers to each")
    return " or ".join(ways) or "no difference seen"


COLUMNS: Columns = {
    "answer": answer_name,
    "at": lambda row: str(row["at"]),
    "b − a": _difference,
    "b is": lambda row: str(_verdict(row)),
    "better, worse": lambda row: "" if pd.isna(row["gained"]) else f"{row['gained']:.0f}, {row['lost']:.0f}",
    "to decide it": _to_decide,
}
"""The columns of a comparison in words, for rows from `both_ways`: b − a in points, its interval, …"""


def lead_in(dataset: str, several: bool, setting: str = "", model: str = "") -> str:
    """ "On sums, at setting 200: "; the data set only if there are `several` and it has a name."""
    place = on_dataset(dataset).strip() if several else ""
    parts = [place, f"with {model}" if model else "", f"at setting {setting}" if setting else ""]
    place = ", ".join(filter(None, parts))
    return f"{sentence(place)}: " if place else ""


def verdict(rows: pd.DataFrame) -> str:
    """Which of two runs is better, by how much and by which method, at equal N and at equal cost.

    It quotes the largest N that is clear: the largest of several differences is the luckiest.
    """
    clear = rows[_clear(rows)]
    most, paid = _quoted(rows)
    if clear.empty:
        return _undecided(most, paid, rows)
    runs = [most["b"], most["a"]]
    ends = [most["low"], most["high"]]
    better, worse = runs if most["difference"] > 0 else reversed(runs)
    low, high = (percent(end) for end in sorted(map(abs, ends)))
    size = f"{percent(abs(most['difference']))} points ({low} … {high})"
    where = " at equal N"
    if len(rows) > 1:
        opposed = clear["difference"].min() < 0 < clear["difference"].max()
        where = ", but not everywhere" if opposed else ", the most answers at which it is clear"
    return f"{better} beats {worse} by {size}, {_place(most, rows)}{where}{_paid(most, paid, rows)}."


def quoted(rows: pd.DataFrame) -> list[Any]:
    """The labels of the rows that `verdict` quotes: at equal N and, if known, at equal cost."""
    return [row.name for row in _quoted(rows) if row is not None]


def _quoted(rows: pd.DataFrame) -> tuple[Any, Any]:
    """The row that `verdict` quotes at equal N, and that at equal cost or None.

    If nothing is clear at equal N, the second is the row of the largest N that is clear at equal cost.
    """
    clear = rows[_clear(rows)]
    if len(clear):
        most = of_most_answers(clear)
        return most, _same_at_cost(most, rows)
    paid = at_cost(rows)
    clear_at_cost = paid[_clear(paid)]
    return of_most_answers(rows), None if clear_at_cost.empty else of_most_answers(clear_at_cost)


def _clear(rows: pd.DataFrame) -> list[bool]:
    """Whether each row is decided."""
    return [_verdict(row) != "undecided" for _, row in rows.iterrows()]


def of_most_answers(rows: pd.DataFrame) -> Any:
    """The row of the largest N and, of these, the largest cost: a choice free of luck."""
    return rows.sort_values(["N", "cost"], ascending=False, kind="stable").iloc[0]


def _paid(row: Any, paid: Any, rows: pd.DataFrame) -> str:
    """The end of a sentence: how a row's difference at equal N changes at equal cost, in the row `paid`."""
    if pd.isna(row["cost"]) and row["cost_unit"] == "tokens":
        return ""
    if paid is None:
        return f"; {_not_at_cost(row, rows)}"
    how = "it is undecided" if _verdict(paid) == "undecided" else "the other way round"
    if _verdict(paid) == _verdict(row):
        how = "too"
    where = "" if paid.name == row.name else f" ({_place(paid, rows)})"
    difference = f"{paid['b']} − {paid['a']} is {_difference(paid)}{where}"
    return f"; at equal {_unit(paid)} {how}: {difference}"


def _same_at_cost(row: Any, rows: pd.DataFrame) -> Any:
    """The row at equal cost or, if unknown, its method's row of largest N that is known; None without any."""
    known = at_cost(rows[rows["method"] == row["method"]])
    if known.empty:
        return None
    place = row.name if row.name in known.index else known["N"].idxmax()
    return known.loc[[place]].iloc[0]


def _not_at_cost(row: Any, rows: pd.DataFrame) -> str:
    """Why a row has no value at equal cost, and what would give one: mostly more cheap answers."""
    kin = ["method", "setting_a", "setting_b"]
    same = rows[(rows[kin] == row[kin]).all(axis=1)]
    fewest = same.loc[same["N"].idxmin()]
    a, b, n = fewest["a"], fewest["b"], fewest["N"]
    ratio = fewest["N_at_cost"] / n
    unknown = f"at equal {_unit(fewest)} it is unknown"
    if not ratio > 0:
        return f"{unknown}, since the cost of the answers of {b if np.isnan(ratio) else a} is unknown or 0"
    dear, cheap, times = (a, b, ratio) if ratio > 1 else (b, a, 1 / ratio)
    first = "" if ratio > 1 else f"{dear} first, and "
    advice = f"give {first}{cheap} {ceil(n * times):,} or more per question"
    if first and b == fewest["setting_b"]:  # settings have an order
        advice = f"compare them at N = {ceil(times):,} or more"
    return (
        f"{unknown}: an answer of {dear} costs as much as {times:,.3g} of {cheap}, and too few answers "
        f"of {cheap} are compared: {advice}"
    )


def _undecided(most: Any, paid: Any, rows: pd.DataFrame) -> str:
    """That nothing is decided at equal N, what would decide it, and what is clear at equal cost."""
    a, b = most["a"], most["b"]
    line = f"{b} versus {a} is undecided: no {level_of(rows)} interval at equal N excludes 0"
    if pd.notna(most["questions_needed"]):
        clusters = in_clusters(most.to_frame().T)
        seen, least = f"{int(most['questions']):,} questions{clusters}", most.get("detectable")
        if pd.notna(least):
            seen += f" usually detect {percent(least)} points"
        line += f" ({seen}; a fresh run of {most['questions_needed']:,.0f} would usually decide)"
    if at_cost(rows).empty and (pd.notna(most["cost"]) or most["cost_unit"] != "tokens"):
        return f"{line}; {_not_at_cost(most, rows)}."
    if paid is None:
        return f"{line}."
    cost = f"{b} is {_verdict(paid)}, {_difference(paid)} ({_place(paid, rows)})"
    return f"{line}; at equal {_unit(paid)} {cost}."


def _place(row: Any, rows: pd.DataFrame) -> str:
    """The kind of answer of a row, with its setting if there are several."""
    if len(rows[["setting_a", "setting_b"]].drop_duplicates()) == 1:
        return answer_name(row)
    settings = dict.fromkeys([row["setting_a"], row["setting_b"]])
    return f"{answer_name(row)}, setting {' and '.join(settings)}"


def look_in_words(pair: Pair, look: Look, planned: int | None, margin: float) -> str:
    """The state of a sequential comparison."""
    a, b = map(visible, pair.names)
    answer = answer_name({"method": pair.method, "N": pair.ns[0]})
    plan = "" if planned is None else f" of {planned:,} planned"
    here = points_within(look.mean, look.interval.low, look.interval.high)
    line = f"{b} − {a}, {answer}: {here} after {plural(f'{look.questions:,}{plan}', 'question')}; "
    line += f"the {100 * look.interval.level:g} % interval holds jointly for all looks."
    if margin:
        line += f" The margin is {100 * margin:g} points."
    if look.word == "undecided" and planned is not None and look.questions < planned:
        line += " Even all planned questions are unlikely to decide it."
    return line


_ENDS = {"better": "better", "worse": "worse", "undecided": "undecided for good", "go on": "not decided"}


def replay_in_words(replay: SequentialReplay, questions: int) -> str:
    """How many questions sequential looks would have saved."""
    counts = ", ".join(f"{_ENDS[word]} in {count}" for word, count in replay.words.most_common())
    orders = sum(replay.words.values())
    return (
        f"With interim looks, in {orders} random orders of these questions, it would have ended after "
        f"{replay.questions:,.0f} of {questions:,} on average: {counts}."
    )


def rankings(comparison: pd.DataFrame) -> list[pd.DataFrame]:
    """The rows of `ranks` for each data set, setting, table, method and N."""
    own = ["dataset", "setting", "table", "method", "N"]
    return [rows for _, rows in ranks(comparison).groupby(own, sort=False)]


def ranks_sentence(runs: pd.DataFrame) -> str:
    """Which runs of a ranking (rows of `ranks`) may be the best, and how many are not."""
    front = runs[runs["first"] == 1]
    behind = len(runs) - len(front)
    among = f"Of {len(runs)} runs, "
    by = f"by {answer_name(runs.iloc[0])}"
    if len(front) == 1:
        (name,), (last,) = front["run"], front["last"]
        if last == 1:
            return f"{among}{name} is the best {by}: it is clearly better than each of the others."
        return (
            f"{among}only {name} may be the best {by}: each of the others is clearly worse than at least one."
        )
    which = listed([str(name) for name in front["run"]]) if len(front) < 5 else str(len(front))
    others = "the other one is" if behind == 1 else f"the other {behind} are each"
    rest = f"; {others} clearly worse than at least one" if behind else ""
    return f"{among}{which} may be the best {by}: none of these is clearly better than another{rest}."


RANK_COLUMNS: Columns = {
    "run": lambda row: str(row["run"]),
    "accuracy": lambda row: show(row["accuracy"]),
    "rank": lambda row: " … ".join(dict.fromkeys([str(row["first"]), str(row["last"])])),
}
"""The columns of a ranking."""


def ranks_table(runs: pd.DataFrame, level: str) -> Table:
    """The runs of a ranking, best first, each with its possible ranks."""
    first = runs.iloc[0]
    where = "" if first["setting"] in ("", "default") else f", {first['setting']}"
    note = (
        "Rank: from 1 + the number of clearly better runs to the number of runs not clearly worse. "
        f"All ranks hold jointly in {level} of cases."
    )
    return tabled(f"Ranks by {answer_name(first)}{where}", runs, RANK_COLUMNS, note)
