"""The mixture for best-of-N, where only the chance p of a right answer matters: a fine grid in p near 0.

s = 1 right of n = 4   ->   weights on p = 0, 1e-5 … 0.9999, 1;   best of N right with 1 − (1 − p)^N
"""

from functools import cache

import numpy as np

from predict.protocol import Floats, Ints
from predict.questions.models import MixtureModel

RATES = np.concatenate([[0.0], 1 / (1 + np.exp(-np.linspace(-11.5, 9.0, 83))), [1.0]])


RIDGES = (1.0, 0.2, 0.03)


@cache
def rate_models() -> tuple[MixtureModel, ...]:
    """The models of best-of-N: three bases, each with three ridges."""
    F = rate_features()
    return tuple(MixtureModel(base, F, ridge) for base in rate_bases() for ridge in RIDGES)


def rate_features() -> Floats:
    """Powers of logit p, of arcsin √p, and the two ends: shape (rates, features), centred, of unit spread."""
    inner = np.clip(RATES, RATES[1], RATES[-2])
    logit = np.log(inner / (1 - inner)) / 10
    arc = 4 * np.arcsin(np.sqrt(RATES)) / np.pi - 1
    matrix = np.stack(
        [logit, logit**2, logit**3, arc, arc**2, arc**3, RATES == 0, RATES == 1], axis=1
    ).astype(float)
    matrix -= matrix.mean(axis=0)
    return np.asarray(matrix / matrix.std(axis=0))


def rate_bases() -> list[Floats]:
    """Log-weights of Beta(1, 1), Beta(1/2, 1/2) and Beta(1/4, 1/4) on the grid, which is even in logit p."""
    inner = np.clip(RATES, RATES[1], RATES[-2])
    ends = (RATES == 0) | (RATES == 1)
    return [
        np.where(ends, np.log(0.3 / (1 + 10 * c)), c * np.log(inner * (1 - inner))) for c in (1.0, 0.5, 0.25)
    ]


def rate_log_likelihood(right: Ints, other: Ints) -> Floats:
    """log p^s (1−p)^(n−s), shape (U, rates)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        hit = np.where(right[:, None] > 0, right[:, None] * np.log(RATES), 0.0)
        miss = np.where(other[:, None] > 0, other[:, None] * np.log1p(-RATES), 0.0)
    return np.asarray(hit + miss)


def best_table(N: int) -> Floats:
    """1 − (1−p)^N on the grid, shape (rates,)."""
    return np.asarray(1 - (1 - RATES) ** N)
