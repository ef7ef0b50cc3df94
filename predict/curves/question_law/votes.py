"""The vote of N answers to one question, exactly, tabulated over all questions that the law knows.

A question gives the right answer with probability p. Of the rest a share η casts no vote; what remains goes to
wrong answers j = 0, 1, 2, … with shares c (1 − c)^j: c near 1 is one tempting wrong answer, c near 0 many.

    p = 0.4, c = 0.5, η = 0:   N = 1: 0.400,   N = 5: 0.464,   N = 100: 0.84

The law asks for means over questions whose logit p and logit c are normal. Both means are sums over a grid;
between the points of the grid V is a cubic spline in logit p and linear in η.
"""

from functools import cache

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import expit

from predict.evidence.points import Floats, Ints
from results.votes.multinomial import best_of_n_accuracy, vote_accuracy

LOGIT_P = np.linspace(-6.6, 6.6, 45)
"""Beyond its ends a vote is lost or won but for 0.2 points."""

LOGIT_C = np.linspace(-5.5, 4.4, 10)

SILENT = np.array([0.0, 0.1, 0.3, 0.55, 0.8, 0.95])
"""η."""

WRONG = 40
"""So many wrong answers have a place of their own; what is left of their mass casts no vote."""

LARGEST = 512
"""A vote of more answers than this is taken for a vote of this many."""

Z = np.linspace(-4.0, 4.0, 81)
DENSITY = np.exp(-(Z**2) / 2) / np.exp(-(Z**2) / 2).sum()
"""The questions: their places in standard deviations of logit p, and the share of questions at each."""


@cache
def vote_table(N: int) -> Floats:
    """V at every (logit p, logit c, η) of the grid: (45, 10, 6)."""
    p = expit(LOGIT_P)[:, None, None, None]
    c = expit(LOGIT_C)[None, :, None, None]
    voting = (1 - p) * (1 - SILENT[None, None, :, None])
    wrong = voting * c * (1 - c) ** np.arange(WRONG)
    right = np.broadcast_to(p, (*wrong.shape[:-1], 1))
    return np.asarray(vote_accuracy(np.concatenate([right, wrong], axis=-1), 0, [N])[..., 0])


def majority(at: Floats, N: Ints, centre: float, spread: float, silent: float) -> Floats:
    """Mean accuracy of the vote of N answers, (A, len(N)), at logits `at` (A, len(Z)) of p.

    centre, spread: of logit c over questions; silent: η.
    """
    weight = np.exp(-(((LOGIT_C - centre) / spread) ** 2) / 2)
    weight = weight / weight.sum()
    lower = int(np.clip(np.searchsorted(SILENT, silent, side="right") - 1, 0, len(SILENT) - 2))
    share = (silent - SILENT[lower]) / (SILENT[lower + 1] - SILENT[lower])
    tables = np.stack([vote_table(min(int(n), LARGEST)) for n in N], axis=-1)
    by_p = np.einsum("pcen,c->pen", tables[:, :, lower : lower + 2], weight)
    line = (1 - share) * by_p[:, 0] + share * by_p[:, 1]
    inside = np.clip(at, LOGIT_P[0], LOGIT_P[-1])
    return np.asarray(np.einsum("azn,z->an", CubicSpline(LOGIT_P, line)(inside), DENSITY))


def best_of_n(at: Floats, N: Ints) -> Floats:
    """Mean chance that one of N answers is right, (A, len(N)), at logits `at` (A, len(Z)) of p."""
    return np.asarray(np.einsum("azn,z->an", best_of_n_accuracy(expit(at), N), DENSITY))


def one_answer(at: Floats) -> Floats:
    """Mean accuracy of one answer, (A,)."""
    return np.asarray(expit(at) @ DENSITY)
