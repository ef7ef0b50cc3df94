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
from predict.evidence.points import Floats
from results import BadInput
from results.normal import FORECAST_LEVEL, z_of
from results.votes.exact import AnswerPools, VoteCounts

IMAGINED, FEWEST = 40_000, 16
"""Pairs of runs in all, and at least of each question; they tell a ± to about a hundredth of itself."""

MOST = 1000
"""Answers to a question that are imagined within a minute."""


def precision(
    pilot: AnswerPools, questions: Sequence[int], answers: Sequence[int], seed: int,
    level: float = FORECAST_LEVEL,
) -> pd.DataFrame:  # fmt: skip
    """A row for each size of a run: of one answer and, of two answers or more, the vote and the best of all.

    margin, new_margin: half the interval of these and of new questions. …_to_halve: how many would halve the
    second; inf where no number of answers does. One question tells nothing of new ones (NaN).
    """
    if max(answers) > MOST:
        raise BadInput(f"{max(answers):,} answers to a question are too many to imagine; at most {MOST:,}")
    rows, z = [], z_of(level)
    counts, alone = pilot.counts(), len(pilot.question_ids) == 1
    pairs = {n: _votes(counts, n, seed) for n in answers}
    best = _rates(counts, seed)
    for n in answers:
        ways = {("majority", 1): pairs[n][0], ("majority", n): pairs[n][1]}
        if n > 1:
            ways["best_of_n", n] = _bests(best, n, seed)
        for (method, N), (one, other) in ways.items():
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


def _draws(counts: VoteCounts) -> int:
    """How often each question is drawn."""
    return max(FEWEST, IMAGINED // len(counts.pools))


def _votes(counts: VoteCounts, answers: int, seed: int) -> list[Floats]:
    """Two runs of so many answers to every question, as pairs (2, draws): of one answer, and of the vote."""
    rng = np.random.default_rng([seed, answers])
    atom = drawn_atoms(fit_population(counts).posterior(), _draws(counts), rng)
    single, vote = [], []
    for world in worlds(counts, atom, rng):
        size = np.full(len(world.p), answers)
        runs = [world.more(size, rng) for _ in range(2)]
        single.append([run[:, 0] / answers for run in runs])
        vote.append([vote_of(run, answers) for run in runs])
    return [np.concatenate(parts, axis=1) for parts in (single, vote)]


def _rates(counts: VoteCounts, seed: int) -> Floats:
    """Draws of the questions' chances of a right answer."""
    mass = fit_rates(counts).posterior()
    return RATES[drawn_atoms(mass, _draws(counts), np.random.default_rng(seed)).ravel()]


def _bests(rates: Floats, answers: int, seed: int) -> Floats:
    """Whether the best of so many answers is right, in two runs: (2, draws)."""
    rng = np.random.default_rng([seed, answers, 1])
    return np.asarray(rng.random((2, len(rates))) < 1 - (1 - rates) ** answers, dtype=np.float64)
