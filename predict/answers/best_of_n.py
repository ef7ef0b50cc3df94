"""Best-of-N needs only each question's chance p of a right answer, and the law of p over questions.

    s = 1 right of n = 4   ->   weights of p = 0, 6e-6 … 1;   best of N right with 1 − (1 − p)^N

Three families of laws, by their prior probability:

    1/2   p ~ Beta(a, b)                  the smaller a, the more questions are hardly ever right
    3/8   p ~ c · Beta(a, b)              c is the largest possible chance
    1/8   p ~ Beta(a, b), or p = 0        c is the share of questions that are ever right

The second is the scaled beta of Schaeffer et al. 2025 (arXiv 2502.17578). Few answers per question leave
a, b and c poorly determined, and laws that fit equally well diverge at large N. So forecasts average over
the posterior of the family and of (log a, log b, logit c), by importance sampling.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import betainc, betaln, expit, ndtri, softmax, xlog1py, xlogy
from scipy.stats import binom, chi2, multivariate_t, norm
from scipy.stats.qmc import Sobol

from predict.answers.population import Population
from predict.evidence.points import Floats
from results.votes.exact import VoteCounts

RATES = np.concatenate([[0.0], expit(np.linspace(-12, 12, 121)), [1.0]])
"""Grid of p: equally spaced in logit p, and the two ends."""

CENTRE, SPREAD = np.array([np.log(0.5), np.log(0.5), 2.0]), 2.0
"""Prior mean of (log a, log b, logit c), and the standard deviation of each."""

DRAWS = 512
"""Laws drawn for each setting and family."""

ROUNDS, EFFECTIVE, DEGREES = (DRAWS // 2,) * 16 + (DRAWS, DRAWS), 0.1, 4
"""Points per round; their least effective sample size, as a share; the degrees of freedom of Student's t."""


@dataclass(frozen=True)
class RateLaws:
    """Laws of p drawn from their posterior: laws (L, K) on `RATES`, and the probability of each (L,)."""

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
    """The laws c · Beta(a, b), (..., K), for x (..., 3) in prior standard deviations, or (..., 2) with c = 1.

    Mass between two grid points is split between them so that its mean is kept. With I the regularised
    incomplete beta function, I(x; a + 1, b) = I(x; a, b) − x^a (1 − x)^b / (a B(a, b)) (DLMF 8.17.20).
    """
    log_a, log_b, *logit_c = np.moveaxis(CENTRE[: x.shape[-1]] + SPREAD * x, -1, 0)[..., None]
    a, b, c = np.exp(log_a), np.exp(log_b), expit(logit_c[0]) if logit_c else 1.0
    ends = np.minimum(RATES / c, 1.0)
    mass_below = betainc(a, b, ends)
    moment_below = mass_below - np.exp(xlogy(a, ends) + xlog1py(b, -ends) - betaln(a, b) - log_a)
    mass, mean = np.diff(mass_below, axis=-1), c * a / (a + b)
    upper = (mean * np.diff(moment_below, axis=-1) - RATES[:-1] * mass) / np.diff(RATES)
    laws = np.zeros((*mass.shape[:-1], len(RATES)))
    laws[..., :-1] = mass - upper
    laws[..., 1:] += upper
    return np.maximum(laws, 0.0)


def laws_with_zero(x: Floats) -> Floats:
    """The laws (..., K) for x (..., 3): Beta(a, b) with probability c, and 0 otherwise."""
    c = expit(CENTRE[2] + SPREAD * x[..., 2:])
    laws: Floats = c * rate_laws(x[..., :2])
    laws[..., :1] += 1 - c
    return laws


@dataclass(frozen=True)
class Family:
    """Laws (..., K) for so many parameters, each ~ N(0, 1), and the family's prior probability."""

    laws: Callable[[Floats], Floats]
    parameters: int
    prior: float


BETA = Family(rate_laws, 2, 1 / 2)
SCALED_BETA = Family(rate_laws, 3, 3 / 8)
BETA_OR_ZERO = Family(laws_with_zero, 3, 1 / 8)
FAMILIES = (BETA, SCALED_BETA, BETA_OR_ZERO)


def fit_rates(counts: VoteCounts, families: Sequence[Family] = FAMILIES) -> Population:
    """Fit the population behind one setting's answers; an unreadable answer counts as wrong.

    Each family counts by its prior probability times its evidence.
    """
    pairs = np.stack([counts.correct, counts.pools])
    seen, pattern, times = np.unique(pairs, axis=1, return_inverse=True, return_counts=True)
    likelihood = np.asarray(binom.pmf(seen[0][:, None], seen[1][:, None], RATES))

    def log_density(family: Family, x: Floats) -> Floats:
        chances = np.maximum(family.laws(x) @ likelihood.T, 1e-300)
        return np.asarray(np.log(chances) @ times + norm.logpdf(x).sum(axis=-1))

    laws, logs = [], []
    for family in families:
        x, log_weights = posterior_draws(partial(log_density, family), family.parameters)
        laws.append(family.laws(x))
        logs.append(log_weights + np.log(family.prior))
    found = RateLaws(np.concatenate(laws), softmax(np.concatenate(logs)))
    return Population(likelihood, pattern.ravel(), found)


def posterior_draws(log_density: Callable[[Floats], Floats], parameters: int) -> tuple[Floats, Floats]:
    """Points (DRAWS, parameters) and their log-weights, by importance sampling from a Student t law.

    log_density: the posterior's at points (..., parameters), up to a constant; the mean weight
    estimates its integral. Round by round, the t law moves from roughly the prior to the mean and
    covariance of its weighted points, which are quasi-random (Sobol). All steps are continuous, so
    that rounding differences between machines move the points by equally little.
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
    """Weights to the largest power ≤ 1 that leaves an effective sample size of at least `EFFECTIVE`."""
    power = 0.0
    for step in 0.5 ** np.arange(30):
        chances = softmax(min(power + step, 1.0) * log_weights)
        if 1 / (chances**2).sum() >= EFFECTIVE * len(chances):
            power = min(power + step, 1.0)
    return softmax(power * log_weights)
