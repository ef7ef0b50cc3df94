"""Best-of-N from a beta law of the questions' success rates: the beta-binomial model, by maximum likelihood.

    successes 0 1 4 2 of 4 answers   ->   p ~ Beta(0.7, 0.9),  best of 16: 0.91

A question's right answers are Binomial(n, p) with p ~ Beta(a, b) over questions. Given s of n right, the
posterior is Beta(a + s, b + n − s), and the chance that N answers are all wrong is a ratio of beta
functions:

    P(best of N right | s) = 1 − B(a + s, b + n − s + N) / B(a + s, b + n − s)

Where other (a, b) that fit the counts as well go elsewhere at N, the forecast is not pinned down (`reach`).
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import betaln, polygamma

from predict.curves.alarm import LIKELY, loose
from predict.protocol import Floats, Ints, Observed, Options, Points, Prediction, Status, with_interval

_LOG_BOUNDS = (-9.0, 9.0)

_RAYS = np.linspace(0, 2 * np.pi, 72, endpoint=False)
_RADII = np.geomspace(0.2, 20.0, 48)
"""Where `reach` looks, in standard deviations of (log a, log b): each radius is a tenth beyond the last."""


@dataclass(frozen=True)
class BetaFit:
    """Beta(a, b) and the covariance of (log a, log b)."""

    a: float
    b: float
    covariance: Floats


def fit_beta(successes: Ints, trials: Ints) -> BetaFit:
    """Maximum likelihood of Beta(a, b) for counts (Q,); a and b are kept within e^±9.

    The covariance is the inverse Hessian of minus the log-likelihood, its eigenvalues kept within [1e-6, 4].
    """
    pairs, times = np.unique(np.stack([successes, trials]), axis=1, return_counts=True)
    s, n = pairs.astype(float)

    def loss(x: Floats) -> tuple[float, Floats]:
        a, b = np.exp(x)
        own, both = _derivatives(1, a, b, s, n, times)
        value = (betaln(a + s, b + n - s) - betaln(a, b)) @ times
        return -float(value), np.asarray(-np.exp(x) * (own + both))

    share = np.clip(successes.sum() / trials.sum(), 0.01, 0.99)
    found = minimize(  # until rounding decides: a looser tolerance stops elsewhere on another machine
        loss, np.log([2 * share, 2 * (1 - share)]), jac=True, method="L-BFGS-B",
        bounds=[_LOG_BOUNDS] * 2, options={"ftol": 0.0, "gtol": 1e-9, "maxiter": 1000},
    )  # fmt: skip
    a, b = np.exp(found.x)
    own, both = _derivatives(2, a, b, s, n, times)
    hessian = np.diag(loss(found.x)[1]) - np.outer([a, b], [a, b]) * (np.diag(own) + both)
    values, vectors = np.linalg.eigh(hessian)
    return BetaFit(float(a), float(b), np.asarray((vectors / np.clip(values, 0.25, 1e6)) @ vectors.T))


def _derivatives(order: int, a: float, b: float, s: Floats, n: Floats, times: Ints) -> tuple[Floats, float]:
    """Derivatives of the log-likelihood: its part in a alone and in b alone, (2,), and its part in a + b."""
    own = np.stack([_log_gamma_derivative(order, a, s), _log_gamma_derivative(order, b, n - s)]) @ times
    return np.asarray(own), -float(_log_gamma_derivative(order, a + b, n) @ times)


def _log_gamma_derivative(order: int, x: float, more: Floats) -> Floats:
    """The derivative of that order of log Γ(x + more) − log Γ(x)."""
    return np.asarray(polygamma(order - 1, x + more) - polygamma(order - 1, x))


def best_of_n_given(fit: BetaFit, successes: Ints, trials: Ints, N: Ints) -> Floats:
    """Chance that the best of N fresh answers is right for each question and N: shape (Q, len(N))."""
    a = fit.a + successes[:, None]
    b = fit.b + (trials - successes)[:, None]
    return np.asarray(1 - np.exp(betaln(a, b + N[None, :]) - betaln(a, b)))


def reach(fit: BetaFit, successes: Ints, trials: Ints, N: Ints) -> Floats:
    """How far best-of-N under laws that fit the counts as well is from that of `fit`: shape (len(N),).

    As well: by a likelihood ratio of 90 %. The laws are looked for along rays from (log a, log b) of the fit
    to the limits of both.
    """
    pairs, times = np.unique(np.stack([successes, trials]), axis=1, return_counts=True)
    s, n = pairs.astype(float)
    circle = np.stack([np.cos(_RAYS), np.sin(_RAYS)])
    away = (np.linalg.cholesky(fit.covariance) @ circle)[:, :, None] * _RADII
    centre = np.log([fit.a, fit.b])
    a, b = np.exp(np.clip(np.c_[centre, centre[:, None] + away.reshape(2, -1)], *_LOG_BOUNDS))[..., None]
    log_likelihood = (betaln(a + s, b + n - s) - betaln(a, b)) @ times
    alike = log_likelihood >= log_likelihood.max() - LIKELY / 2
    alike[0] = True  # the fit itself
    values = _mean_best_of_n(a[alike] + s, b[alike] + n - s, times / times.sum(), N)
    return np.asarray(np.abs(values - values[0]).max(axis=0))


def beta_binomial(observed: Observed, targets: Points, options: Options) -> Prediction:
    """Best-of-N at observed settings, from samples; not_identifiable for anything else."""
    M = len(targets)
    mean, condition = np.full(M, np.nan), np.full(M, np.inf)
    status = np.full(M, str(Status.NOT_IDENTIFIABLE))
    draws = np.full((options.replicates, M), np.nan)
    rng = np.random.default_rng(options.seed)
    for pool in observed.pools if observed.method == "best_of_n" else ():
        here = np.flatnonzero(targets.setting == pool.setting)
        if not len(here):
            continue
        counts = pool.answers.counts()
        fit = fit_beta(counts.correct, counts.pools)
        each = best_of_n_given(fit, counts.correct, counts.pools, targets.N[here])
        mean[here] = each.mean(axis=0)
        status[here] = loose(reach(fit, counts.correct, counts.pools, targets.N[here]))
        condition[here] = np.linalg.cond(fit.covariance)
        draws[:, here] = _draws(fit, counts.correct, counts.pools, targets.N[here], options, rng)
    return with_interval(mean, np.clip(draws, 0.0, 1.0), status, condition, options.level)


def parameter_draws(fit: BetaFit, s: Ints, n: Ints, N: Ints, R: int, rng: np.random.Generator) -> Floats:
    """Mean over questions of best-of-N with (a, b) drawn from their Laplace posterior: (R, len(N))."""
    pairs, times = np.unique(np.stack([s, n]), axis=1, return_counts=True)
    axes = np.linalg.cholesky(fit.covariance)
    drawn = np.log([fit.a, fit.b]) + rng.standard_normal((R, 2)) @ axes.T
    a, b = np.exp(np.clip(drawn, *_LOG_BOUNDS)).T[..., None]
    return _mean_best_of_n(a + pairs[0], b + pairs[1] - pairs[0], times / times.sum(), N)


def _mean_best_of_n(a: Floats, b: Floats, shares: Floats, N: Ints) -> Floats:
    """1 − B(a, b + N) / B(a, b) for posteriors (R, U), averaged with `shares` (U,): shape (R, len(N))."""
    ratio = [np.exp(betaln(a, b + m) - betaln(a, b)) @ shares for m in N]
    return np.asarray(1 - np.stack(ratio, axis=1))


def _draws(fit: BetaFit, s: Ints, n: Ints, N: Ints, options: Options, rng: np.random.Generator) -> Floats:
    """Draws of the parameters, with the noise of a finite set of questions or of their answers."""
    each = best_of_n_given(fit, s, n, N)
    mean = each.mean(axis=0)
    spread = (each * (1 - each)).mean(axis=0) if options.target == "these-questions" else mean * (1 - mean)
    noise = np.sqrt(spread / len(s))
    R = options.replicates
    return np.asarray(parameter_draws(fit, s, n, N, R, rng) + noise * rng.standard_normal((R, 1)))
