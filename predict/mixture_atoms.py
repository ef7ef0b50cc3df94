"""The atoms of the mixture: what the answers to one question may look like.

    p = 0.62 (right), a = 0.6 (the leading wrong answer's share of the wrong mass), rest = Ewens(2)

An atom gives each answer independently: right with probability p; the leading wrong answer with (1−p)a;
else one of the other wrong answers, whose unknown probabilities are drawn once a question from `rest`:

    Ewens(θ)    the Dirichlet process: θ small, few different answers; θ large, hardly two the same
    choice(J)   J other answers whose probabilities are uniform on the simplex: multiple choice

Only how many answers agree is used, never their text: the probability of a partition with counts c_1, c_2,
… is the exchangeable partition probability function (EPPF) of `rest` (Pitman, Combinatorial Stochastic
Processes, 2.2).
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import gammaln

from predict.protocol import Floats, Ints

P = np.concatenate([[0.0], np.sin(np.pi / 2 * (np.arange(32) + 0.5) / 32) ** 2, [1.0]])
"""Evenly spaced in arcsin √p, where a binomial share has the same noise everywhere; and never, always."""

A = np.array([0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.88, 0.97])

THETAS = (0.6, 2.0, 8.0, 1e4)
CHOICES = (2, 3)
"""After the Ewens ones come rests with this many other answers: choices among four or five options."""

RESTS = len(THETAS) + len(CHOICES)
ATOMS = len(P) * len(A) * RESTS


@dataclass(frozen=True)
class Patterns:
    """Counts of Q questions, equal ones put together into U patterns.

    right: (U,); wrong: U arrays of counts, falling; times: (U,) questions with it; of: (Q,) its index.
    """

    right: Ints
    wrong: tuple[Ints, ...]
    times: Ints
    of: Ints


def patterns(right: Ints, wrong: list[Ints]) -> Patterns:
    """Group questions with the same count of right answers and the same wrong counts in any order."""
    seen: dict[tuple[int, ...], int] = {}
    of = np.array(
        [
            seen.setdefault((int(r), *np.sort(w)[::-1].tolist()), len(seen))
            for r, w in zip(right, wrong, strict=True)
        ]
    )
    return Patterns(
        np.array([key[0] for key in seen], dtype=np.int64),
        tuple(np.array(key[1:], dtype=np.int64) for key in seen),
        np.bincount(of, minlength=len(seen)),
        of,
    )


def log_likelihood(observed: Patterns) -> Floats:
    """log P(counts | atom) up to a constant per pattern, shape (U, ATOMS), atoms ordered as (p, a, rest).

    With s right and wrong counts c, m = Σc, and the leading wrong answer being any one of those seen or none:

        p^s (1−p)^m [ (1−a)^m EPPF(c) + Σ_j a^{c_j} (1−a)^{m−c_j} EPPF(c without c_j) ]
    """
    s = observed.right.astype(float)
    m = np.array([w.sum() for w in observed.wrong], dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        right = np.where(s[:, None] > 0, s[:, None] * np.log(P), 0.0)
        wrong = np.where(m[:, None] > 0, m[:, None] * np.log1p(-P), 0.0)
    unique: dict[tuple[int, ...], int] = {}
    of = [unique.setdefault(tuple(w.tolist()), len(unique)) for w in observed.wrong]
    agreement = np.stack([_log_agreement(counts) for counts in unique])[of]
    total = (right + wrong)[:, :, None, None] + agreement[:, None]
    return np.asarray(total.reshape(len(s), ATOMS))


@cache
def _log_agreement(counts: tuple[int, ...]) -> Floats:
    """The log of the bracket in `log_likelihood`, shape (len(A), RESTS)."""
    c = np.array(counts, dtype=float)
    m = c.sum()
    log_a, log_rest = np.log(np.maximum(A, 1e-300)), np.log1p(-A)
    terms = [m * log_rest[:, None] + _log_eppf(c)]
    for size in np.unique(c):
        without = np.delete(c, int(np.argmax(c == size)))
        weight = np.log((c == size).sum()) + size * log_a + (m - size) * log_rest
        terms.append(weight[:, None] + _log_eppf(without))
    return np.asarray(np.logaddexp.reduce(np.stack(terms), axis=0))


def _log_eppf(c: Floats) -> Floats:
    """log EPPF of block sizes c under each `rest`, shape (RESTS,); −inf where it is impossible."""
    n, k = c.sum(), len(c)
    theta = np.array(THETAS)
    ewens = k * np.log(theta) + gammaln(c).sum() - (gammaln(theta + n) - gammaln(theta))
    choices = [
        gammaln(J + 1) - gammaln(J - k + 1) + gammaln(c + 1).sum() - (gammaln(J + n) - gammaln(J))
        if k <= J
        else -np.inf
        for J in CHOICES
    ]
    return np.append(ewens, choices)
