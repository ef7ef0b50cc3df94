"""The prior on the questions: base laws of the atoms, and features that bend them to fit the answers.

    weights w = softmax(base + F α),   α ~ N(0, 1/RIDGE)

F holds smooth features of an atom (p, a, rest and their products), so that a few dozen questions are already
informative about the 2,720 weights. The base mixes two kinds of question, known and guessed; the last
feature lets the answers decide how many are guessed.

Besides this flexible law there is a plain one, like those in the literature: p has a beta law, and how wrong
answers agree is independent of p (`plain_base`, `plain_features`).
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from predict.answers.atom_votes import vote_table
from predict.answers.atoms import A_EDGES, CHOICES, P_EDGES, RESTS, THETAS, A, P, U
from predict.evidence.points import Floats

RIDGE = 4.0
"""Precision of the prior of each α. A larger one overrides the answers; a smaller one makes forecasts no
better and far less certain."""

RIDGE_OF_MORE = 1.0
"""The same for `more_features`, for sets of nearly identical questions, such as the synthetic twin's."""

RIDGE_OF_ALIKE = 1e-4
"""The same for `shape_features`. So weak a prior costs evidence unless all questions are alike; on the real
sets of `studies/forecasts/ablation.py` it was never chosen."""

RIDGE_OF_PLAIN = 0.3
"""The same for `plain_features`. Six features cannot overfit; but a prior far wider than anything observed
would cost this law evidence."""

GUESSED = 0.1
"""Prior share of guessed questions."""

_NEVER_OR_ALWAYS = 1e-3
"""Prior share, within each kind, of questions never answered right, and of those always answered right."""

_EVEN_CHOICES = 0.25
"""Prior weight of a `rest` with several even answers, relative to any other `rest`."""

_FLOOR = 1e-6

_CLEAR = 6.0
"""Log-odds of guessed against known at which the last feature is clipped."""


@cache
def features() -> Floats:
    """F, shape (ATOMS, features), standardised over the atoms."""
    v = 2 * A / A.max() - 1
    t, choice, even = _rest_features()
    i, j, k = np.indices((len(P), len(A), RESTS)).reshape(3, -1)
    u, v, t, choice, even, p = U[i], v[j], t[k], choice[k], even[k], P[i]
    guessed = np.clip(_log_law(1 - _FLOOR) - _log_law(_FLOOR), -_CLEAR, _CLEAR)
    columns = [
        u, u**2, u**3, u**4, p == 0, p == 1,
        v, v**2, A[j] == 0, t, t**2, choice, even,
        u * v, u**2 * v, u * v**2, u * t, v * t, u * choice, v * choice, u**2 * t,
        guessed,
    ]  # fmt: skip
    return _standardised(columns)


@cache
def more_features() -> Floats:
    """`features`, and the accuracies of votes of 8 and 32, which show how clearly the right answer leads."""
    return np.column_stack([features(), _standardised([vote_table(8), vote_table(32)])])


@cache
def shape_features() -> Floats:
    """The linear and quadratic `features` of p, a and `rest`, which can put all weight on a point."""
    return features()[:, [0, 1, 6, 7, 9, 10]]


@cache
def plain_features() -> Floats:
    """log p and log(1 − p), which give p a beta law, and the kind of `rest`: shape (ATOMS, 6)."""
    inside = np.clip(P, P[1] / 4, 1 - P[1] / 4)
    t, choice, even = _rest_features()
    i, _, k = np.indices((len(P), len(A), RESTS)).reshape(3, -1)
    return _standardised([np.log(inside)[i], np.log1p(-inside)[i], t[k], t[k] ** 2, choice[k], even[k]])


def _standardised(columns: Sequence[NDArray[Any]]) -> Floats:
    """The columns (ATOMS,) with mean 0 and standard deviation 1 over the atoms: (ATOMS, columns)."""
    F = np.stack([np.asarray(column, dtype=float) for column in columns], axis=1)
    return np.asarray((F - F.mean(axis=0)) / F.std(axis=0))


@cache
def base() -> Floats:
    """Log-weights of the atoms at α = 0, shape (ATOMS,)."""
    return _log_law(GUESSED)


@cache
def plain_base() -> Floats:
    """Log-weights with p uniform and the leading wrong answer a random member of its `rest`: (ATOMS,)."""
    law = _p_cells(1.0, 1.0)[:, None, None] * np.stack(_random_members(), axis=1)
    return np.asarray(np.log(law * _rest_weights()).ravel())


def _log_law(guessed: float) -> Floats:
    """Log-weights, shape (ATOMS,), if a share `guessed` of the questions is guessed and the others are known.

    Known: p is uniform, independent of a and `rest`. Guessed: the right answer is an ordinary member of the
    guesses. Under Ewens(θ) the share of a randomly given answer is Beta(1, θ), as is the next one's share of
    the remainder: these are p and a. Among J + 2 options (a symmetric Dirichlet law of weight β/2) they are
    Beta(β/2, (J+1)β/2) and Beta(β/2, Jβ/2). So wrong answers that all differ are evidence for a small p.
    """
    known = np.outer(_p_cells(1.0, 1.0), np.full(len(A), 1 / len(A)))
    right = [_p_cells(1.0, theta) for theta in THETAS]
    right += [_p_cells(beta / 2, (J + 1) * beta / 2) for J, beta in CHOICES]
    guesses = [np.outer(p, a) for p, a in zip(right, _random_members(), strict=True)]
    share = (1 - guessed) * known[:, :, None] + guessed * np.stack(guesses, axis=2)
    return np.asarray(np.log(share * _rest_weights()).ravel())


def _rest_features() -> tuple[Floats, Floats, Floats]:
    """For each `rest`: where its θ lies, from −1 to 1, whether it is a choice, and whether an even one."""
    t = np.append(np.linspace(-1, 1, len(THETAS)), np.zeros(len(CHOICES)))
    choice = np.append(np.zeros(len(THETAS)), np.ones(len(CHOICES)))
    even = np.append(np.zeros(len(THETAS)), [float(beta > 1) for _, beta in CHOICES])
    return t, choice, even


def _rest_weights() -> Floats:
    """The prior weight of each `rest`, (RESTS,)."""
    choices = [_EVEN_CHOICES if beta > 1 else 1.0 for _, beta in CHOICES]
    return np.array([1.0] * len(THETAS) + choices)


def _p_cells(one: float, other: float) -> Floats:
    """The mass of Beta(one, other) assigned to each p of the grid."""
    inner = np.diff(betainc(one, other, P_EDGES)) + _FLOOR
    return np.concatenate([[_NEVER_OR_ALWAYS], inner, [_NEVER_OR_ALWAYS]])


def _random_members() -> list[Floats]:
    """For each `rest`, the mass of each a if the leading wrong answer is a random member of it."""
    of_choices = [_a_cells(beta / 2, J * beta / 2) for J, beta in CHOICES]
    return [*(_a_cells(1.0, theta) for theta in THETAS), *of_choices]


def _a_cells(one: float, other: float) -> Floats:
    return np.asarray(np.diff(betainc(one, other, A_EDGES)) + _FLOOR)
