"""`python -m predict precision`: how many questions and answers a run needs, from the answers of a pilot.

setting  questions  answers  run         expected  ± new questions  ± these questions  half of ± new takes
40       200        16       vote of 16  58.1 %    5.4              0.9                800 questions
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from predict.cli.wording import percent, points, say, table
from predict.evidence.groups import read_groups
from predict.planning.precision import precision
from results import BadInput
from results.tables.contract import check_out
from results.tables.files import write_raw

_RUNS = {"majority": "vote of ", "best_of_n": "best of "}


def run(
    inputs: tuple[Path, ...], questions: tuple[int, ...], answers: tuple[int, ...], seed: int,
    level: float, out: Path | None,
) -> None:  # fmt: skip
    """Print, and write where asked, the ± of runs of those sizes from every setting of the pilot."""
    if out is not None:
        check_out(out, inputs)
    tables = []
    for group in read_groups(inputs, "majority"):
        if not group.pools:
            raise BadInput(f"{group.name}: curves do not tell how answers differ: give samples")
        for pool in group.pools:
            own, seen = len(pool.answers.question_ids), int(pool.answers.sizes.min())
            found = precision(pool.answers, questions or [own], answers or [seen, 4 * seen], seed, level)
            say(f"\n{group.called}, setting {pool.setting}, from {own} questions × {seen} answers")
            say(printable(found))
            tables.append(found.assign(dataset=group.dataset, model=group.model, setting=pool.setting))
    say(f"± in points, {100 * level:g} %. Four times the answers halve the ± of these questions.")
    if out is not None:
        write_raw(pd.concat(tables, ignore_index=True), out)


def printable(rows: pd.DataFrame) -> str:
    """The table as aligned text."""
    runs = rows["method"].map(_RUNS) + rows["N"].astype(str)
    answers = rows["answers_to_halve"]
    columns: dict[str, Iterable[str]] = {
        "run": runs.where(rows["N"] > 1, "one answer"),
        "questions": rows["questions"].astype(str),
        "answers": rows["answers"].astype(str),
        "expected": map(percent, rows["predicted"]),
        "± new questions": map(points, rows["new_margin"]),
        "± these questions": map(points, rows["margin"]),
        "half of ± new: questions": rows["questions_to_halve"].astype(str),
        "or answers": [f"{n:,.0f}" if np.isfinite(n) else "–" for n in answers],
    }
    return table(columns)
