"""Pairs of runs of any size, simulated from the answers of a pilot.

The forecaster learns each question's parameters from the pilot (`predict.answers`). They are drawn
many times from their posterior, and each draw gives two runs. The difference within a pair is the
luck of the answers; the variance beyond it is between questions.
"""

from collections.abc import Sequence

import numpy as np

from predict.answers.best_of_n import RATES, fit_rates
from predict.answers.mixture import drawn_atoms
from predict.answers.population import fit_population
from predict.answers.rest import vote_of, worlds
from predict.answers.unread import Unread
from predict.evidence.points import Floats, Ints
from results import BadInput
from results.votes.exact import VoteCounts

IMAGINED, FEWEST = 40_000, 16
"""Pairs of runs in total, and at least of each question; with them, a ± is accurate to about 1 %."""

Imagined = dict[int, dict[tuple[str, int], Floats]]
"""Runs by number of answers, method and N."""

MOST = 1000
"""The most answers to a question that are simulated within a minute."""


def imagined(counts: VoteCounts, answers: Sequence[int], seed: Sequence[int]) -> Imagined:
    """Pairs of runs for each number of answers: accuracies (2, Q, S) by method and N.

    The S draws of a question are from its posterior; the two runs of a pair differ only by
    the luck of their answers. Raises BadInput for too many answers.
    """
    if max(answers) > MOST:
        raise BadInput(f"{max(answers):,} answers to a question are too many to imagine; at most {MOST:,}")
    S = max(FEWEST, IMAGINED // len(counts.pools))
    fitted = fit_population(counts)
    mass, rates = fitted.posterior(), fit_rates(counts).posterior()
    p = RATES[drawn_atoms(rates, S, np.random.default_rng(seed))]
    by_answers = {}
    for n in answers:
        atom = drawn_atoms(mass, S, np.random.default_rng([*seed, n]))
        single, vote = _votes(counts, n, atom, fitted.unread, [*seed, n])
        by_answers[n] = {("majority", 1): single, ("majority", n): vote}
        if n > 1:
            luck = np.random.default_rng([*seed, n, 1]).random((2, *p.shape))
            by_answers[n]["best_of_n", n] = np.asarray(luck < 1 - (1 - p) ** n, dtype=np.float64)
    return by_answers


def _votes(
    counts: VoteCounts, answers: int, atom: Ints, unread: Unread | None, seed: Sequence[int]
) -> tuple[Floats, Floats]:
    """Two runs from atoms (Q, S), of so many answers: accuracy of one answer, and of the vote, (2, Q, S)."""
    rng = np.random.default_rng([*seed, 0])
    single, vote = np.empty((2, *atom.shape)), np.empty((2, *atom.shape))
    for world in worlds(counts, atom, unread, rng):
        size = np.full(len(world.p), answers)
        for run in range(2):
            drawn = world.more(size, rng)
            single[run, world.rows] = (drawn[:, 0] / answers).reshape(len(world.rows), -1)
            vote[run, world.rows] = vote_of(drawn, answers).reshape(len(world.rows), -1)
    return single, vote


def parts(runs: Floats) -> tuple[float, float]:
    """The variance between questions, and the variance within a question, of pairs of runs (2, Q, S)."""
    within = float(np.mean((runs[0] - runs[1]) ** 2) / 2)
    return max(float(runs.var()) - within, 0.0), within
