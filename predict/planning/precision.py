"""How exact a run will be: the ± of one answer, of a vote and of best-of-N, told by the answers of a pilot.

    questions  answers  method    N   predicted  new_margin  margin  questions_to_halve  answers_to_halve
    200        16       majority  16  0.81       0.043       0.011   800                 inf

Questions are those that the forecaster learns from the pilot (`predict.answers`): each is drawn many times
from what its answers say of it, and gives two runs of N answers. What differs within a pair is the luck of
the answers, w; what differs between questions beyond it, b, is the draw of the questions. The mean over Q
questions then has the variance w / Q as a measure of these questions and (b + w) / Q as one of their kind.
The luck falls as 1/N for one answer, and at least as fast for the vote or best-of-N of as many of more
answers (Hoeffding, Annals of Mathematical Statistics 1948, theorem 5.2).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from predict.answers.best_of_n import RATES, fit_rates
from predict.answers.mixture import drawn_atoms
from predict.answers.population import fit_population
from predict.answers.rest import vote_of, worlds
from predict.evidence.points import Floats, Ints
from results import BadInput
from results.normal import FORECAST_LEVEL, z_of
from results.votes.exact import AnswerPools, VoteCounts

IMAGINED, FEWEST = 40_000, 16
"""Pairs of runs in all, and at least of each question; they tell a ± to about a hundredth of itself."""

Imagined = dict[int, dict[tuple[str, int], Floats]]
"""Runs by number of answers, method and N."""

MOST = 1000
"""Answers to a question that are imagined within a minute."""


def precision(
    pilot: AnswerPools,
    questions: Sequence[int],
    answers: Sequence[int],
    seed: int,
    level: float = FORECAST_LEVEL,
) -> pd.DataFrame:
    """A row for each size of a run: of one answer and, of two answers or more, the vote and the best of all.

    margin, new_margin: half the interval of these and of new questions. …_to_halve: how many would halve the
    second; inf where no number of answers does. One question tells nothing of new ones (NaN).
    """
    if max(answers) > MOST:
        raise BadInput(f"{max(answers):,} answers to a question are too many to imagine; at most {MOST:,}")
    rows, z = [], z_of(level)
    counts, alone = pilot.counts(), len(pilot.question_ids) == 1
    imagine = imagined(counts, answers, [seed])
    for n in answers:
        for (method, N), (one, other) in imagine[n].items():
            within = float(np.mean((one - other) ** 2) / 2)
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


def imagined(counts: VoteCounts, answers: Sequence[int], seed: Sequence[int]) -> Imagined:
    """Pairs of runs of so many answers, for each number: by method and N whether each is right, (2, Q, S).

    The S draws of a question are of what its answers leave open; one pair differs by the luck of its answers.
    """
    S = max(FEWEST, IMAGINED // len(counts.pools))
    mass, rates = fit_population(counts).posterior(), fit_rates(counts).posterior()
    p = RATES[drawn_atoms(rates, S, np.random.default_rng(seed))]
    found = {}
    for n in answers:
        single, vote = _votes(counts, n, drawn_atoms(mass, S, np.random.default_rng([*seed, n])), [*seed, n])
        found[n] = {("majority", 1): single, ("majority", n): vote}
        if n > 1:
            luck = np.random.default_rng([*seed, n, 1]).random((2, *p.shape))
            found[n]["best_of_n", n] = np.asarray(luck < 1 - (1 - p) ** n, dtype=np.float64)
    return found


def _votes(counts: VoteCounts, answers: int, atom: Ints, seed: Sequence[int]) -> tuple[Floats, Floats]:
    """Two runs of so many answers, from atoms (Q, S): accuracy of one answer, and of the vote, (2, Q, S)."""
    rng = np.random.default_rng([*seed, 0])
    single, vote = np.empty((2, *atom.shape)), np.empty((2, *atom.shape))
    for world in worlds(counts, atom, rng):
        size = np.full(len(world.p), answers)
        for run in range(2):
            drawn = world.more(size, rng)
            single[run, world.rows] = (drawn[:, 0] / answers).reshape(len(world.rows), -1)
            vote[run, world.rows] = vote_of(drawn, answers).reshape(len(world.rows), -1)
    return single, vote
