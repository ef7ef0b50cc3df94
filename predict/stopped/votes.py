"""The vote of N answers to a question whose answers are right, wrong or missing with known chances.

    right 0.4, other wrong answers 0.3, no vote 0.3; wrong answers seen 2, 1   ->   N = 8: 0.61

How the wrong mass is split among wrong answers follows the atoms of the mixture (`predict.answers.atoms`):
each question's wrong answers so far, with a prior learnt from all questions. Accuracies are tabulated on a
grid of (chance of a vote, chance that a vote is right) and read off between its points.
"""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import interpn
from scipy.stats import binom

from predict.answers.atom_votes import votes_cast
from predict.answers.atoms import P, log_likelihood, patterns
from predict.answers.population import fit_population
from predict.evidence.points import Floats, Ints
from results.votes.exact import VoteCounts

CAST = np.linspace(0, 1, 25) ** 2
"""Chances of a vote at which tables are made, closer together near 0."""

PULL = 4.0
"""Answers that the shared rate of unreadable ones counts for in each question's own."""

SPARE = 1e-12
"""Where the population has no question, the split of wrong answers is that of all its questions."""


@dataclass(frozen=True)
class WrongAnswers:
    """What is known of the wrong answers.

    `split`: (U, len(P), atoms of one p) weights of the atoms given that a vote is right with chance p; `of`:
    (Q,) each question's row; `unreadable`: (Q,) the share of the answers not right that cast no vote.
    """

    split: Floats
    of: Ints
    unreadable: Floats


def wrong_answers(counts: VoteCounts) -> WrongAnswers:
    """Learn the split of wrong answers from the counts of the answers that ended."""
    wrong = [counts.wrong[a:b] for a, b in zip(counts.starts[:-1], counts.starts[1:], strict=True)]
    prior = fit_population(counts).fit.weights.reshape(len(P), -1)
    prior = prior + SPARE * (prior.mean(axis=0) + 1 / prior.size)
    seen = patterns(np.zeros(len(wrong), np.int64), wrong)
    logs = log_likelihood(seen).reshape(len(seen.times), len(P), -1)[:, :1]  # at p = 0: the split alone
    split = prior * np.exp(logs - logs.max(axis=2, keepdims=True))
    split /= split.sum(axis=2, keepdims=True)
    others = counts.pools - counts.correct
    shared = (counts.nulls.sum() + 0.1) / (others.sum() + 1.0)
    return WrongAnswers(split, seen.pattern, (counts.nulls + PULL * shared) / (others + PULL))


def vote_accuracy(wrong: WrongAnswers, right: Floats, other: Floats, N: int) -> Floats:
    """Accuracy of a vote of N answers, right with chance `right` and wrong or unreadable with `other`.

    Both of shape (R, Q), as is the result; what is left over casts no vote.
    """
    tables, spread = votes_cast(N)
    by_votes = np.einsum(
        "upk,pkt->upt", wrong.split, tables.reshape(len(P), -1, tables.shape[1]), optimize=True
    )
    mixed = binom.pmf(np.arange(N + 1), N, CAST[:, None]) @ spread
    table = by_votes @ mixed.T  # (U, P, CAST)
    cast = right + other * (1 - wrong.unreadable)
    at = np.stack([np.broadcast_to(wrong.of, cast.shape), right / np.maximum(cast, 1e-300), cast], axis=-1)
    return np.asarray(interpn((np.arange(len(table)), P, CAST), table, np.minimum(at, [np.inf, 1.0, 1.0])))
