"""What a question's answers at other settings say about it here: all settings share its difficulty.

    q7: 4 of 4 right at "high", 1 of 4 at "low"   ->   at "low" its p is likelier 0.5 than 0.1

One factor links the settings (a Gaussian copula). Question q has a difficulty u_q ~ N(0, 1), and its chance p
of a right answer at setting s is the quantile Φ(z_qs) of that setting's own population:

    z_qs = √ρ_s · u_q + √(1 − ρ_s) · ε_qs,   ε_qs ~ N(0, 1)

Each population stays as fitted to its own setting's answers; ρ_s maximises the likelihood of all answers. At
each setting a share `STRANGE` of the questions is independent of the other settings, so that no answer is
impossible. Where ρ_s = 0 explains the answers best, nothing changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp, ndtr, ndtri, softmax

from predict.evidence.points import Floats, Ints

NODES = np.linspace(-6.0, 6.0, 97)
"""Grid of difficulties u, for integrals over N(0, 1)."""

NODE_WEIGHTS = np.exp(-(NODES**2) / 2) / np.exp(-(NODES**2) / 2).sum()
"""Weights of the trapezoidal rule for integrals over N(0, 1). The nodes are close enough for functions of u
as narrow as √(1 − ρ) = 0.1, the narrowest that occur."""

CORRELATIONS = np.array([0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99])
"""Candidate values of ρ."""

STRANGE = 1e-3
"""Share of questions that are independent of the other settings."""

_EQUAL = 1e-6
"""Log-likelihoods this close count as equal, and the smallest of their ρ is chosen: if one of two settings
has ρ = 0, the likelihoods of the other's ρ differ only by rounding."""

_ROUNDS = 8
"""Most passes over all settings; two or three are usual."""


@dataclass(frozen=True)
class Marginal:
    """One setting by itself: its population's law of p on B cells, and the likelihood of each question's p.

    question_ids: Q names; law: (B,) probabilities; likelihood: (Q, B) P(answers | cell) up to a row factor.
    """

    question_ids: Sequence[str]
    law: Floats
    likelihood: Floats


@dataclass(frozen=True)
class Difficulty:
    """What the other settings say about Q questions: posterior (Q, nodes) of u, and this setting's ρ."""

    posterior: Floats
    correlation: float

    def leaning(self, law: Floats) -> Floats:
        """P(cell | answers elsewhere) / P(cell) of each question, given a law of p (B,): (Q, B)."""
        given = law_given_difficulty(law, self.correlation)
        return np.asarray((self.posterior @ given) / np.maximum(law, 1e-300))


def share_difficulty(settings: Sequence[Marginal]) -> list[Difficulty]:
    """Fit the correlations of two or more settings; return what the others say about each one's questions.

    Questions are matched by name. A question that no other setting has keeps the prior.
    """
    names = sorted(set().union(*(one.question_ids for one in settings)))
    place = {name: i for i, name in enumerate(names)}
    log_at_nodes = np.zeros((len(settings), len(CORRELATIONS), len(names), len(NODES)))
    for s, one in enumerate(settings):
        laws = np.stack([law_given_difficulty(one.law, rho).T for rho in CORRELATIONS])
        at = [place[name] for name in one.question_ids]
        log_at_nodes[s][:, at] = np.log(np.maximum(one.likelihood @ laws, 1e-300))
    best = _coordinate_ascent(log_at_nodes)
    own = log_at_nodes[np.arange(len(settings)), best]
    shared = []
    for s, one in enumerate(settings):
        elsewhere = (own.sum(axis=0) - own[s])[[place[name] for name in one.question_ids]]
        posterior = softmax(elsewhere + np.log(NODE_WEIGHTS), axis=1)
        shared.append(Difficulty(posterior, float(CORRELATIONS[best[s]])))
    return shared


def law_given_difficulty(law: Floats, correlation: float) -> Floats:
    """P(cell | u) at each of `NODES`, (nodes, B), for a law (B,) of cells in rising order of p."""
    edges = ndtri(np.clip(np.cumsum(law)[:-1], 1e-12, 1 - 1e-12))
    below = ndtr((edges - np.sqrt(correlation) * NODES[:, None]) / np.sqrt(1 - correlation))
    parts = np.diff(below, axis=1, prepend=0.0, append=1.0)
    return np.asarray((1 - STRANGE) * np.maximum(parts, 0.0) + STRANGE * law)


def _coordinate_ascent(log_at_nodes: Floats) -> Ints:
    """The index of each setting's best correlation, updating one setting at a time until none changes.

    log_at_nodes: log P(answers | u) by setting, correlation, question and node; 0 without answers.
    """
    settings = np.arange(len(log_at_nodes))
    best = np.full(len(settings), len(CORRELATIONS) // 2)
    for _ in range(_ROUNDS):
        before = best.copy()
        for s in settings:
            others = log_at_nodes[settings, best].sum(axis=0) - log_at_nodes[s, best[s]]
            joint = logsumexp(others + log_at_nodes[s] + np.log(NODE_WEIGHTS), axis=2).sum(axis=1)
            best[s] = np.flatnonzero(joint >= joint.max() - _EQUAL)[0]
        if np.array_equal(best, before):
            break
    return best
