"""Best-of-N: only the chance p of a right answer matters, so the atoms are values of p, finely spaced near 0.

s = 1 right of n = 4   ->   weights on p = 0, 1e-5 … 0.9999, 1;   best of N right with 1 − (1 − p)^N
"""

from functools import cache

import numpy as np

from predict.protocol import Floats, Ints
from predict.questions.population import Population
from predict.questions.weights import PenalisedLikelihood, fit_weights
from results.votes.exact import VoteCounts

RATES = np.concatenate([[0.0], 1 / (1 + np.exp(-np.linspace(-11.5, 9.0, 83))), [1.0]])

RIDGE = 0.2
"""Precision of the prior of each feature's weight."""

_NEVER_OR_ALWAYS = 0.05
"""Prior weight of p = 0 and of p = 1, each relative to that of p = ½ (a cell of the grid)."""


def fit_rates(counts: VoteCounts) -> Population:
    """The population behind one setting's answers; an unreadable answer is a wrong one."""
    pairs = np.stack([counts.correct, counts.pools - counts.correct])
    seen, pattern, times = np.unique(pairs, axis=1, return_inverse=True, return_counts=True)
    likelihood = _likelihood(seen[0], seen[1])
    fit = fit_weights(PenalisedLikelihood(likelihood, times.astype(float), base(), features(), RIDGE))
    return Population(likelihood, times.astype(float), pattern.ravel(), fit)


def best_of_n_by_rate(N: int) -> Floats:
    """1 − (1−p)^N on the grid, shape (rates,)."""
    return np.asarray(1 - (1 - RATES) ** N)


@cache
def features() -> Floats:
    """Powers of logit p, of arcsin √p, and the two ends: (rates, features), centred, scaled to variance 1."""
    logit = np.log(_inner() / (1 - _inner())) / 10
    arc = 4 * np.arcsin(np.sqrt(RATES)) / np.pi - 1
    columns = [logit, logit**2, logit**3, arc, arc**2, arc**3, RATES == 0, RATES == 1]
    F = np.stack([np.asarray(column, dtype=float) for column in columns], axis=1)
    return np.asarray((F - F.mean(axis=0)) / F.std(axis=0))


@cache
def base() -> Floats:
    """Log-weights of Beta(1/2, 1/2) on the grid, which is even in logit p."""
    ends = (RATES == 0) | (RATES == 1)
    return np.where(ends, np.log(_NEVER_OR_ALWAYS), np.log(_inner() * (1 - _inner())) / 2)


def _likelihood(right: Ints, other: Ints) -> Floats:
    """p^s (1−p)^(n−s), the largest of each row 1: shape (U, rates)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        hit = np.where(right[:, None] > 0, right[:, None] * np.log(RATES), 0.0)
        miss = np.where(other[:, None] > 0, other[:, None] * np.log1p(-RATES), 0.0)
    logs = hit + miss
    return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))


def _inner() -> Floats:
    """The grid with its ends, 0 and 1, moved to their neighbours."""
    return np.clip(RATES, RATES[1], RATES[-2])
