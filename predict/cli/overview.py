"""Many sets forecast at once: one table, and a sentence on each set.

set                         predictor               forecasts  held out  error  worst  within 90 %  ok  …
tiny model, tiny questions  default (question-law)         21        21    5.5    8.4     18 of 21   0  …
                            low-cost-to-high               21        21   19.8   39.0      7 of 21   0  …
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from predict.cli.wording import points, table
from predict.evidence.points import Floats
from results.normal import held
from results.tables.key import Key
from results.tables.status import Status
from results.words.cells import between, count, share
from results.words.names import METHOD_NAMES, curves_name, predictor_name, setting_used

SINGLY = 3
"""Up to so many sets are told one by one, with every forecast."""

FAR_OFF = 10.0
"""A miss of more than so many times 100 points is only said to be that: the formula has left all bounds."""


def name_of(rows: pd.DataFrame) -> str:
    """ "Llama-3.1-8B on gsm8k, majority vote" """
    source, dataset, model, method = rows[["source", "dataset", "model", "method"]].iloc[0]
    return f"{curves_name(Key(source, dataset, model))}, {METHOD_NAMES[method]}"


def overview(tables: Sequence[pd.DataFrame]) -> str:
    """A row for each set and predictor: how far its forecasts are from what was held out."""
    rows = []
    for found in tables:
        for number, (_, part) in enumerate(found.groupby("predictor", sort=False)):
            named = {"set": "" if number else name_of(found), "predictor": predictor_name(part)}
            rows.append(named | row_of(part))
    return table({head: [row[head] for row in rows] for head in rows[0]})


def row_of(part: pd.DataFrame) -> dict[str, str]:
    """The cells of one predictor's forecasts of a set."""
    asked = part[part["role"] != "used"]
    known = asked.dropna(subset=["accuracy"])
    given = known.dropna(subset=["predicted"])
    error = (given["predicted"] - given["accuracy"]).abs().to_numpy()
    bounded = given.dropna(subset=["low", "high"])
    trusted = (given["status"] == Status.OK).to_numpy()
    return {
        "forecasts": str(int(asked["predicted"].notna().sum())),
        "held out": str(len(known)),
        "error": far(mean(error)),
        "worst": far(error.max(initial=0.0) if len(error) else np.nan),
        "within 90 %": f"{int(held(bounded).sum())} of {len(bounded)}" if len(bounded) else "–",
        "ok": str(int((asked["status"] == Status.OK).sum())),
        "error of ok": far(mean(error[trusted])),
    }


def mean(values: Floats) -> float:
    """The mean; NaN of nothing, without a warning."""
    return float(values.mean()) if len(values) else np.nan


def far(error: float) -> str:
    """A mean error in points; of a formula beyond all bounds only that it is."""
    return f"> {100 * FAR_OFF:,.0f}" if error > FAR_OFF else points(error)


def sentence_of(found: pd.DataFrame) -> str:
    """The dearest forecast that was held out, or else the dearest, of the set's first predictor."""
    first = found[found["predictor"] == found["predictor"].iloc[0]]
    asked = first[first["role"] != "used"].dropna(subset=["predicted"])
    if asked.empty:
        return f"{name_of(found)}: no forecast."
    known = asked.dropna(subset=["accuracy"])
    rows = known if len(known) else asked
    row = rows.assign(cost=rows["tokens_per_answer"] * rows["N"]).sort_values(["cost", "N"]).iloc[-1]
    measured = f", {share(row['accuracy'])} measured" if len(known) else ""
    used = setting_used(row["source"], str(row["setting"]), row["tokens_per_answer"])
    value = f"{share(row['predicted'])} forecast ({between(row['low'], row['high'])})".removesuffix(" (–)")
    return f"{name_of(found)}, {used}, N = {count(row['N'])}: {value}{measured}."


def summary_of(found: pd.DataFrame) -> str:
    """How far each predictor of a set is off what was held out."""
    told = []
    for _, part in found.groupby("predictor", sort=False):
        row = row_of(part)
        known = f"{row['error']} points off" if row["error"] != "–" else "no forecast"
        told.append(f"{predictor_name(part)} {known}")
    held_out = row_of(found[found["predictor"] == found["predictor"].iloc[0]])["held out"]
    if held_out == "0":
        return f"{name_of(found)}: nothing was held out."
    return f"{name_of(found)}, over {held_out} values held out, on average: {', '.join(told)}."


def together(notes: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    """What a reader must be told of groups (name, sentences): a sentence once, with how many it is of."""
    said = Counter(sentence for _, sentences in notes for sentence in dict.fromkeys(sentences))
    lines = []
    for sentence, times in said.items():
        first = next(name for name, sentences in notes if sentence in sentences)
        others = f" and {times - 1} more" if times > 1 else ""
        lines.append(f"{first}{others}: {sentence}")
    return lines
