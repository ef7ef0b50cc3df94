"""What a question's answers at other settings say of it here: the settings share its difficulty.

    q7: 4 of 4 right at "high", 1 of 4 at "low"   ->   at "low" its p is likelier 0.5 than 0.1

One factor links the settings (a Gaussian copula). Question q has a difficulty u_q ~ N(0, 1), and its chance p
of a right answer at setting s stands at the quantile Φ(z_qs) of that setting's own population:

    z_qs = √ρ_s · u_q + √(1 − ρ_s) · ε_qs,   ε_qs ~ N(0, 1)

The populations stay as they were fitted, each from its setting's answers; ρ_s maximises the likelihood of all
answers. A share `STRANGE` of the questions is taken to follow its population only, whatever it does
elsewhere, so that no answer is impossible. Where ρ_s = 0 explains the answers best, nothing changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from predict.protocol import Floats, Ints

NODES = ndtri((np.arange(25) + 0.5) / 25)
"""Difficulties u that stand for N(0, 1), equally likely."""

CORRELATIONS = np.array([0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.998])
"""The ρ that are tried."""

STRANGE = 1e-3
"""Share of questions whose other settings say nothing."""

LEARN_FROM = 300
"""With more questions than this the correlations are learnt from so many of them, drawn at random."""

_ROUNDS = 8
"""Passes over all settings at most; two or three are usual."""


@dataclass(frozen=True)
class Marginal:
    """One setting by itself: its population's law of p on B cells, and what the answers say of each question.

    question_ids: Q names; law: (B,) probabilities; likelihood: (Q, B) P(answers | cell) up to a factor a row.
    """

    question_ids: Sequence[str]
    law: Floats
    likelihood: Floats


@dataclass(frozen=True)
class Difficulty:
    """What the other settings say of Q questions: posterior (Q, nodes) of u, and this setting's ρ."""

    posterior: Floats
    correlation: float

    def leaning(self, law: Floats) -> Floats:
        """P(cell | answers elsewhere) / P(cell) under each law of p (R, B): shape (R, Q, B)."""
        given = law_given_difficulty(law, self.correlation)
        return np.asarray((self.posterior @ given) / np.maximum(law, 1e-300)[:, None, :])


def share_difficulty(settings: Sequence[Marginal]) -> list[Difficulty]:
    """Fit the correlations of two settings or more; for each, what the others say of its questions.

    Questions are matched by name. Of one that no other setting has, the posterior is the prior.
    """
    names = sorted(set().union(*(one.question_ids for one in settings)))
    place = {name: i for i, name in enumerate(names)}
    rows = [np.array([place[name] for name in one.question_ids], dtype=np.int64) for one in settings]
    chosen = _learning_set(len(names))
    grids = [_log_at_nodes(one, CORRELATIONS) for one in settings]
    best = _coordinate_ascent([_on(chosen, at, grid) for at, grid in zip(rows, grids, strict=True)])
    own = [grid[k] for grid, k in zip(grids, best, strict=True)]
    total = np.zeros((len(names), len(NODES)))
    for at, log in zip(rows, own, strict=True):
        total[at] += log
    found = []
    for at, log, k in zip(rows, own, best, strict=True):
        elsewhere = total[at] - log
        posterior = np.exp(elsewhere - elsewhere.max(axis=1, keepdims=True))
        posterior /= posterior.sum(axis=1, keepdims=True)
        found.append(Difficulty(posterior, float(CORRELATIONS[k])))
    return found


def law_given_difficulty(law: Floats, correlation: float) -> Floats:
    """P(cell | u) at each of `NODES`, (R, nodes, B), for laws (R, B) of cells in rising order of p."""
    edges = ndtri(np.clip(np.cumsum(law, axis=1)[:, :-1], 1e-12, 1 - 1e-12))
    below = ndtr((edges[:, None] - np.sqrt(correlation) * NODES[:, None]) / np.sqrt(1 - correlation))
    parts = np.diff(below, axis=2, prepend=0.0, append=1.0)
    return np.asarray((1 - STRANGE) * np.maximum(parts, 0.0) + STRANGE * law[:, None])


def _log_at_nodes(one: Marginal, correlations: Floats) -> Floats:
    """log P(answers | u), shape (correlations, Q, nodes)."""
    laws = [law_given_difficulty(one.law[None], rho)[0].T for rho in correlations]
    return np.asarray(np.log(np.maximum(one.likelihood @ np.stack(laws), 1e-300)))


def _learning_set(questions: int) -> Ints:
    if questions <= LEARN_FROM:
        return np.arange(questions)
    return np.sort(np.random.default_rng(0).choice(questions, LEARN_FROM, replace=False))


def _on(chosen: Ints, at: Ints, grid: Floats) -> Floats:
    """`grid` for the questions `chosen`, 0 for those that this setting does not have."""
    out = np.zeros((len(grid), len(chosen), grid.shape[2]))
    where = np.searchsorted(chosen, at)
    known = (where < len(chosen)) & (chosen[np.minimum(where, len(chosen) - 1)] == at)
    out[:, where[known]] = grid[:, known]
    return out


def _coordinate_ascent(grids: list[Floats]) -> Ints:
    """The index of each setting's best correlation, one setting after the other until none moves."""
    best = np.full(len(grids), len(CORRELATIONS) // 2)
    total = np.sum([grid[k] for grid, k in zip(grids, best, strict=True)], axis=0)
    for _ in range(_ROUNDS):
        before = best.copy()
        for s, grid in enumerate(grids):
            others = total - grid[best[s]]
            best[s] = int(np.argmax([_log_likelihood(others + log) for log in grid]))
            total = others + grid[best[s]]
        if np.array_equal(best, before):
            break
    return best


def _log_likelihood(log_at_nodes: Floats) -> float:
    top = log_at_nodes.max(axis=1, keepdims=True)
    return float((np.log(np.exp(log_at_nodes - top).mean(axis=1)) + top[:, 0]).sum())
