"""The beta-binomial model: successes are Binomial(n, p) with p ~ Beta(a, b) over questions.

successes 0 1 4 2 of 4 answers   ->   p ~ Beta(0.7, 0.9)
"""

import numpy as np
from scipy.optimize import minimize
from scipy.special import betaln, digamma, polygamma

from predict.evidence.points import Floats, Ints

BOUND = 9.0
"""log a and log b lie between −9 and 9. Counts without overdispersion end at the bound."""

NEWTON_STEPS, CLOSE = 50, 1e-13
"""The maximum number of steps, and the step size that ends them."""


def fit_beta(successes: Ints, trials: Ints) -> tuple[float, float]:
    """Maximum likelihood of (a, b) for counts (Q,); both are kept within e^±9.

    A quasi-Newton search stops where rounding hides the remaining rise of the likelihood: along its ridge, at
    (660, 6,300) on one processor and at (850, 8,100) on another. Newton steps on the slopes, which are far
    less affected by rounding, continue from there.
    """
    pairs, times = np.unique(np.stack([successes, trials]), axis=1, return_counts=True)
    s, n = pairs.astype(float)

    def loss(x: Floats) -> tuple[float, Floats]:
        a, b = np.exp(x)
        value = (betaln(a + s, b + n - s) - betaln(a, b)) @ times
        return -float(value), -np.exp(x) * _slopes(a, b, s, n, times)

    share = np.clip(successes.sum() / trials.sum(), 0.01, 0.99)
    found = minimize(
        loss,
        np.log([2 * share, 2 * (1 - share)]),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-BOUND, BOUND)] * 2,
        options={"ftol": 0.0, "gtol": 1e-9, "maxiter": 1000},
    )
    x = found.x
    for _ in range(NEWTON_STEPS):
        step = _newton_step(x, s, n, times)
        x = np.clip(x + step, -BOUND, BOUND)
        if np.abs(step).max() < CLOSE:
            break
    a, b = np.exp(x)
    return float(a), float(b)


def _slopes(a: float, b: float, s: Floats, n: Floats, times: Ints) -> Floats:
    """The log-likelihood's slopes (2,) along a and b."""
    both = digamma(a + b + n) - digamma(a + b)
    return np.stack([digamma(a + s) - digamma(a) - both, digamma(b + n - s) - digamma(b) - both]) @ times


def _newton_step(x: Floats, s: Floats, n: Floats, times: Ints) -> Floats:
    """The step (2,) in (log a, log b), at most 1 in each; zero in one that would leave its bounds, and
    zero where the log-likelihood is not concave."""
    a, b = np.exp(x)
    slopes = np.exp(x) * _slopes(a, b, s, n, times)
    both = polygamma(1, a + b + n) - polygamma(1, a + b)
    along_a = (polygamma(1, a + s) - polygamma(1, a) - both) @ times
    along_b = (polygamma(1, b + n - s) - polygamma(1, b) - both) @ times
    across = -(both @ times)
    curve = np.array([[a * a * along_a, a * b * across], [a * b * across, b * b * along_b]]) + np.diag(slopes)
    free = (np.abs(x) < BOUND) | (np.sign(slopes) != np.sign(x))
    step = np.zeros(2)
    if free.any() and (np.linalg.eigvalsh(curve[np.ix_(free, free)]) < 0).all():
        step[free] = np.clip(-np.linalg.solve(curve[np.ix_(free, free)], slopes[free]), -1.0, 1.0)
    inside = np.clip(x + step, -BOUND, BOUND) - x
    return np.asarray(inside)
