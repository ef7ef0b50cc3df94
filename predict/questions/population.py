"""The mixture fitted to one setting: what its questions are like, and the posterior of each.

610 questions × 4 answers  ->  61 different patterns of counts, 4 fits, P(atom | pattern)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from scipy.sparse import csr_array
from scipy.special import softmax

from predict.protocol import Floats, Ints
from predict.questions.atoms import P, log_likelihood, patterns
from predict.questions.best_of_n import RATES, rate_log_likelihood, rate_models
from predict.questions.fit import Likelihood, MixtureFit, fit_mixtures
from predict.questions.models import MixtureModel, vote_models
from predict.questions.shared_difficulty import Difficulty, Marginal, share_difficulty
from results.votes.exact import VoteCounts

NEGLIGIBLE = 1e-5
"""Likelihoods this far below a pattern's largest one are put to 0."""

SPARSE = 0.25
"""Below this share of other likelihoods they are stored as a sparse matrix."""

UNHEARD = 1e-4
"""A fit that counts for less than this is left out."""

LEARN_FROM = 300
"""With more different patterns than this the weights are learnt from the questions of so many of them."""


@dataclass(frozen=True)
class Population:
    """The fitted mixture of one setting: U patterns of counts, their likelihoods (U, K), and all fits.

    Atoms are sorted by p: the K atoms are `cells` values of p with equally many atoms each. `elsewhere` is
    what the answers at other settings say of the questions, if there are any.
    """

    likelihood: Likelihood
    times: Floats
    of: Ints
    fits: tuple[MixtureFit, ...]
    cells: int
    elsewhere: Difficulty | None = None

    @property
    def shares(self) -> Floats:
        """What each fit counts for, by its evidence, shape (fits,)."""
        evidence = np.array([fit.log_evidence for fit in self.fits])
        return np.asarray(softmax(evidence))

    def moments(self, values: Floats) -> tuple[Floats, Floats]:
        """Posterior mean of `values` (K, M) and of their squares, over all fits: (Q, M) each."""
        columns = np.concatenate([np.ones((len(values), 1)), values, values**2], axis=1)
        heard = [pair for pair in zip(self.shares, self.fits, strict=True) if pair[0] > UNHEARD]
        total = np.zeros((len(self.of), 2 * values.shape[1]))
        sums = self._sums(np.stack([fit.weights for _, fit in heard]), columns)
        for (share, _), one in zip(heard, sums, strict=True):
            total += share * one[:, 1:] / np.maximum(one[:, :1], 1e-300)
        mean, square = np.split(total, 2, axis=1)
        return mean, square

    def prior(self) -> Floats:
        """Atom weights averaged over the fits, shape (K,)."""
        return np.asarray(self.shares @ np.stack([fit.weights for fit in self.fits]))

    def marginal(self, question_ids: Sequence[str]) -> Marginal:
        """The law of p, and what the answers say of each question's p."""
        weights = self.prior()
        law = self._law(weights[None])[0]
        mass = (self._cellwise() @ weights.reshape(self.cells, -1, 1))[..., 0].T
        within = mass / np.maximum(law, 1e-300)
        within /= np.maximum(within.max(axis=1, keepdims=True), 1e-300)
        return Marginal(question_ids, law, within[self.of])

    def parameter_draws(self, values: Floats, R: int, rng: np.random.Generator) -> Floats:
        """Mean over questions of the posterior mean of `values` (K, M), for R draws of fit and α: (R, M).

        The draws follow what this setting's answers leave open of α; `elsewhere` is not looked at.
        """
        share = self.times / self.times.sum()
        draws = np.empty((R, values.shape[1]))
        times = rng.multinomial(R, self.shares)
        drawn = (fit.draw_weights(int(n), rng) for fit, n in zip(self.fits, times, strict=True) if n)
        for r, weights in enumerate(chain.from_iterable(drawn)):
            marginal = self.likelihood @ weights
            mass = ((share / np.maximum(marginal, 1e-300)) @ self.likelihood) * weights
            draws[r] = mass @ values
        return draws

    def _sums(self, weights: Floats, values: Floats) -> list[Floats]:
        """Σ_k leaning · likelihood · weight · `values` (K, M) for each of `weights` (R, K): R of (Q, M)."""
        columns = np.concatenate([one[:, None] * values for one in weights], axis=1)
        if self.elsewhere is None:
            return np.split(np.asarray(self.likelihood @ columns)[self.of], len(weights), axis=1)
        parts = self._cellwise() @ columns.reshape(self.cells, -1, columns.shape[1])  # (cells, U, R · M)
        leaning = self.elsewhere.leaning(self._law(weights))
        return [
            np.einsum("qb,bqm->qm", lean, part[:, self.of])
            for lean, part in zip(leaning, np.split(parts, len(weights), axis=2), strict=True)
        ]

    def _law(self, weights: Floats) -> Floats:
        """The law of p under each of `weights` (R, K): shape (R, cells)."""
        return np.asarray(weights.reshape(len(weights), self.cells, -1).sum(axis=2))

    def _cellwise(self) -> Floats:
        """The likelihoods as (cells, U, K / cells)."""
        dense = self.likelihood if isinstance(self.likelihood, np.ndarray) else self.likelihood.toarray()
        return dense.reshape(len(self.times), self.cells, -1).transpose(1, 0, 2)


def share_between(
    populations: Sequence[Population], question_ids: Sequence[Sequence[str]]
) -> list[Population]:
    """The populations of several settings, each knowing what the other settings say of its questions."""
    if len(populations) < 2:
        return list(populations)
    alone = [one.marginal(names) for one, names in zip(populations, question_ids, strict=True)]
    return [
        replace(one, elsewhere=difficulty)
        for one, difficulty in zip(populations, share_difficulty(alone), strict=True)
    ]


def fit_votes(counts: VoteCounts) -> Population:
    """The population behind one setting's answers, for majority voting."""
    wrong = [counts.wrong[a:b] for a, b in zip(counts.starts[:-1], counts.starts[1:], strict=True)]
    seen = patterns(counts.correct, wrong)
    return _population(log_likelihood(seen), seen.times, seen.of, vote_models(), len(P))


def fit_rates(counts: VoteCounts) -> Population:
    """The population behind one setting's answers, for best-of-N; unreadable answers are wrong ones."""
    pairs = np.stack([counts.correct, counts.pools - counts.correct])
    seen, of, times = np.unique(pairs, axis=1, return_inverse=True, return_counts=True)
    return _population(rate_log_likelihood(seen[0], seen[1]), times, of.ravel(), rate_models(), len(RATES))


def _population(
    logs: Floats, times: Ints, of: Ints, models: Sequence[MixtureModel], cells: int
) -> Population:
    top = logs.max(axis=1, keepdims=True)
    kept = logs > top + np.log(NEGLIGIBLE)
    likelihood: Likelihood
    if kept.mean() < SPARSE:
        starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
        values = np.exp(logs[kept] - np.repeat(top[:, 0], np.diff(starts)))
        likelihood = csr_array((values, np.nonzero(kept)[1], starts), shape=logs.shape)
    else:
        likelihood = np.where(kept, np.exp(logs - top), 0.0)
    rows, of_them = _learning_set(of)
    fits = fit_mixtures(likelihood[rows], of_them.astype(float), models)
    return Population(likelihood, times.astype(float), of, fits, cells)


def _learning_set(of: Ints) -> tuple[Ints, Ints]:
    """Patterns to learn from and how many questions have them: those of questions drawn at random."""
    order = np.random.default_rng(0).permutation(of)
    first = np.sort(np.unique(order, return_index=True)[1])
    if len(first) > LEARN_FROM:
        order = order[: first[LEARN_FROM]]
    rows, times = np.unique(order, return_counts=True)
    return rows, times
