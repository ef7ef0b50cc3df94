"""Accuracy of the vote of N answers to one question, tabulated over all questions that the law allows.

An answer is right with probability p. Of the rest, a share η casts no vote; the remainder is split among
wrong answers j = 0, 1, 2, … in shares c (1 − c)^j: c near 1 is one tempting wrong answer, c near 0 many.

    p = 0.4, c = 0.5, η = 0:   N = 1: 0.400,   N = 5: 0.519,   N = 25: 0.715

`results.votes.multinomial` gives V(p, c, η, N) exactly at the points of a grid. Between them V is a cubic
spline in logit p and in logit c, and linear in η. The law needs means over questions whose logit p and
logit c are normal: sums over a fine grid of p, and Gauss–Hermite quadrature over c. These means differ from
sums over exact votes by up to 0.3 points (tests/predict/curves/test_law_votes.py).
"""

from functools import cache, lru_cache

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import expit

from results.votes.exact import Floats, Ints
from results.votes.multinomial import best_of_n_accuracy, vote_accuracy

LOGIT_P = np.linspace(-6.6, 6.6, 45)
"""Beyond its ends a vote is lost or won, to within 0.2 points."""

LOGIT_C = np.linspace(-5.5, 4.4, 12)

SILENT = np.array([0.0, 0.1, 0.3, 0.55, 0.8, 0.95])
"""Grid of η."""

WRONG = 40
"""Number of wrong answers modelled individually; the remaining wrong mass casts no vote."""

LARGEST = 512
"""Votes of more answers are approximated by a vote of this many."""

Z = np.linspace(-4.0, 4.0, 81)
DENSITY = np.exp(-(Z**2) / 2) / np.exp(-(Z**2) / 2).sum()
"""Grid of questions, in standard deviations of logit p, and the share of questions at each point."""

_NODES, _MASS = np.polynomial.hermite_e.hermegauss(9)
_AT_NODES = CubicSpline(LOGIT_C, np.eye(len(LOGIT_C)))
_PIECES = CubicSpline(LOGIT_P, np.eye(len(LOGIT_P))).c[::-1].swapaxes(0, 1)
"""The contribution of the value at each grid point to a spline's four coefficients on each interval, constant
first: (44, 4, 45)."""


@cache
def vote_table(N: int) -> Floats:
    """V at every (logit p, logit c, η) of the grid: (45, 12, 6)."""
    p = expit(LOGIT_P)[:, None, None]
    laws = answer_laws(p, expit(LOGIT_C)[:, None], SILENT)
    return np.asarray(vote_accuracy(laws, 0, [N])[..., 0])


def answer_laws(p: Floats, c: Floats, silent: Floats) -> Floats:
    """Probabilities of the right answer and of `WRONG` wrong ones, (…, 1 + WRONG); arguments broadcast."""
    right, first, voting = np.broadcast_arrays(p, c, (1 - p) * (1 - silent))
    ranks = (1 - first[..., None]) ** np.arange(WRONG)
    wrong = (voting * first)[..., None] * ranks
    return np.concatenate([right[..., None], wrong], axis=-1)


@cache
def vote_tables(N: tuple[int, ...]) -> Floats:
    """`vote_table` for each N, (45, 12, 6, len(N))."""
    return np.stack([vote_table(min(n, LARGEST)) for n in N], axis=-1)


def majority(at: Floats, N: Ints, centre: float, spread: float, silent: float) -> Floats:
    """Mean accuracy of the vote of N answers, (A, len(N)), at logits `at` (A, len(Z)) of p.

    centre, spread: mean and sd of logit c over questions; silent: η.
    """
    places = np.ascontiguousarray(at, np.float64)
    weights = _weights_of(places.tobytes(), len(places))
    return np.asarray(np.einsum("ap,pn->an", weights, _by_p(tuple(map(int, N)), centre, spread, silent)))


@lru_cache(maxsize=8)
def _by_p(N: tuple[int, ...], centre: float, spread: float, silent: float) -> Floats:
    """V at each point of the grid of logit p, averaged over c, (45, len(N)).

    Cached, because a search that moves one parameter asks again for what depends on the others.
    """
    nodes = np.clip(centre + spread * _NODES, LOGIT_C[0], LOGIT_C[-1])
    by_c = _MASS / _MASS.sum() @ _AT_NODES(nodes)
    lower = int(np.clip(np.searchsorted(SILENT, silent, side="right") - 1, 0, len(SILENT) - 2))
    share = (silent - SILENT[lower]) / (SILENT[lower + 1] - SILENT[lower])
    tables = vote_tables(N)[:, :, lower : lower + 2]
    by_p = np.einsum("pcen,c->pen", tables, by_c)
    return np.asarray((1 - share) * by_p[:, 0] + share * by_p[:, 1])


@lru_cache(maxsize=8)
def _weights_of(places: bytes, count: int) -> Floats:
    """`grid_weights` for `count` settings, with `places` the bytes of their logits; cached as `_by_p` is."""
    return grid_weights(np.frombuffer(places).reshape(count, -1))


def grid_weights(at: Floats) -> Floats:
    """The weight of each point of the logit-p grid in the mean of a spline over questions, (A, 45).

    A spline is linear in its values and, on each interval, in powers of the distance from its left end; so
    the mean needs only the questions' moments on each interval. at: logits of p, (A, len(Z)).
    """
    inside = np.clip(at, LOGIT_P[0], LOGIT_P[-1])
    intervals = len(LOGIT_P) - 1
    interval = np.clip(np.searchsorted(LOGIT_P, inside, side="right") - 1, 0, intervals - 1)
    along = inside - LOGIT_P[interval]
    place = (np.arange(len(at))[:, None] * intervals + interval).ravel()
    powers, moments = np.broadcast_to(DENSITY, at.shape), []
    for _ in range(_PIECES.shape[1]):
        moments.append(np.bincount(place, powers.ravel(), minlength=len(at) * intervals))
        powers = powers * along
    of_each = np.stack(moments, axis=-1).reshape(len(at), -1)
    return np.asarray(np.einsum("am,mp->ap", of_each, _PIECES.reshape(-1, len(LOGIT_P))))


def best_of_n(at: Floats, N: Ints) -> Floats:
    """Mean chance that at least one of N answers is right, (A, len(N)), at logits `at` (A, len(Z)) of p."""
    return np.asarray(np.einsum("azn,z->an", best_of_n_accuracy(expit(at), N), DENSITY))


def one_answer(at: Floats) -> Floats:
    """Mean accuracy of one answer, (A,)."""
    return np.asarray(expit(at) @ DENSITY)
