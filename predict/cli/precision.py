"""`tts precision`: how many questions and answers a run needs, from the answers of a pilot.

run         questions  answers  expected  ± new questions  ± these questions  …
vote of 16        200       16    58.1 %              5.4                0.9  …

With --compare:

run         questions  answers  difference    ±  80 % find  decided  80 % takes questions
vote of 16        200       16         4.2  3.1        4.4   56.0 %                   533
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from predict.planning.cheap_side import with_cheap
from predict.planning.margins import precision
from predict.planning.power import power
from results import BadInput, read_samples
from results.commandline import say, warnings_last
from results.normal import FORECAST_LEVEL, LEVEL
from results.paired.pairs import pairs, same_dataset
from results.paired.sides import Side, sides_of
from results.tables.contract import check_out
from results.tables.files import write_raw
from results.tables.key import model_on, on_dataset
from results.tables.money import Price
from results.terminal import plural
from results.words.cells import Columns, count, described
from results.words.names import interval, percent, sentence, show

_PILOT = "the pilot"
_RUNS = {"majority": "vote of ", "best_of_n": "best of "}


def run(
    inputs: tuple[Path, ...],
    questions: tuple[int, ...],
    answers: tuple[int, ...],
    seed: int,
    compare: bool,
    level: float | None,
    out: Path | None,
    cheap: Path | None,
    prices: Mapping[str, Price],
) -> None:
    """Print the precision of runs of those sizes for every setting of the pilot, and write it if asked."""
    if out is not None:
        check_out(out, inputs)
    questions, answers = tuple(dict.fromkeys(questions)), tuple(dict.fromkeys(answers))
    if compare and cheap is not None:
        raise click.UsageError("--with is of the accuracy of a run by itself: leave --compare out")
    if prices and cheap is None:
        raise click.UsageError("--price is for --with")
    if compare:
        tables = compared(inputs, questions, answers, seed, level or LEVEL)
    else:
        tables = alone(inputs, questions, answers, seed, level or FORECAST_LEVEL, cheap, prices)
    if out is not None:
        write_raw(pd.concat(tables, ignore_index=True), out)


def alone(
    inputs: Sequence[Path],
    questions: Sequence[int],
    answers: Sequence[int],
    seed: int,
    level: float,
    cheap: Path | None,
    prices: Mapping[str, Price],
) -> list[pd.DataFrame]:
    """Print and return the ± of runs of those sizes, and the savings due to a cheap side. Raises BadInput."""
    read = {_PILOT: read_samples(*inputs, texts=False)}
    if cheap is not None:
        read[str(cheap)] = read_samples(cheap, texts=False)
    tables, sides = [], sides_of(read, prices)
    for dear in (side for side in sides if side.table == _PILOT):
        own, seen = len(dear.pools.question_ids), dear.most
        rows = precision(dear.pools, questions or [own], answers or [seen, 4 * seen], seed, level)
        rows = _by(rows, dear)
        if cheap is not None:
            others = [side for side in sides if side.table != _PILOT and same_dataset(side, dear)]
            if not others:
                raise BadInput(f"--with {cheap}: no answers{on_dataset(dear.dataset)}")
            rows = with_cheap(dear, others, rows, level)
        called = model_on(dear.model, dear.dataset)
        say(f"\n{called}, setting {dear.setting}, from {plural(own, 'question')} × {plural(seen, 'answer')}")
        say(described(rows, columns_of(rows)))
        if cheap is not None:
            say(saved(rows))
        tables.append(rows.assign(dataset=dear.dataset, model=dear.model, setting=dear.setting))
    say(f"± in points, {100 * level:g} %. Four times the answers halve the ± for these questions.")
    return tables


def _by(rows: pd.DataFrame, *sides: Side) -> pd.DataFrame:
    """The rows of single answers, and of several by methods that all sides allow: verdicts do not vote."""
    allowed = rows["method"].map(lambda method: all(side.allows(method) for side in sides))
    return rows[(rows["N"] == 1) | allowed].reset_index(drop=True)


def saved(rows: pd.DataFrame) -> str:
    """A sentence on what a cheap side saves, for the largest vote (of verdicts: the largest best-of-N)."""
    several = rows[rows["N"] > 1]
    first = several[several["method"].eq(several["method"].iloc[0])] if len(several) else rows
    row = first.iloc[-1]
    run = f"{'a ' if row['N'] > 1 else ''}{_named(row)} of {count(row['questions'])} questions"
    if row["cost_with"] < 1:
        n, m = (count(row[name]) for name in ("questions_with", "questions_cheap"))
        ends = interval(row["cost_low"], row["cost_high"])
        part = f"{show(row['cost_with'])} of the cost ({ends})".removesuffix(" (–)")
        return f"{sentence(run)}: as precise with {n} of them and {m} of {row['with']}, for {part}."
    left = np.sqrt(1 - row["explained"])
    most = (1 - left) / (1 + left)  # with very many questions
    few = "" if row["price"] >= most else ": these questions are too few"
    return (
        f"{row['with']} does not pay for {run}: it explains {show(row['explained'])} of how they differ, so "
        f"it pays below {most:.2g} of the price per question, and costs {row['price']:.2g}{few}."
    )


def compared(
    inputs: Sequence[Path], questions: Sequence[int], answers: Sequence[int], seed: int, level: float
) -> list[pd.DataFrame]:
    """Print and return how likely runs of those sizes are to decide each comparison. Raises BadInput."""
    with warnings_last():
        read = {str(path): read_samples(path, texts=False) for path in inputs}
        both = list(pairs(sides_of(read, {})))
    if not both:
        raise BadInput("--compare: nothing to compare: give two models, or one model at several settings")
    tables = []
    for a, b in both:
        own, seen = len(a.pools.question_ids), min(a.most, b.most)
        rows = power(a.pools, b.pools, questions or [own], answers or [seen, 4 * seen], seed, level)
        rows = _by(rows, a, b)
        pilot = f"{plural(own, 'question')} × {plural(seen, 'answer')}"
        say(f"\n{b.named} − {a.named}{on_dataset(a.dataset)}, from {pilot}")
        say(described(rows, columns_of(rows)))
        tables.append(rows.assign(dataset=a.dataset, a=a.named, b=b.named))
    say(
        f"Differences and ± in points, {100 * level:g} %. 80 % find: the difference that `tts compare --at "
        "N` detects four times in five. Decided: the chance of a verdict, averaged over the differences that "
        "the pilot leaves possible."
    )
    return tables


def columns_of(rows: pd.DataFrame) -> Columns:
    """The columns to print."""
    columns: Columns = {
        "run": _named,
        "questions": lambda row: count(row["questions"]),
        "answers": lambda row: count(row["answers"]),
    }
    if "decided" in rows:
        return columns | {
            "difference": lambda row: percent(row["difference"]),
            "±": lambda row: percent(row["margin"]),
            "80 % find": lambda row: percent(row["detectable"]),
            "decided": lambda row: show(row["decided"]),
            "80 % takes questions": lambda row: count(row["questions_to_decide"]),
        }
    columns |= {
        "expected": lambda row: show(row["predicted"]),
        "± new questions": lambda row: percent(row["new_margin"]),
        "± these questions": lambda row: percent(row["margin"]),
        "questions that halve ± new": lambda row: count(row["questions_to_halve"]),
        "answers that do": lambda row: count(row["answers_to_halve"]),
    }
    if "questions_with" in rows:
        columns |= {
            "or with CHEAP": lambda row: count(row["questions_with"]),
            "of CHEAP": lambda row: count(row["questions_cheap"]),
            "cost": lambda row: show(row["cost_with"]),
            "± for the same cost": lambda row: percent(row["margin_with"]),
        }
    return columns


def _named(row: Any) -> str:
    return f"{_RUNS[row['method']]}{row['N']}" if row["N"] > 1 else "one answer"
