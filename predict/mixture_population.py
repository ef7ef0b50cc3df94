"""The mixture fitted to one setting: what its questions are like, and the posterior of each.

610 questions × 4 answers  ->  61 different patterns of counts, 4 fits, P(atom | pattern)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from scipy.sparse import csr_array
from scipy.special import softmax

from predict.mixture_atoms import log_likelihood, patterns
from predict.mixture_best import rate_log_likelihood, rate_models
from predict.mixture_fit import Likelihood, MixtureFit, fit_mixtures
from predict.mixture_models import MixtureModel, vote_models
from predict.protocol import Floats, Ints
from results.votes import VoteCounts

NEGLIGIBLE = 1e-7
"""Likelihoods this far below a pattern's largest one are put to 0."""

SPARSE = 0.25
"""Below this share of other likelihoods they are stored as a sparse matrix."""

UNHEARD = 1e-4
"""A fit that counts for less than this is left out."""

LEARN_FROM = 300
"""With more different patterns than this the weights are learnt from so many of them, drawn at random."""


@dataclass(frozen=True)
class Population:
    """The fitted mixture of one setting: U patterns of counts, their likelihoods (U, K), and all fits."""

    likelihood: Likelihood
    times: Floats
    of: Ints
    fits: tuple[MixtureFit, ...]

    @property
    def shares(self) -> Floats:
        """What each fit counts for, by its evidence, shape (fits,)."""
        evidence = np.array([fit.log_evidence for fit in self.fits])
        return np.asarray(softmax(evidence))

    def moments(self, values: Floats) -> tuple[Floats, Floats]:
        """Posterior mean of `values` (K, M) and of their squares, over all fits: (Q, M) each."""
        both = np.concatenate([values, values**2], axis=1)
        total = np.zeros((len(self.times), both.shape[1]))
        for share, fit in zip(self.shares, self.fits, strict=True):
            if share > UNHEARD:
                marginal = np.maximum(self.likelihood @ fit.weights, 1e-300)
                total += share * (self.likelihood @ (fit.weights[:, None] * both)) / marginal[:, None]
        mean, square = np.split(total[self.of], 2, axis=1)
        return mean, square

    def prior(self) -> Floats:
        """Atom weights averaged over the fits, shape (K,)."""
        return np.asarray(self.shares @ np.stack([fit.weights for fit in self.fits]))

    def parameter_draws(self, values: Floats, R: int, rng: np.random.Generator) -> Floats:
        """Mean over questions of the posterior mean of `values` (K, M), for R draws of fit and α: (R, M)."""
        share = self.times / self.times.sum()
        draws = np.empty((R, values.shape[1]))
        times = rng.multinomial(R, self.shares)
        drawn = (fit.draw_weights(int(n), rng) for fit, n in zip(self.fits, times, strict=True) if n)
        for r, weights in enumerate(chain.from_iterable(drawn)):
            marginal = self.likelihood @ weights
            mass = ((share / np.maximum(marginal, 1e-300)) @ self.likelihood) * weights
            draws[r] = mass @ values
        return draws


def fit_votes(counts: VoteCounts) -> Population:
    """The population behind one setting's answers, for majority voting."""
    wrong = [counts.wrong[a:b] for a, b in zip(counts.starts[:-1], counts.starts[1:], strict=True)]
    seen = patterns(counts.correct, wrong)
    return _population(log_likelihood(seen), seen.times, seen.of, vote_models())


def fit_rates(counts: VoteCounts) -> Population:
    """The population behind one setting's answers, for best-of-N; unreadable answers are wrong ones."""
    pairs = np.stack([counts.correct, counts.pools - counts.correct])
    seen, of, times = np.unique(pairs, axis=1, return_inverse=True, return_counts=True)
    return _population(rate_log_likelihood(seen[0], seen[1]), times, of.ravel(), rate_models())


def _population(logs: Floats, times: Ints, of: Ints, models: Sequence[MixtureModel]) -> Population:
    below = logs - logs.max(axis=1, keepdims=True)
    kept = below > np.log(NEGLIGIBLE)
    likelihood: Likelihood
    if kept.mean() < SPARSE:
        row, atom = np.nonzero(kept)
        starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
        likelihood = csr_array((np.exp(below[row, atom]), atom, starts), shape=logs.shape)
    else:
        likelihood = np.where(kept, np.exp(below), 0.0)
    rows = np.arange(len(times))
    if len(rows) > LEARN_FROM:
        rows = np.random.default_rng(0).choice(len(rows), LEARN_FROM, replace=False)
    fits = fit_mixtures(likelihood[rows], times[rows].astype(float), models)
    return Population(likelihood, times.astype(float), of, fits)
