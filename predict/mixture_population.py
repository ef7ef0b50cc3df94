"""The mixture fitted to one setting: what its questions are like, and the posterior of each.

610 questions × 4 answers  ->  61 different patterns of counts, 4 fits, P(atom | pattern)
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from predict.mixture_atoms import log_likelihood, patterns
from predict.mixture_best import rate_bases, rate_features, rate_log_likelihood
from predict.mixture_fit import Likelihood, MixtureFit, bases, features, fit_mixtures, weights_at
from predict.protocol import Floats, Ints
from results.votes import VoteCounts

RIDGES = (4.0, 16.0)
"""For votes: 2,448 atoms, 20 features. With weaker ones the forecasts are no better, and far less certain."""

RATE_RIDGES = (0.03, 0.2, 1.0)
"""For best-of-N: 85 rates, 8 features."""

NEGLIGIBLE = 1e-7
"""Likelihoods this far below a pattern's largest one are put to 0."""

SPARSE = 0.25
"""Below this share of other likelihoods they are stored as a sparse matrix."""

LEARN_FROM = 300
"""With more different patterns than this the weights are learnt from so many of them, drawn at random."""


@dataclass(frozen=True)
class Population:
    """The fitted mixture of one setting: U patterns of counts, their likelihoods (U, K), and all fits."""

    likelihood: Likelihood
    times: Floats
    of: Ints
    F: Floats
    fits: tuple[MixtureFit, ...]

    def moments(self, values: Floats) -> tuple[Floats, Floats]:
        """Posterior mean of `values` (K, M) and of their squares, over all fits: (Q, M) each."""
        both = np.concatenate([values, values**2], axis=1)
        total = np.zeros((len(self.times), both.shape[1]))
        for fit in self.fits:
            marginal = np.maximum(self.likelihood @ fit.weights, 1e-300)
            total += (self.likelihood @ (fit.weights[:, None] * both)) / marginal[:, None]
        mean, square = np.split((total / len(self.fits))[self.of], 2, axis=1)
        return mean, square

    def prior(self) -> Floats:
        """Atom weights averaged over the fits, shape (K,)."""
        return np.asarray(np.mean([fit.weights for fit in self.fits], axis=0))

    def parameter_draws(self, values: Floats, R: int, rng: np.random.Generator) -> Floats:
        """Mean over questions of the posterior mean of `values` (K, M), for R draws of fit and α: (R, M)."""
        share = self.times / self.times.sum()
        draws = np.empty((R, values.shape[1]))
        roots = [np.linalg.cholesky(fit.covariance) for fit in self.fits]
        for r in range(R):
            fit, root = self.fits[r % len(self.fits)], roots[r % len(self.fits)]
            weights = weights_at(fit.base, fit.alpha + root @ rng.standard_normal(len(fit.alpha)), self.F)
            marginal = self.likelihood @ weights
            mass = ((share / np.maximum(marginal, 1e-300)) @ self.likelihood) * weights
            draws[r] = mass @ values
        return draws


def fit_votes(counts: VoteCounts) -> Population:
    """The population behind one setting's answers, for majority voting."""
    wrong = [counts.wrong[a:b] for a, b in zip(counts.starts[:-1], counts.starts[1:], strict=True)]
    seen = patterns(counts.correct, wrong)
    return _population(log_likelihood(seen), seen.times, seen.of, features(), bases(), RIDGES)


def fit_rates(counts: VoteCounts) -> Population:
    """The population behind one setting's answers, for best-of-N; unreadable answers are wrong ones."""
    pairs = np.stack([counts.correct, counts.pools - counts.correct])
    seen, of, times = np.unique(pairs, axis=1, return_inverse=True, return_counts=True)
    return _population(
        rate_log_likelihood(seen[0], seen[1]), times, of.ravel(), rate_features(), rate_bases(), RATE_RIDGES
    )


def _population(
    logs: Floats, times: Ints, of: Ints, F: Floats, bases: list[Floats], ridges: tuple[float, ...]
) -> Population:
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
    fits = fit_mixtures(likelihood[rows], times[rows].astype(float), F, bases, ridges)
    return Population(likelihood, times.astype(float), of, F, tuple(fits))
