"""The mixture fitted to one setting: what its questions are like, and the posterior of each.

610 questions × 4 answers  ->  61 different patterns of counts, 18 fits, P(atom | pattern)
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from predict.mixture_atoms import log_likelihood, patterns
from predict.mixture_best import rate_bases, rate_features, rate_log_likelihood
from predict.mixture_fit import MixtureFit, bases, features, fit_mixtures, weights_at
from predict.protocol import Floats, Ints
from results.votes import VoteCounts

RIDGES = (1.0, 4.0, 16.0)
"""For votes: 1,632 atoms, 20 features."""

RATE_RIDGES = (0.03, 0.2, 1.0)
"""For best-of-N: 85 rates, 8 features."""


@dataclass(frozen=True)
class Population:
    """The fitted mixture of one setting: U patterns of counts, their likelihoods (U, K), and all fits."""

    likelihood: Floats
    times: Floats
    of: Ints
    F: Floats
    fits: tuple[MixtureFit, ...]

    @cached_property
    def _posterior(self) -> Floats:
        return np.asarray(np.mean([self._given(fit.weights) for fit in self.fits], axis=0))

    def posterior(self) -> Floats:
        """P(atom | pattern) averaged over the fits, shape (U, K)."""
        return self._posterior

    def posterior_mean(self, values: Floats) -> Floats:
        """Σ_k P(atom k | counts of q) · values[k], shape (Q, M) for values (K, M)."""
        return np.asarray((self.posterior() @ values)[self.of])

    def prior(self) -> Floats:
        """Atom weights averaged over the fits, shape (K,)."""
        return np.asarray(np.mean([fit.weights for fit in self.fits], axis=0))

    def parameter_draws(self, values: Floats, R: int, rng: np.random.Generator) -> Floats:
        """Mean over questions of the posterior mean of `values` (K, M), for R draws of fit and α: (R, M)."""
        share = self.times / self.times.sum()
        draws = np.empty((R, values.shape[1]))
        for r in range(R):
            fit = self.fits[r % len(self.fits)]
            root = np.linalg.cholesky(fit.covariance)
            weights = weights_at(fit.base, fit.alpha + root @ rng.standard_normal(len(fit.alpha)), self.F)
            marginal = self.likelihood @ weights
            draws[r] = (share / np.maximum(marginal, 1e-300)) @ self.likelihood @ (weights[:, None] * values)
        return draws

    def _given(self, weights: Floats) -> Floats:
        joint = self.likelihood * weights
        return np.asarray(joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-300))


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
    logs: Floats, times: Ints, of: Ints, F: Floats, base: list[Floats], ridges: tuple[float, ...]
) -> Population:
    likelihood = np.exp(logs - logs.max(axis=1, keepdims=True))
    fits = fit_mixtures(likelihood, times.astype(float), F, base, ridges)
    return Population(likelihood, times.astype(float), of, F, tuple(fits))
