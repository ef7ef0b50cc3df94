"""How exact a run will be: the ± of one answer, of a vote and of best-of-N, told by the answers of a pilot.

    questions  answers  method    N   predicted  new_margin  margin  questions_to_halve  answers_to_halve
    200        16       majority  16  0.81       0.043       0.011   800                 inf

With w for the luck of the answers to a question and b for what differs between questions beyond it
(`imagined_runs`), the mean over Q questions has the variance w / Q as a measure of these questions
and (b + w) / Q as one of their kind, of which few have Student's interval. The luck falls as 1/N
for one answer, and at least as fast for the others (Hoeffding, Annals of Mathematical Statistics
1948, theorem 5.2).

Questions that come in clusters err together: what the pilot's do, measured at its answers, is added to b.
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
    """A row for each size of a run: of one answer and, of two answers or more, the vote and the best of all.

    margin, new_margin: half the interval of these and of new questions. …_to_halve: how
    many would halve the second; inf where no number of answers does. One question, or
    cluster, tells nothing of new ones (NaN).
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
            if pilot.clusters:  # by their votes of up to N answers
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
