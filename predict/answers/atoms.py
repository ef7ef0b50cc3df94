"""The atoms of the mixture: the answer distributions that a question may have.

    p = 0.62 (right), a = 0.6 (the leading wrong answer's share of the wrong mass), rest = Ewens(2)

Under an atom, answers are independent: right with probability p; the leading wrong answer with (1−p)a;
else one of the other wrong answers, whose unknown probabilities are drawn once per question from `rest`:

    Ewens(θ)        the Dirichlet process: small θ, few different answers; large θ, hardly any two alike
    choice(J, β)    J other answers with probabilities from a symmetric Dirichlet law: β = 1 uneven, as among
                    the options of multiple choice; larger β, about equally likely

Only which answers agree is used, never their text: the probability of a partition with counts c_1, c_2,
… is the exchangeable partition probability function (EPPF) of `rest` (Pitman, Combinatorial Stochastic
Processes, 2.2).
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from predict.evidence.points import Floats, Ints
from results.votes.exact import VoteCounts

_CELLS = 32
P_EDGES = np.sin(np.pi / 2 * np.arange(_CELLS + 1) / _CELLS) ** 2
P = np.concatenate([[0.0], np.sin(np.pi / 2 * (np.arange(_CELLS) + 0.5) / _CELLS) ** 2, [1.0]])
"""Never, always, and the midpoints of cells of equal width in arcsin √p, the scale on which a binomial
proportion has the same noise everywhere."""

U = 4 * np.arcsin(np.sqrt(P)) / np.pi - 1
"""Each p on that scale, from −1 to 1: (P,)."""

A = np.array([0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.88, 0.97])
A_EDGES = np.concatenate([[0.0], (A[1:] + A[:-1]) / 2, [1.0]])

THETAS = (0.6, 2.0, 5.0, 15.0, 60.0, 1e4)
CHOICES = ((2, 1.0), (3, 1.0), (5, 3.0), (9, 2.0))
"""(J, β) of the choice laws, which follow the Ewens laws: four or five options, or several even answers."""

RESTS = len(THETAS) + len(CHOICES)
ATOMS = len(P) * len(A) * RESTS


@dataclass(frozen=True)
class Patterns:
    """Answer counts of Q questions, grouped into U distinct patterns.

    right: (U,); wrong: U arrays of counts, in descending order; times: (U,) questions with these
    counts; pattern: (Q,) the index of each question's pattern.
    """

    right: Ints
    wrong: tuple[Ints, ...]
    times: Ints
    pattern: Ints


def patterns(counts: VoteCounts) -> Patterns:
    """Group questions with equally many right answers and the same wrong counts, in any order."""
    places: dict[tuple[int, ...], int] = {}
    wrong = np.split(counts.wrong, counts.starts[1:-1])
    pattern = np.array(
        [
            places.setdefault((int(r), *np.sort(w[w > 0])[::-1].tolist()), len(places))
            for r, w in zip(counts.correct, wrong, strict=True)
        ]
    )
    return Patterns(
        np.array([key[0] for key in places], dtype=np.int64),
        tuple(np.array(key[1:], dtype=np.int64) for key in places),
        np.bincount(pattern, minlength=len(places)),
        pattern,
    )


def log_likelihood(observed: Patterns) -> Floats:
    """log P(counts | atom) up to a constant per pattern, shape (U, ATOMS), atoms ordered as (p, a, rest).

    With s right answers, wrong counts c and m = Σc, where any or none of the wrong answers seen may lead:

        p^s (1−p)^m [ (1−a)^m EPPF(c) + Σ_j a^{c_j} (1−a)^{m−c_j} EPPF(c without c_j) ]
    """
    s = observed.right.astype(float)
    m = np.array([w.sum() for w in observed.wrong], dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        right = np.where(s[:, None] > 0, s[:, None] * np.log(P), 0.0)
        wrong = np.where(m[:, None] > 0, m[:, None] * np.log1p(-P), 0.0)
    unique: dict[tuple[int, ...], int] = {}
    of = [unique.setdefault(tuple(w.tolist()), len(unique)) for w in observed.wrong]
    agreement = _log_agreement(list(unique))[of]
    total = (right + wrong)[:, :, None, None] + agreement[:, None]
    return np.asarray(total.reshape(len(s), ATOMS))


def relative(logs: Floats) -> Floats:
    """Likelihoods (U, K) from their logs, in each row relative to the largest."""
    return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))


def _log_agreement(counts: list[tuple[int, ...]]) -> Floats:
    """The log of the bracket in `log_likelihood` for each of `counts`, shape (len(counts), len(A), RESTS)."""
    terms = np.array([1 + len(set(c)) for c in counts])
    first = np.concatenate([[0], np.cumsum(terms)[:-1]])
    return np.asarray(np.logaddexp.reduceat(_log_terms(counts, terms), first, axis=0))


def leading(wrong: Ints) -> Floats:
    """P(leader | atom, counts): none of the k wrong answers seen, or one of them: (1 + k, A, RESTS).

    Answers with equal counts are exchangeable: the first has the probability of all, the others 0.
    """
    key = tuple(wrong.tolist())
    logs = _log_terms([key], np.array([1 + len(set(key))]))
    chances = np.exp(logs - np.maximum(logs.max(axis=0), -1e300))
    laws = np.zeros((1 + len(key), len(A), RESTS))
    laws[[0, *(1 + key.index(count) for count in Counter(key))]] = chances / np.maximum(
        chances.sum(axis=0), 1e-300
    )
    return laws


def _log_terms(counts: list[tuple[int, ...]], terms: Ints) -> Floats:
    """Logs of the bracket's terms, `terms` for each of `counts`, concatenated: (sum of terms, A, RESTS).

    Either no seen answer leads (lead = 0), or one of `ways` answers with the same count does.
    """
    rows = []
    for c in counts:
        leads = [(0, 1), *Counter(c).items()]
        rows += [(lead, ways, len(c), sum(c)) for lead, ways in leads]
    lead, ways, k, m = np.array(rows, dtype=float).T
    log_gamma = np.repeat([gammaln(np.array(c)).sum() for c in counts], terms)
    beta = np.array([beta for _, beta in CHOICES])
    log_rising = np.repeat(
        [gammaln(np.array(c, dtype=float)[:, None] + beta).sum(axis=0) for c in counts], terms, axis=0
    )
    eppf = _log_eppf(
        m - lead,
        np.where(lead > 0, k - 1, k),
        log_gamma - np.where(lead > 0, gammaln(np.maximum(lead, 1)), 0.0),
        log_rising - np.where(lead[:, None] > 0, gammaln(lead[:, None] + beta), 0.0),
    )
    log_a, log_other = np.log(np.maximum(A, 1e-300)), np.log1p(-A)
    weight = np.log(ways)[:, None] + lead[:, None] * log_a + (m - lead)[:, None] * log_other
    return np.asarray(weight[:, :, None] + eppf[:, None, :])


def _log_eppf(n: Floats, k: Floats, log_gamma: Floats, log_rising: Floats) -> Floats:
    """log EPPF of partitions of n into k blocks c under each `rest`, −inf where impossible.

    n, k and `log_gamma`, Σ log Γ(c), have shape (partitions,); `log_rising`, Σ log Γ(β + c), has shape
    (partitions, CHOICES). The result has shape (partitions, RESTS).
    """
    theta = np.array(THETAS)
    rising = gammaln(theta + n[:, None]) - gammaln(theta)
    ewens = k[:, None] * np.log(theta) + log_gamma[:, None] - rising
    J, beta = np.array(CHOICES).T
    ways = gammaln(J + 1) - gammaln(np.maximum(J - k[:, None], 0) + 1)
    blocks = log_rising - k[:, None] * gammaln(beta)
    choices = ways + blocks - (gammaln(J * beta + n[:, None]) - gammaln(J * beta))
    return np.concatenate([ewens, np.where(k[:, None] <= J, choices, -np.inf)], axis=1)
