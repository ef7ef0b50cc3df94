"""The beta-binomial model: successes are Binomial(n, p) with p ~ Beta(a, b) over questions.

successes 0 1 4 2 of 4 answers   ->   p ~ Beta(0.7, 0.9)
"""

import numpy as np
from scipy.optimize import minimize
from scipy.special import betaln, digamma

from predict.evidence.points import Floats, Ints


def fit_beta(successes: Ints, trials: Ints) -> tuple[float, float]:
    """Maximum likelihood of (a, b) for counts (Q,); both are kept within e^±9."""
    pairs, times = np.unique(np.stack([successes, trials]), axis=1, return_counts=True)
    s, n = pairs.astype(float)

    def loss(x: Floats) -> tuple[float, Floats]:
        a, b = np.exp(x)
        value = (betaln(a + s, b + n - s) - betaln(a, b)) @ times
        both = digamma(a + b + n) - digamma(a + b)
        slopes = digamma(a + s) - digamma(a) - both, digamma(b + n - s) - digamma(b) - both
        return -float(value), -np.exp(x) * (np.stack(slopes) @ times)

    share = np.clip(successes.sum() / trials.sum(), 0.01, 0.99)
    found = minimize(  # until rounding decides: a looser tolerance stops elsewhere on another machine
        loss, np.log([2 * share, 2 * (1 - share)]), jac=True, method="L-BFGS-B",
        bounds=[(-9.0, 9.0)] * 2, options={"ftol": 0.0, "gtol": 1e-9, "maxiter": 1000},
    )  # fmt: skip
    a, b = np.exp(found.x)
    return float(a), float(b)
