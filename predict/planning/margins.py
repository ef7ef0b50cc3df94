"""How precise a run will be: the ± of one answer, a vote and best-of-N, from the answers of a pilot.

    questions  answers  method    N   predicted  new_margin  margin  questions_to_halve  answers_to_halve
    200        16       majority  16  0.81       0.043       0.011   800                 inf

Let w be a question's variance due to the luck of its answers, and b the variance between questions
(`imagined_runs`). The mean over Q questions then has variance w / Q for these questions, and
(b + w) / Q for new ones of their kind; with few questions the interval is Student's. The luck falls
as 1/N for one answer, and at least as fast for the other methods (Hoeffding, Annals of Mathematical
Statistics 1948, theorem 5.2).

Questions in a cluster err together: the variance that the pilot's questions share is added to b.
"""

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
import pandas as pd

from predict.planning.imagined_runs import imagined, parts
from results.normal import FORECAST_LEVEL, z_of
from results.paired.differences import least_stderr, students
from results.votes.clusters import cluster_sizes, equal_draws, shared_variance
from results.votes.exact import AnswerPools, accuracy_by_question
from results.votes.unnamed import unnamed


def precision(
    pilot: AnswerPools,
    questions: Sequence[int],
    answers: Sequence[int],
    seed: int,
    level: float = FORECAST_LEVEL,
) -> pd.DataFrame:
    """A row for each size of a run by one answer and, from two answers on, by the vote and best-of-N of all.

    margin, new_margin: half the interval for these and for new questions. …_to_halve: how
    many would halve new_margin; inf if no number of answers does. A single question, or
    cluster, says nothing about new ones (NaN).
    """
    rows, z = [], z_of(level)
    (pilot,) = unnamed([pilot])
    sizes = cluster_sizes(len(pilot.question_ids), pilot.clusters)
    size = sizes.sum() / equal_draws(sizes)

    def new_margin(Q: int, variance: float) -> float:
        if size >= Q:
            return np.nan
        stderr = np.maximum(np.sqrt(variance / Q), least_stderr(Q, sizes.max()))
        margin = z * students(Q / size, level) * stderr
        return float(np.minimum(margin, 1.0))

    imagine = imagined(pilot.counts(), answers, [seed])
    for n in answers:
        for (method, N), runs in imagine[n].items():
            between, within = parts(runs)
            if pilot.clusters:  # at the pilot's number of answers if N is larger
                most = np.minimum([N], pilot.sizes.min())
                exact = accuracy_by_question(pilot.counts(), method, most)
                between = max(between + float(shared_variance(exact, pilot.clusters)[0]), 0.0)
            variance = between + within if len(sizes) > 1 else np.nan
            for Q in questions:
                half = new_margin(Q, variance) / 2
                more = bisect_left(range(4 * Q), True, lo=Q, key=lambda q: new_margin(q, variance) <= half)
                left = (variance / 4 - between) * (new_margin(Q, variance / 4) <= half)
                fewer = np.ceil(n * within / left) if left > 0 else np.inf
                rows.append(
                    {
                        **{"questions": Q, "answers": n, "method": method, "N": N},
                        "predicted": np.mean(runs),
                        "new_margin": 2 * half,
                        "margin": z * np.sqrt(within / Q),
                        "questions_to_halve": np.nan if np.isnan(half) else more,
                        "answers_to_halve": np.nan if np.isnan(half) else fewer,
                    }
                )
    return pd.DataFrame(rows).sort_values(["questions", "answers"], kind="stable", ignore_index=True)
