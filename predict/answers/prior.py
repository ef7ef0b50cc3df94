"""What is assumed of the questions before any answer is seen: a base law of the atoms, features to bend it.

    weights w = softmax(base + F α),   α ~ N(0, 1/RIDGE)

F holds smooth features of an atom (p, a, rest and their products), so that a few dozen questions can already
say something about the 2,720 weights. The base mixes two kinds of question, known and guessed; the last
feature lets the answers decide how many are guessed.
"""

from functools import cache

import numpy as np
from scipy.special import betainc

from predict.answers.atom_votes import vote_table
from predict.answers.atoms import A_EDGES, CHOICES, P_EDGES, RESTS, THETAS, A, P
from predict.evidence.points import Floats

RIDGE = 4.0
"""Precision of the prior of each α. Stronger, it hides what the answers say; weaker, forecasts are no better
and far less certain."""

RIDGE_OF_MORE = 1.0
"""The same for `more_features`, which are for sets whose questions are nearly alike, such as the twin's."""

RIDGE_OF_ALIKE = 1e-4
"""The same for `shape_features`. So weak a prior costs evidence that only questions all alike repay; on the
real sets of `docs/forecasting/ablation.py` it was never taken."""

GUESSED = 0.1
"""Share of the questions that are guessed, before any answer is seen."""

_NEVER_OR_ALWAYS = 1e-3
"""Share of the known questions never answered right, and of those always answered right."""

_EVEN_CHOICES = 0.25
"""Prior weight of a rest with several even answers, relative to each other rest."""

_FLOOR = 1e-6

_CLEAR = 6.0
"""Log-odds of guessed against known beyond which a question is clearly one or the other."""


@cache
def features() -> Floats:
    """F, shape (ATOMS, features): centred, of unit variance over the atoms."""
    u = 2 * np.arcsin(np.sqrt(P)) / (np.pi / 2) - 1
    v = 2 * A / A.max() - 1
    t = np.append(np.linspace(-1, 1, len(THETAS)), np.zeros(len(CHOICES)))
    choice = np.append(np.zeros(len(THETAS)), np.ones(len(CHOICES)))
    even = np.append(np.zeros(len(THETAS)), [beta > 1 for _, beta in CHOICES])
    i, j, k = np.indices((len(P), len(A), RESTS)).reshape(3, -1)
    u, v, t, choice, even, p = u[i], v[j], t[k], choice[k], even[k], P[i]
    guessed = np.clip(_log_law(1 - _FLOOR) - _log_law(_FLOOR), -_CLEAR, _CLEAR)
    columns = [
        u, u**2, u**3, u**4, p == 0, p == 1,
        v, v**2, A[j] == 0, t, t**2, choice, even,
        u * v, u**2 * v, u * v**2, u * t, v * t, u * choice, v * choice, u**2 * t,
        guessed,
    ]  # fmt: skip
    F = np.stack([np.asarray(column, dtype=float) for column in columns], axis=1)
    return np.asarray((F - F.mean(axis=0)) / F.std(axis=0))


@cache
def more_features() -> Floats:
    """`features`, and whether the right answer leads, clearly or narrowly: the votes of 8 and of 32."""
    votes = np.stack([vote_table(8), vote_table(32)], axis=1)
    return np.column_stack([features(), (votes - votes.mean(axis=0)) / votes.std(axis=0)])


@cache
def shape_features() -> Floats:
    """Of `features` where p, a and `rest` lie and how far they spread: the weights may come to a point."""
    return features()[:, [0, 1, 6, 7, 9, 10]]


@cache
def base() -> Floats:
    """Log-weights of the atoms at α = 0, shape (ATOMS,)."""
    return _log_law(GUESSED)


def _log_law(guessed: float) -> Floats:
    """Log-weights, shape (ATOMS,), where a share `guessed` of the questions is guessed, the others are known.

    Known: p is uniform, whatever a and `rest` are. Guessed: the right answer is an ordinary member of the
    guesses. Among those of Ewens(θ) an answer given at random has a share of Beta(1, θ), and so has the next
    one of what is left: p and a. Among J + 2 options (a symmetric Dirichlet law of weight β/2) they have
    Beta(β/2, (J+1)β/2) and Beta(β/2, Jβ/2). So wrong answers that are all different speak against p.
    """
    known = np.outer(_p_cells(1.0, 1.0), np.full(len(A), 1 / len(A)))
    guesses = [np.outer(_p_cells(1.0, theta), _a_cells(1.0, theta)) for theta in THETAS]
    guesses += [
        np.outer(_p_cells(beta / 2, (J + 1) * beta / 2), _a_cells(beta / 2, J * beta / 2))
        for J, beta in CHOICES
    ]
    share = (1 - guessed) * known[:, :, None] + guessed * np.stack(guesses, axis=2)
    rests = np.array([1.0] * len(THETAS) + [_EVEN_CHOICES if beta > 1 else 1.0 for _, beta in CHOICES])
    return np.asarray(np.log(share * rests).ravel())


def _p_cells(one: float, other: float) -> Floats:
    """How much of Beta(one, other) each p of the grid stands for."""
    inner = np.diff(betainc(one, other, P_EDGES)) + _FLOOR
    return np.concatenate([[_NEVER_OR_ALWAYS], inner, [_NEVER_OR_ALWAYS]])


def _a_cells(one: float, other: float) -> Floats:
    return np.asarray(np.diff(betainc(one, other, A_EDGES)) + _FLOOR)
