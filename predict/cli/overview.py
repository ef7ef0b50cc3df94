"""Many sets forecast at once: one table, and a sentence on each set.

set                         predictor               mean error  largest  …  points    ok  error of ok
tiny model, tiny questions  default (question-law)         5.5      8.4  …  21 of 21   0            –
                            low-cost-to-high              19.8     39.0  …  21 of 21   0            –
"""

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from results.summary.forecasts import scores
from results.tables.key import PANEL, groups
from results.words.cells import Table, cells_of, count, lines_of
from results.words.forecasts import error_columns, far
from results.words.names import interval, method_name, predictor_name, setting_used, show

SINGLY = 3
"""Up to this many sets are printed one by one, with every forecast."""


def name_of(rows: pd.DataFrame) -> str:
    """ "Llama-3.1-8B on gsm8k, majority vote" """
    key, _ = next(groups(rows, PANEL))
    return method_name(key)


def asked_of(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows that are forecasts; all rows if every one was fitted."""
    asked = rows[rows["role"] != "used"]
    return asked if len(asked) else rows


def overview(tables: Sequence[pd.DataFrame]) -> str:
    """A table with a row for each set and predictor: how far its forecasts are from the held-out values."""
    body: list[list[str]] = []
    for rows in tables:
        forecasts = asked_of(rows)
        columns = error_columns(forecasts) | {
            "ok": lambda row: f"{row['ok']:.0f}",
            "error of ok": lambda row: far(row["error_of_ok"]),
        }
        names = [name_of(rows)]
        for cells in cells_of(scores(forecasts), columns):
            body.append([names.pop() if names else "", *cells])
    return "\n".join(lines_of(Table("", ["set", *columns], body)))


def sentence_of(rows: pd.DataFrame) -> str:
    """A sentence on the most expensive forecast, if possible a held-out one, of the set's first predictor."""
    first = rows[rows["predictor"] == rows["predictor"].iloc[0]]
    beyond = first[first["role"] != "used"].dropna(subset=["predicted"])
    if beyond.empty:
        return f"{name_of(rows)}: no forecast."
    known = beyond.dropna(subset=["accuracy"])
    judged = known if len(known) else beyond
    row = judged.assign(cost=judged["tokens_per_answer"] * judged["N"]).sort_values(["cost", "N"]).iloc[-1]
    measured = f", {show(row['accuracy'])} measured" if len(known) else ""
    used = setting_used(row["source"], str(row["setting"]), row["tokens_per_answer"])
    held = interval(row["low"], row["high"])
    value = f"{show(row['predicted'])} forecast ({held})".removesuffix(" (–)")
    return f"{name_of(rows)}, {used}, N = {count(row['N'])}: {value}{measured}."


def summary_of(rows: pd.DataFrame) -> str:
    """A sentence on the mean error of each predictor of a set on the held-out values."""
    forecasts = asked_of(rows)
    table = scores(forecasts)
    held_out = table["asked"].iloc[0]
    if not held_out:
        return f"{name_of(rows)}: nothing was held out."
    off = []
    for name, row in table.iterrows():
        known = f"{far(row['mean'])} points off" if row["told"] else "no forecast"
        off.append(f"{predictor_name(forecasts[forecasts['predictor'] == name])} {known}")
    return f"{name_of(rows)}, over {held_out} values held out, on average: {', '.join(off)}."


def together(notes: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    """Notes on groups (name, sentences) as lines: each sentence once, with the number of its groups."""
    counts = Counter(sentence for _, sentences in notes for sentence in dict.fromkeys(sentences))
    lines = []
    for sentence, times in counts.items():
        first = next(name for name, sentences in notes if sentence in sentences)
        others = f" and {times - 1} more" if times > 1 else ""
        lines.append(f"{first}{others}: {sentence}")
    return lines
