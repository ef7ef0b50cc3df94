"""The questions of one setting: a mixture of atoms fitted to all of them, and the posterior of each.

610 questions × 4 answers  ->  12 different counts, weights of 2,720 atoms, P(atom | counts) of each question
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.special import softmax

from predict.answers.atoms import P, log_likelihood, patterns
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
"""With more different patterns than this the weights are learnt from the questions of so many of them: no
worse, and a fit takes a quarter of the time for 1,319 questions × 64 answers."""


TEMPER = 0.25
"""The power to which a law's evidence counts in the average of the two. studies/forecasts/ablation.py
compares it with 1 (Bayes) and 0 (equal shares)."""


ROUNDS = 2
"""Times that the law of unread answers is fitted."""


class AtomLaw(Protocol):
    """What the answers say of the weights (K,) of the atoms: the weights by themselves, and draws (R, K)."""

    @property
    def weights(self) -> Floats: ...

    def draw_weights(self, R: int, rng: np.random.Generator) -> Floats: ...


@dataclass(frozen=True)
class AveragedLaw:
    """A mean of laws, each with its share (L,), shares summing to 1."""

    laws: tuple[AtomLaw, ...]
    shares: Floats

    @cached_property
    def weights(self) -> Floats:
        """The mean, (K,)."""
        return np.asarray(sum(share * law.weights for share, law in zip(self.shares, self.laws, strict=True)))

    def draw_weights(self, R: int, rng: np.random.Generator) -> Floats:
        """R draws (R, K), of each law as many as its share says."""
        which = np.searchsorted(np.cumsum(self.shares)[:-1], (np.arange(R) + 0.5) / R)
        drawn = np.stack([law.draw_weights(R, rng) for law in self.laws])
        return np.asarray(drawn[which, np.arange(R)])


@dataclass(frozen=True)
class Population:
    """The fitted mixture of one setting: U patterns of counts, K atoms sorted by p, as many to each p.

    likelihood: (U, K) P(counts | atom) up to a factor per row; pattern: (Q,) each question's row;
    unread: how often answers cannot be read, where some cannot; elsewhere: what the answers at
    other settings say of the questions.
    """

    likelihood: Floats
    pattern: Ints
    fit: AtomLaw
    unread: Unread | None = None
    elsewhere: Difficulty | None = None

    def posterior(self, questions: Ints | None = None) -> Floats:
        """P(atom | answers) of some or all questions, (Q, K)."""
        chosen = np.arange(len(self.pattern)) if questions is None else questions
        mass = self.likelihood[self.pattern[chosen]] * self.fit.weights
        if self.elsewhere is not None:
            leaning = self.elsewhere.leaning(by_p(self.fit.weights), chosen)
            mass *= np.repeat(leaning, mass.shape[1] // len(P), axis=1)
        return np.asarray(mass / mass.sum(axis=1, keepdims=True))

    def given_unread(self, counts: VoteCounts) -> Floats:
        """The weights of the atoms by how many answers to a question could not be read: (Q, K), or (1, K)."""
        if self.unread is None:
            return self.fit.weights[None]
        mass = by_atom(self.unread.log_likelihood(counts.nulls, counts.pools), len(self.fit.weights))
        mass *= self.fit.weights
        return np.asarray(mass / mass.sum(axis=1, keepdims=True))

    def marginal(self, answers: AnswerPools) -> Marginal:
        """The law of p, and what the answers say of each question's p.

        Only those that were read: what makes answers unreadable beside p is alike at all settings,
        and would count once for each.
        """
        law, counts = by_p(self.fit.weights), answers.counts()
        within = by_p(self.likelihood * self.fit.weights) / np.maximum(law, 1e-300)
        within = within[self.pattern]
        if self.unread is not None:
            within /= by_atom(self.unread.log_likelihood(counts.nulls, counts.pools), len(P))
        within /= np.maximum(within.max(axis=1, keepdims=True), 1e-300)
        return Marginal(answers.question_ids, law, within)


def fit_population(counts: VoteCounts) -> Population:
    """The population behind one setting's answers: a flexible law of the questions and a plain one.

    The flexible law is, of three fits, that of the largest evidence. Bayes would average the two by their
    evidence, were one of them true. None is, and evidence is then too sure: it counts as `TEMPER` says.
    """
    kinds = patterns(counts)
    logs = log_likelihood(kinds)
    likelihood, pattern, unread = np.exp(logs - logs.max(axis=1, keepdims=True)), kinds.pattern, None
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
    """The likelihood (U, K) of the answers with those not read among them, the patterns (Q,), and their law.

    read: (V, K) the likelihood of those that were read, with their patterns (Q,). The law needs
    the questions' p, and they need the law: each is fitted in turn.
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
    """The likelihood (U, atoms), up to a factor per row, of logs (U, len(P)) that hang on p alone."""
    return np.repeat(np.exp(logs - logs.max(axis=1, keepdims=True)), atoms // len(P), axis=1)


def by_p(weights: Floats) -> Floats:
    """Sums of `weights` (..., K) over the atoms of each p: shape (..., len(P))."""
    return np.asarray(weights.reshape(*weights.shape[:-1], len(P), -1).sum(axis=-1))


def learning_set(pattern: Ints) -> tuple[Ints, Floats]:
    """Patterns to learn from, and how many questions have them: those of questions drawn at random."""
    order = np.random.default_rng(0).permutation(pattern)
    first = np.sort(np.unique(order, return_index=True)[1])
    if len(first) > LEARN_FROM:
        order = order[: first[LEARN_FROM]]
    rows, times = np.unique(order, return_counts=True)
    return rows, times.astype(float)


def share_between(populations: Sequence[Population], answers: Sequence[AnswerPools]) -> list[Population]:
    """The populations of several settings, each knowing what the other settings say of its questions."""
    if len(populations) < 2:
        return list(populations)
    alone = [one.marginal(own) for one, own in zip(populations, answers, strict=True)]
    return [
        replace(one, elsewhere=difficulty)
        for one, difficulty in zip(populations, share_difficulty(alone), strict=True)
    ]
