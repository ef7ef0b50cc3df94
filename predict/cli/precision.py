"""`tts precision`: how many questions and answers a run needs, from the answers of a pilot.

run         questions  answers  expected  ± new questions  ± these questions  …
vote of 16        200       16    58.1 %              5.4                0.9  …

With --compare:

run         questions  answers  difference    ±  80 % find  decided  80 % takes questions
vote of 16        200       16         4.2  3.1        4.4   56.0 %                   533
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import pandas as pd

from predict.cli.wording import points, say, table
from predict.evidence.groups import read_groups
from predict.evidence.points import Floats
from predict.planning.sizes import power, precision, questions_with
from results import BadInput, read_samples
from results.commandline import warnings_last
from results.normal import FORECAST_LEVEL, LEVEL
from results.paired.cheap import with_cheap
from results.paired.pairs import pairs
from results.paired.sides import sides_of
from results.tables.contract import check_out
from results.tables.files import write_raw
from results.tables.key import Key, groups
from results.votes.curves import curves_and_votes
from results.words.cells import share

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
) -> None:
    """Print, and write where asked, what runs of those sizes would tell by every setting of the pilot."""
    if out is not None:
        check_out(out, inputs)
    questions, answers = tuple(dict.fromkeys(questions)), tuple(dict.fromkeys(answers))
    if compare and cheap is not None:
        raise click.UsageError("--with is of the accuracy of a run by itself: leave --compare out")
    if compare:
        tables = compared(inputs, questions, answers, seed, level or LEVEL)
    else:
        tables = alone(inputs, questions, answers, seed, level or FORECAST_LEVEL, cheap)
    if out is not None:
        write_raw(pd.concat(tables, ignore_index=True), out)


def alone(
    inputs: Sequence[Path],
    questions: Sequence[int],
    answers: Sequence[int],
    seed: int,
    level: float,
    cheap: Path | None = None,
) -> list[pd.DataFrame]:
    """Print and return the ± of runs of those sizes."""
    tables = []
    worth = None if cheap is None else _worth(inputs, cheap)
    for group in read_groups(inputs, "majority"):
        if not group.pools:
            raise BadInput(f"{group.name}: curves do not show how answers differ: give samples")
        for pool in group.pools:
            own, seen = len(pool.answers.question_ids), int(pool.answers.sizes.min())
            rows = precision(pool.answers, questions or [own], answers or [seen, 4 * seen], seed, level)
            if worth is not None:
                rows["questions_with"] = worth.enough(rows, group.key.at(pool.setting), own)
            say(f"\n{group.called}, setting {pool.setting}, from {own} questions × {seen} answers")
            say(printable(rows))
            tables.append(rows.assign(dataset=group.key.dataset, model=group.key.model, setting=pool.setting))
    say(f"± in points, {100 * level:g} %. Four times the answers halve the ± of these questions.")
    if worth is not None:
        say("with CHEAP: so many questions tell as much of new ones, its answers being there.")
    return tables


@dataclass(frozen=True)
class _Worth:
    """The exact curves of a pilot with what a cheap side adds, by key; the questions of that side."""

    curves: dict[Key, pd.DataFrame]
    questions: int

    def enough(self, found: pd.DataFrame, key: Key, pilot: int) -> Floats:
        """The questions of each row that are enough with it, by its gain at as many answers, or the most."""
        gains = []
        for method, n in zip(found["method"], found["N"], strict=True):
            curve = self.curves[key.by(method)]
            gains.append(curve["gain"][curve["N"] <= n].iloc[-1])
        return questions_with(found["questions"].to_numpy(), np.array(gains), pilot, self.questions)


def _worth(inputs: Sequence[Path], cheap: Path) -> _Worth:
    pilot, many = (read_samples(*files, texts=False) for files in (inputs, [cheap]))
    curves, votes = curves_and_votes(pilot, permutations=0)
    rows = with_cheap(curves, votes, pilot, many, str(cheap))
    return _Worth(dict(groups(rows)), many["question_id"].nunique())


def compared(
    inputs: Sequence[Path], questions: Sequence[int], answers: Sequence[int], seed: int, level: float
) -> list[pd.DataFrame]:
    """Print and return how likely runs of those sizes are to decide each comparison. Raises BadInput."""
    with warnings_last():
        both = list(pairs(sides_of({str(path): read_samples(path, texts=False) for path in inputs}, None)))
    if not both:
        raise BadInput("--compare: nothing to compare: give two models, or one model at several settings")
    tables = []
    for a, b in both:
        own, seen = len(a.pools.question_ids), min(a.most, b.most)
        rows = power(a.pools, b.pools, questions or [own], answers or [seen, 4 * seen], seed, level)
        say(f"\n{b.named} − {a.named}, from {own} questions × {seen} answers")
        say(printable(rows))
        tables.append(rows.assign(dataset=a.dataset, a=a.named, b=b.named))
    say(
        f"Differences and ± in points, {100 * level:g} %. 80 % find: four of five runs that differ by so "
        "much are told apart by `tts compare --at N`. Decided: the chance of a verdict, averaged over "
        "what the pilot leaves open of the difference."
    )
    return tables


def printable(rows: pd.DataFrame) -> str:
    """The table as aligned text."""
    runs = rows["method"].map(_RUNS) + rows["N"].astype(str)
    columns: dict[str, Iterable[str]] = {
        "run": runs.where(rows["N"] > 1, "one answer"),
        "questions": map(_whole, rows["questions"]),
        "answers": map(_whole, rows["answers"]),
    }
    if "decided" in rows:
        return table(
            {
                **columns,
                "difference": map(points, rows["difference"]),
                "±": map(points, rows["margin"]),
                "80 % find": map(points, rows["detectable"]),
                "decided": map(share, rows["decided"]),
                "80 % takes questions": map(_whole, rows["questions_to_decide"]),
            }
        )
    return table(
        {
            **columns,
            "expected": map(share, rows["predicted"]),
            "± new questions": map(points, rows["new_margin"]),
            "± these questions": map(points, rows["margin"]),
            "questions that halve ± new": map(_whole, rows["questions_to_halve"]),
            "answers that do": map(_whole, rows["answers_to_halve"]),
            **({"with CHEAP": map(_whole, rows["questions_with"])} if "questions_with" in rows else {}),
        }
    )


def _whole(number: float) -> str:
    """A number of questions or answers; "–" where there is none."""
    return f"{number:,.0f}" if np.isfinite(number) else "–"
