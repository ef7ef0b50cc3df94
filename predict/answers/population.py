"""The questions of one setting: a mixture of atoms fitted to all of them, and the posterior of each.

610 questions × 4 answers  ->  12 different counts, weights of 2,720 atoms, P(atom | counts) of each question
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.special import softmax

from predict.answers.atoms import P, log_likelihood, patterns, relative
from predict.answers.prior import (
    RIDGE,
    RIDGE_OF_ALIKE,
    RIDGE_OF_MORE,
    RIDGE_OF_PLAIN,
    base,
    features,
    more_features,
    plain_base,
    plain_features,
    shape_features,
)
from predict.answers.shared_difficulty import Difficulty, Marginal, share_difficulty
from predict.answers.unread import Unread, fit_unread
from predict.answers.weights import PenalisedLikelihood, fit_weights
from predict.evidence.points import Floats, Ints
from results.votes.exact import AnswerPools, VoteCounts

LEARN_FROM = 300
"""Most distinct patterns to learn from: random questions are added until there are so many. Fits are no
worse, and take a quarter of the time for 1,319 questions × 64 answers."""


TEMPER = 0.25
"""The power to which evidence is raised when the flexible and the plain law are averaged.
studies/forecasts/ablation.py compares it with 1 (Bayes) and 0 (equal shares)."""


ROUNDS = 2
"""How many times the law of unread answers is fitted."""


class AtomLaw(Protocol):
    """The fitted atom weights: a point estimate (K,), and posterior draws (R, K)."""

    @property
    def weights(self) -> Floats: ...

    def draw_weights(self, R: int, rng: np.random.Generator) -> Floats: ...


@dataclass(frozen=True)
class AveragedLaw:
    """A weighted mean of laws; the shares (L,) sum to 1."""

    laws: tuple[AtomLaw, ...]
    shares: Floats

    @cached_property
    def weights(self) -> Floats:
        """The mean, (K,)."""
        return np.asarray(sum(share * law.weights for share, law in zip(self.shares, self.laws, strict=True)))

    def draw_weights(self, R: int, rng: np.random.Generator) -> Floats:
        """R draws (R, K), from each law in proportion to its share."""
        which = np.searchsorted(np.cumsum(self.shares)[:-1], (np.arange(R) + 0.5) / R)
        drawn = np.stack([law.draw_weights(R, rng) for law in self.laws])
        return np.asarray(drawn[which, np.arange(R)])


@dataclass(frozen=True)
class Population:
    """The fitted mixture of one setting: U patterns of counts, K atoms sorted by p, equally many for each p.

    likelihood: (U, K) P(counts | atom) up to a factor per row; pattern: (Q,) each question's row;
    unread: how often answers cannot be read, or None if all can; elsewhere: what the answers at
    other settings say about the questions.
    """

    likelihood: Floats
    pattern: Ints
    fit: AtomLaw
    unread: Unread | None = None
    elsewhere: Difficulty | None = None

    def posterior(self) -> Floats:
        """P(atom | answers) of each question, (Q, K)."""
        mass = self.likelihood[self.pattern] * self.fit.weights
        if self.elsewhere is not None:
            leaning = self.elsewhere.leaning(by_p(self.fit.weights))
            mass *= np.repeat(leaning, mass.shape[1] // len(P), axis=1)
        return np.asarray(mass / mass.sum(axis=1, keepdims=True))

    def given_unread(self, counts: VoteCounts) -> Floats:
        """P(atom | number of unreadable answers) of each question, (Q, K); (1, K) if all can be read."""
        if self.unread is None:
            return self.fit.weights[None]
        mass = by_atom(self.unread.log_likelihood(counts.nulls, counts.pools), len(self.fit.weights))
        mass *= self.fit.weights
        return np.asarray(mass / mass.sum(axis=1, keepdims=True))

    def marginal(self, answers: AnswerPools) -> Marginal:
        """The law of p, and the likelihood of each question's p.

        Given readable answers only: apart from p, what makes answers unreadable is common to all
        settings, and would count once for each.
        """
        law, counts = by_p(self.fit.weights), answers.counts()
        within = by_p(self.likelihood * self.fit.weights) / np.maximum(law, 1e-300)
        within = within[self.pattern]
        if self.unread is not None:
            within /= by_atom(self.unread.log_likelihood(counts.nulls, counts.pools), len(P))
        within /= np.maximum(within.max(axis=1, keepdims=True), 1e-300)
        return Marginal(answers.question_ids, law, within)


def fit_population(counts: VoteCounts) -> Population:
    """Fit the population behind one setting's answers: the average of a flexible and a plain law.

    The flexible law is the one of three fits with the largest evidence. If either law were true, Bayes would
    average by evidence. Neither is, which makes evidence overconfident: it is tempered by `TEMPER`.
    """
    kinds = patterns(counts)
    likelihood, pattern, unread = relative(log_likelihood(kinds)), kinds.pattern, None
    if counts.nulls.any():
        likelihood, pattern, unread = _with_unread(counts, likelihood, pattern)
    rows, counted = learning_set(pattern)
    fits = [
        fit_weights(PenalisedLikelihood(likelihood[rows], counted, base(), F, ridge))
        for F, ridge in (
            (features(), RIDGE),
            (more_features(), RIDGE_OF_MORE),
            (shape_features(), RIDGE_OF_ALIKE),
        )
    ]
    flexible = max(fits, key=lambda fit: fit.log_evidence)
    plain = fit_weights(
        PenalisedLikelihood(likelihood[rows], counted, plain_base(), plain_features(), RIDGE_OF_PLAIN)
    )
    shares = softmax(TEMPER * np.array([flexible.log_evidence, plain.log_evidence]))
    return Population(likelihood, pattern, AveragedLaw((flexible, plain), shares), unread)


def _with_unread(counts: VoteCounts, read: Floats, pattern: Ints) -> tuple[Floats, Ints, Unread]:
    """Add the unread answers: the likelihood (U, K) of all answers, their patterns (Q,), and the unread law.

    read: (V, K) the likelihood of the readable answers, with their patterns (Q,). The law depends
    on the questions' p, and these on the law, so the two are fitted in turn.
    """
    kinds, joint = np.unique(np.stack([pattern, counts.nulls, counts.pools]), axis=1, return_inverse=True)
    likelihood, patterns = read[kinds[0]], joint.ravel()
    rows, counted = learning_set(patterns)
    for _ in range(ROUNDS):
        fit = fit_weights(PenalisedLikelihood(likelihood[rows], counted, base(), features(), RIDGE))
        chance = by_p(read * fit.weights)[pattern]
        unread = fit_unread(counts.nulls, counts.pools, chance)
        likelihood = read[kinds[0]] * by_atom(unread.log_likelihood(kinds[1], kinds[2]), read.shape[1])
    return likelihood, patterns, unread


def by_atom(logs: Floats, atoms: int) -> Floats:
    """The likelihood (U, atoms), up to a factor per row, from logs (U, len(P)) that depend only on p."""
    return np.repeat(relative(logs), atoms // len(P), axis=1)


def by_p(weights: Floats) -> Floats:
    """Sums of `weights` (..., K) over the atoms of each p: shape (..., len(P))."""
    return np.asarray(weights.reshape(*weights.shape[:-1], len(P), -1).sum(axis=-1))


def learning_set(pattern: Ints) -> tuple[Ints, Floats]:
    """The patterns of randomly drawn questions, to learn from, and how many of these questions have each."""
    order = np.random.default_rng(0).permutation(pattern)
    first = np.sort(np.unique(order, return_index=True)[1])
    if len(first) > LEARN_FROM:
        order = order[: first[LEARN_FROM]]
    rows, times = np.unique(order, return_counts=True)
    return rows, times.astype(float)


def share_between(populations: Sequence[Population], answers: Sequence[AnswerPools]) -> list[Population]:
    """The populations of several settings, each with what the other settings say about its questions."""
    if len(populations) < 2:
        return list(populations)
    alone = [one.marginal(own) for one, own in zip(populations, answers, strict=True)]
    return [
        replace(one, elsewhere=difficulty)
        for one, difficulty in zip(populations, share_difficulty(alone), strict=True)
    ]
