"""Curves of simulated questions, made without any part of the estimator."""

from functools import cache

import numpy as np
from scipy.special import expit, ndtri

from predict.evidence.groups import Group, groups_of_curves
from predict.evidence.points import Floats, Ints, Points
from results.votes.multinomial import best_of_n_accuracy, vote_accuracy
from synthetic import run_panel

T = np.array([20.0, 40.0, 80.0, 160.0, 320.0])
N = np.array([1, 2, 4, 8, 16, 64, 256])


@cache
def world(method: str = "majority", questions: int = 400) -> tuple[Points, Floats]:
    """Points and true accuracies: logit p = 1 − 3 e^(−T/90) + 1.5 z, shares of wrong answers c (1 − c)^j."""
    rng = np.random.default_rng(8)
    evenly = ndtri((np.arange(questions) + 0.5) / questions)  # no sampling noise in σ and c
    own, first = rng.permutation(evenly), expit(-0.6 + 0.8 * rng.permutation(evenly))
    shares = first[:, None] * (1 - first[:, None]) ** np.arange(30)
    accuracy = []
    for level in 1 - 3 * np.exp(-T / 90):
        p = expit(level + 1.5 * own)
        laws = np.concatenate([p[:, None], (1 - p)[:, None] * shares], axis=1)
        votes = best_of_n_accuracy(p, N) if method == "best_of_n" else vote_accuracy(laws, 0, N)
        accuracy.append(votes.mean(axis=0))
    return Points.grid({f"t{t:.0f}": t for t in T}, N), np.concatenate(accuracy)


def seen_and_hidden(points: Points, settings: int, most: int) -> tuple[Ints, Ints]:
    """Indices of the points at the cheapest `settings` with N ≤ `most`, and of all others."""
    known = (T[settings - 1] >= points.T) & (most >= points.N)
    return np.flatnonzero(known), np.flatnonzero(~known)


@cache
def twin_line(panel: str, line: int) -> Group:
    """One line of a panel of the paper, from its twin."""
    lines = [one for _, one in run_panel(panel).groupby("model", sort=False)]
    (group,) = groups_of_curves(lines[line], "majority")
    return group
