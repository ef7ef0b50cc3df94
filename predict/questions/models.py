"""Models of the population of questions: a base law of the atoms, and features that bend it.

    weights w = softmax(base + F α)

F holds smooth features of an atom (p, a, rest and their products), so that a few dozen questions can
already say something about the 2,720 weights; free weights (the plain NPMLE) follow the noise. A few answers
a question leave much of the population open, and there the base decides. There are two, which differ in how
many questions are guessed at, each with few features and a strong ridge and with more features and a weak
one.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import betainc

from predict.protocol import Floats
from predict.questions.atoms import A_EDGES, CHOICES, P_EDGES, RESTS, THETAS, A, P
from predict.questions.votes import vote_table

GUESSES = (0.02, 0.5)
"""Shares of the questions whose right answer is one guess among others, before any answer is seen: hardly
any, or half of them."""

ENDS = 1e-3
"""Share of the questions never answered right, and of those always answered right, as far as not known."""

EVEN = 0.25
"""How likely a rest of several even answers is before any answer is seen, compared with each other rest."""

_FLOOR = 1e-6

CAUTIOUS, BOLD = 4.0, 1.0
"""The ridges on few features and on more of them. Stronger ones hide what the answers say; with weaker ones
the forecasts are no better, and far less certain."""

LEADS = (8, 32)
"""Votes whose accuracy is a feature of an atom: does the right answer lead, clearly or narrowly?"""


@dataclass(frozen=True)
class MixtureModel:
    """What a fit starts from: log-weights `base` (atoms,), features F (atoms, features), a ridge."""

    base: Floats
    F: Floats
    ridge: float


@cache
def vote_models() -> tuple[MixtureModel, ...]:
    """The models of the vote: for each of `GUESSES` few features and more."""
    few = features()
    ratio = base(1 - _FLOOR) - base(_FLOOR)  # with it the share of guessed questions is learnt too
    leads = [vote_table(n) for n in LEADS]
    more = np.column_stack([few, *map(_standard, (*leads, np.clip(ratio, -6, 6)))])
    return tuple(
        MixtureModel(base(guesses), F, ridge)
        for guesses in GUESSES
        for F, ridge in ((few, CAUTIOUS), (more, BOLD))
    )


def features() -> Floats:
    """F, shape (ATOMS, features): centred, of unit spread over the atoms."""
    u = 2 * np.arcsin(np.sqrt(P)) / (np.pi / 2) - 1
    v = 2 * A / A.max() - 1
    t = np.append(np.linspace(-1, 1, len(THETAS)), np.zeros(len(CHOICES)))
    choice = np.append(np.zeros(len(THETAS)), np.ones(len(CHOICES)))
    even = np.append(np.zeros(len(THETAS)), [beta > 1 for _, beta in CHOICES])
    grids = np.meshgrid(np.arange(len(P)), np.arange(len(A)), np.arange(RESTS), indexing="ij")
    i, j, k = (grid.ravel() for grid in grids)
    u, v, t, choice, even, p = u[i], v[j], t[k], choice[k], even[k], P[i]
    columns = [
        u, u**2, u**3, u**4, p == 0, p == 1,
        v, v**2, A[j] == 0, t, t**2, choice, even,
        u * v, u**2 * v, u * v**2, u * t, v * t, u * choice, v * choice, u**2 * t,
    ]  # fmt: skip
    return _standard(np.stack([np.asarray(column, dtype=float) for column in columns], axis=1))


def _standard(columns: Floats) -> Floats:
    return np.asarray((columns - columns.mean(axis=0)) / columns.std(axis=0))


def base(guesses: float) -> Floats:
    """Log-weights of the atoms before any answer is seen, shape (ATOMS,): a share `guesses` of the questions
    is guessed, the others are known.

    Known: p is uniform, whatever a and `rest` are. Guessed: the right answer is an ordinary member of the
    guesses. Among those of Ewens(θ) an answer given at random has a share of Beta(1, θ), and so has the next
    one of what is left: p and a. Among J + 2 options (a symmetric Dirichlet law of weight β/2) they have
    Beta(β/2, (J+1)β/2) and Beta(β/2, Jβ/2). So wrong answers that are all different speak against p.
    """
    even = np.full(len(A), 1 / len(A))
    known = np.outer(_p_cells(1.0, 1.0), even)
    guessed = [np.outer(_p_cells(1.0, theta), _a_cells(1.0, theta)) for theta in THETAS]
    guessed += [
        np.outer(_p_cells(beta / 2, (J + 1) * beta / 2), _a_cells(beta / 2, J * beta / 2))
        for J, beta in CHOICES
    ]
    share = (1 - guesses) * known[:, :, None] + guesses * np.stack(guessed, axis=2)
    rests = np.array([1.0] * len(THETAS) + [EVEN if beta > 1 else 1.0 for _, beta in CHOICES])
    return np.asarray(np.log(share * rests).ravel())


def _p_cells(one: float, other: float) -> Floats:
    """How much of Beta(one, other) each p of the grid stands for."""
    inner = np.diff(betainc(one, other, P_EDGES)) + _FLOOR
    return np.concatenate([[ENDS], inner, [ENDS]])


def _a_cells(one: float, other: float) -> Floats:
    return np.asarray(np.diff(betainc(one, other, A_EDGES)) + _FLOOR)


def weights_at(model: MixtureModel, alpha: Floats) -> Floats:
    """softmax(base + F α)."""
    logits = model.base + model.F @ alpha
    weights = np.exp(logits - logits.max())
    return np.asarray(weights / weights.sum())
