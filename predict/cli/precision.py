"""`tts precision`: how many questions and answers a run needs, from the answers of a pilot.

run         questions  answers  expected  ± new questions  ± these questions  …
vote of 16        200       16    58.1 %              5.4                0.9  …

With --compare:

run         questions  answers  difference    ±  80 % find  decided  80 % takes questions
vote of 16        200       16         4.2  3.1        4.4   56.0 %                   533
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click
import numpy as np
import pandas as pd

from predict.cli.wording import say, table
from predict.planning.cheap_side import with_cheap
from predict.planning.margins import precision
from predict.planning.power import power
from results import BadInput, kind_of, read_samples
from results.commandline import warnings_last
from results.normal import FORECAST_LEVEL, LEVEL
from results.paired.pairs import pairs
from results.paired.sides import sides_of
from results.tables.contract import check_out
from results.tables.files import write_raw
from results.tables.key import model_on, on_dataset
from results.tables.money import Price
from results.terminal import plural
from results.words.cells import between, share
from results.words.names import percent

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
    """Print, and write where asked, what runs of those sizes would tell by every setting of the pilot."""
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
    """Print and return the ± of runs of those sizes, and what a cheap side saves. Raises BadInput."""
    for path in inputs:
        if kind_of(path) == "curves":
            raise BadInput(f"{path}: curves do not show how answers differ: give samples")
    read = {_PILOT: read_samples(*inputs, texts=False)}
    if cheap is not None:
        read[str(cheap)] = read_samples(cheap, texts=False)
    tables, sides = [], sides_of(read, prices)
    for dear in (side for side in sides if side.table == _PILOT):
        own, seen = len(dear.pools.question_ids), dear.most
        rows = precision(dear.pools, questions or [own], answers or [seen, 4 * seen], seed, level)
        if cheap is not None:
            others = [side for side in sides if side.table != _PILOT and side.dataset == dear.dataset]
            if not others:
                raise BadInput(f"--with {cheap}: no answers{on_dataset(dear.dataset)}")
            rows = with_cheap(dear, others, rows, level)
        called = model_on(dear.model, dear.dataset)
        say(f"\n{called}, setting {dear.setting}, from {plural(own, 'question')} × {plural(seen, 'answer')}")
        say("\n".join([printable(rows), *([] if cheap is None else [saved(rows)])]))
        tables.append(rows.assign(dataset=dear.dataset, model=dear.model, setting=dear.setting))
    say(f"± in points, {100 * level:g} %. Four times the answers halve the ± of these questions.")
    return tables


def saved(rows: pd.DataFrame) -> str:
    """What a cheap side saves, by the largest vote."""
    row = rows[rows["method"] == "majority"].iloc[-1]
    run = f"{_RUNS['majority']}{row['N']} of {_whole(row['questions'])} questions"
    if row["cost_with"] < 1:
        n, m = _whole(row["questions_with"]), _whole(row["questions_cheap"])
        ends = between(row["cost_low"], row["cost_high"])
        part = f"{share(row['cost_with'])} of the cost ({ends})".removesuffix(" (–)")
        return f"A {run}: as exact with {n} of them and {m} of {row['with']}, for {part}."
    left = np.sqrt(1 - row["explained"])
    most = (1 - left) / (1 + left)  # of very many questions
    few = "" if row["price"] >= most else ": these questions are too few"
    return (
        f"{row['with']} does not pay for a {run}: it explains {share(row['explained'])} of how they differ; "
        f"at this a question of it pays below {most:.2g} of one, and it costs {row['price']:.2g}{few}."
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
        pilot = f"{plural(own, 'question')} × {plural(seen, 'answer')}"
        say(f"\n{b.named} − {a.named}{on_dataset(a.dataset)}, from {pilot}")
        say(printable(rows.rename(columns={"margin": "margin_of_difference"})))
        tables.append(rows.assign(dataset=a.dataset, a=a.named, b=b.named))
    say(
        f"Differences and ± in points, {100 * level:g} %. 80 % find: four of five runs that differ by so "
        "much are told apart by `tts compare --at N`. Decided: the chance of a verdict, averaged over "
        "what the pilot leaves open of the difference."
    )
    return tables


def _points(value: float) -> str:
    """A difference of accuracies in percentage points: 0.0213 as "2.1"; "–" where there is none."""
    return percent(value) if np.isfinite(value) else "–"


def _whole(number: float) -> str:
    """A number of questions or answers; "–" where there is none."""
    return f"{number:,.0f}" if np.isfinite(number) else "–"


_SHOWN: dict[str, tuple[str, Callable[[float], str]]] = {
    "questions": ("questions", _whole),
    "answers": ("answers", _whole),
    "predicted": ("expected", share),
    "difference": ("difference", _points),
    "new_margin": ("± new questions", _points),
    "margin": ("± these questions", _points),
    "margin_of_difference": ("±", _points),
    "detectable": ("80 % find", _points),
    "decided": ("decided", share),
    "questions_to_decide": ("80 % takes questions", _whole),
    "questions_to_halve": ("questions that halve ± new", _whole),
    "answers_to_halve": ("answers that do", _whole),
    "questions_with": ("or with CHEAP", _whole),
    "questions_cheap": ("of CHEAP", _whole),
    "cost_with": ("cost", share),
    "margin_with": ("± for the same cost", _points),
}
"""By column its heading, and how a number reads."""


def printable(rows: pd.DataFrame) -> str:
    """The table as aligned text."""
    runs = rows["method"].map(_RUNS) + rows["N"].astype(str)
    shown = {words: map(show, rows[name]) for name, (words, show) in _SHOWN.items() if name in rows}
    return table({"run": runs.where(rows["N"] > 1, "one answer"), **shown})
