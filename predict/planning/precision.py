"""How exact a run will be: the ± of one answer, of a vote and of best-of-N, told by the answers of a pilot.

    questions  answers  method    N   predicted  new_margin  margin  questions_to_halve  answers_to_halve
    200        16       majority  16  0.81       0.043       0.011   800                 inf

Pairs of runs of N answers are imagined for each question of the pilot. What differs within a pair is the luck
of the answers, w; what differs between questions beyond it, b, is the draw of the questions. The mean over Q
questions then has the variance w / Q as a measure of these questions and (b + w) / Q as one of their kind.
The luck falls as 1/N for one answer, and at least as fast for the vote or best-of-N of as many of more
answers (Hoeffding, Annals of Mathematical Statistics 1948, theorem 5.2).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from predict.evidence.points import Floats
from predict.planning.imagined import imagine
from results import BadInput
from results.normal import FORECAST_LEVEL, z_of
from results.votes.exact import AnswerPools, accuracy_by_question

IMAGINED, AT_ONCE = 6000, 60
"""Pairs of runs, which tell a ± to about a hundredth of itself; at least so many are drawn at once."""


MOST = 1000
"""Answers to a question that are imagined within a minute."""


def precision(
    pilot: AnswerPools, questions: Sequence[int], answers: Sequence[int], seed: int,
    level: float = FORECAST_LEVEL,
) -> pd.DataFrame:  # fmt: skip
    """A row for each size of a run: of one answer and, of two answers or more, the vote and the best of all.

    margin, new_margin: half the interval of these and of new questions. …_to_halve: how many would halve
    the second; inf where no number of answers does. One question tells nothing of new ones (NaN).
    """
    if max(answers) > MOST:
        raise BadInput(f"{max(answers):,} answers to a question are too many to imagine; at most {MOST:,}")
    rows, z = [], z_of(level)
    for n in answers:
        asked = [("majority", 1), ("majority", n), ("best_of_n", n)][: 3 if n > 1 else 1]
        for (method, N), (one, other) in zip(asked, _pairs(pilot, n, asked, seed), strict=True):
            within = float(np.mean((one - other) ** 2) / 2)
            alone = len(pilot.question_ids) == 1
            between = np.nan if alone else max(float(np.var([one, other])) - within, 0.0)
            left = (between + within) / 4 - between
            for Q in questions:
                rows.append(
                    {
                        **{"questions": Q, "answers": n, "method": method, "N": N},
                        "predicted": np.mean([one, other]),
                        "new_margin": z * np.sqrt((between + within) / Q),
                        "margin": z * np.sqrt(within / Q),
                        "questions_to_halve": 4 * Q,
                        "answers_to_halve": np.ceil(n * within / left) if left > 0 else np.inf,
                    }
                )
    return pd.DataFrame(rows).sort_values(["questions", "answers"], kind="stable", ignore_index=True)


def _pairs(pilot: AnswerPools, answers: int, asked: Sequence[tuple[str, int]], seed: int) -> Floats:
    """Each question's accuracy by each method in two imagined runs, (methods, 2, `IMAGINED` or more)."""
    rng = np.random.default_rng(seed)
    times = -(-AT_ONCE // len(pilot.question_ids))
    starts = np.append(0, np.cumsum(np.tile(pilot.sizes, times)))
    votes, tokens = np.tile(pilot.votes, times), np.tile(pilot.tokens, times)
    pilot = AnswerPools(pilot.question_ids * times, starts, votes, tokens)
    found = []
    for _ in range(-(-IMAGINED // len(pilot.question_ids))):
        both = imagine(pilot, 2 * answers, rng)
        more = np.arange(len(both.votes)) - np.repeat(both.starts[:-1] + pilot.sizes, both.sizes)
        runs = [both.kept((more >= first) & (more < first + answers)).counts() for first in (0, answers)]
        found.append([[accuracy_by_question(run, method, [N])[:, 0] for run in runs] for method, N in asked])
    return np.concatenate(found, axis=2)
