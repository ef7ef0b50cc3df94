"""Best-of-N: only the chance p of a right answer matters, and over questions p = c · Beta(a, b).

    s = 1 right of n = 4   ->   weights of p = 0, 6e-6 … 1;   best of N right with 1 − (1 − p)^N

The smaller a, the more questions are hardly ever right; c is the largest chance there is (the
scaled beta of Schaeffer et al. 2025, arXiv 2502.17578). Few answers to each question leave much
of the three open, and laws that fit them equally well part at large N. So none is picked:
forecasts are means over the posterior of (log a, log b, logit c), and of (log a, log b) where c
= 1, which is as likely beforehand: by importance sampling.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, expit, ndtri, softmax
from scipy.stats import binom, chi2, multivariate_t, norm
from scipy.stats.qmc import Sobol

from predict.answers.population import Population
from predict.evidence.points import Floats
from results.votes.exact import VoteCounts

RATES = np.concatenate([[0.0], expit(np.linspace(-12, 12, 121)), [1.0]])
"""The p that stand for all others: even in logit p, and the two ends."""

CENTRE, SPREAD = np.array([np.log(0.5), np.log(0.5), 2.0]), 2.0
"""Prior mean of (log a, log b, logit c), and the standard deviation of each."""

DRAWS = 512
"""Laws drawn for a setting."""

ROUNDS, EFFECTIVE, DEGREES = (DRAWS // 2,) * 16 + (DRAWS, DRAWS), 0.1, 4
"""Points of a round; their least effective sample size, as a share; the Student law's degrees of freedom."""


@dataclass(frozen=True)
class RateLaws:
    """Laws of p drawn from their posterior: laws (L, K) on `RATES`, the chance of each (L,)."""

    laws: Floats
    chances: Floats

    @property
    def weights(self) -> Floats:
        """The mean law, shape (K,)."""
        return self.chances @ self.laws

    def draw_weights(self, R: int, rng: np.random.Generator) -> Floats:
        """R of the laws, shape (R, K)."""
        return self.laws[rng.choice(len(self.laws), R, p=self.chances)]


def rate_laws(x: Floats) -> Floats:
    """The laws (..., K) of parameters x (..., 3) or, where c = 1, (..., 2), in prior standard deviations.

    What lies between two rates is shared so that its mean stays.
    """
    log_a, log_b, *logit_c = np.moveaxis(CENTRE[: x.shape[-1]] + SPREAD * x, -1, 0)[..., None]
    a, b, c = np.exp(log_a), np.exp(log_b), expit(logit_c[0]) if logit_c else 1.0
    ends = np.minimum(RATES / c, 1.0)
    mass = np.diff(betainc(a, b, ends), axis=-1)
    upper = (c * a / (a + b) * np.diff(betainc(a + 1, b, ends), axis=-1) - RATES[:-1] * mass) / np.diff(RATES)
    laws = np.zeros((*mass.shape[:-1], len(RATES)))
    laws[..., :-1] = mass - upper
    laws[..., 1:] += upper
    return np.maximum(laws, 0.0)


def fit_rates(counts: VoteCounts, families: Sequence[int] = (2, 3)) -> Population:
    """The population behind one setting's answers; an unreadable answer is a wrong one.

    `families`: the laws with c = 1 have two parameters, those with any c three; evidence weighs
    them.
    """
    pairs = np.stack([counts.correct, counts.pools])
    seen, pattern, times = np.unique(pairs, axis=1, return_inverse=True, return_counts=True)
    likelihood = np.asarray(binom.pmf(seen[0][:, None], seen[1][:, None], RATES))

    def log_density(x: Floats) -> Floats:
        chances = np.maximum(rate_laws(x) @ likelihood.T, 1e-300)
        return np.asarray(np.log(chances) @ times + norm.logpdf(x).sum(axis=-1))

    x, logs = zip(*(posterior_draws(log_density, parameters) for parameters in families), strict=True)
    laws = RateLaws(np.concatenate([rate_laws(one) for one in x]), softmax(np.concatenate(logs)))
    return Population(likelihood, pattern.ravel(), laws)


def posterior_draws(log_density: Callable[[Floats], Floats], parameters: int) -> tuple[Floats, Floats]:
    """Points (DRAWS, parameters) and the log of each one's weight, by importance sampling from a Student law.

    log_density: that of the posterior, up to a constant, of points (..., parameters); the
    weights are on average its integral. Round by round the Student law moves from about the
    prior to the mean and covariance of its weighted points, which are even (Sobol's), not
    random. All steps are continuous, so that rounding on another machine moves the points by as
    little.
    """
    uniform = Sobol(parameters + 1, rng=0).random(DRAWS)
    steps = ndtri(uniform[:, 1:]) / np.sqrt(chi2.ppf(uniform[:, :1], DEGREES) / DEGREES)
    log_student = np.asarray(multivariate_t(shape=np.eye(parameters), df=DEGREES).logpdf(steps))
    centre: Floats = np.zeros(parameters)
    root: Floats = np.eye(parameters)
    for count in ROUNDS:
        x = centre + steps[:count] @ root.T
        log_weights = log_density(x) - log_student[:count] + np.log(np.diag(root)).sum()
        chances = _tempered(log_weights)
        centre, spread = chances @ x, np.asarray(np.cov(x.T, aweights=chances))
        root = np.asarray(np.linalg.cholesky(spread + 1e-9 * np.eye(parameters)))
    return x, log_weights


def _tempered(log_weights: Floats) -> Floats:
    """Weights to the largest power, up to 1, at which EFFECTIVE of the points or more still count."""
    power = 0.0
    for step in 0.5 ** np.arange(30):
        chances = softmax(min(power + step, 1.0) * log_weights)
        if 1 / (chances**2).sum() >= EFFECTIVE * len(chances):
            power = min(power + step, 1.0)
    return softmax(power * log_weights)
