"""Best-of-N from a beta law of the questions' success rates: the beta-binomial model, by maximum likelihood.

    successes 0 1 4 2 of 4 answers   ->   p ~ Beta(0.7, 0.9),  best of 16: 0.91

A question's right answers are Binomial(n, p) with p ~ Beta(a, b) over questions. Given s of n right, the
posterior is Beta(a + s, b + n − s), and the chance that N answers are all wrong is a ratio of beta
functions:

    P(best of N right | s) = 1 − B(a + s, b + n − s + N) / B(a + s, b + n − s)

Where other (a, b) that fit the counts as well go elsewhere at N, the forecast is not pinned down (`reach`).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import betaln

from predict.curves.alarm import LIKELY, loose
from predict.protocol import Floats, Ints, Observed, Options, Points, Prediction, Status, finished

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
    """Maximum likelihood of Beta(a, b) for counts (Q,); a and b are kept within e^±9."""
    pairs, times = np.unique(np.stack([successes, trials]), axis=1, return_counts=True)
    s, n = pairs.astype(float)

    def loss(log_ab: Floats) -> float:
        a, b = np.exp(log_ab)
        return -float(times @ (betaln(a + s, b + n - s) - betaln(a, b)))

    share = np.clip(successes.sum() / trials.sum(), 0.01, 0.99)
    starts = [np.log([share * k, (1 - share) * k]) for k in (0.3, 2.0, 20.0)]
    found = min(
        (minimize(loss, x, method="L-BFGS-B", bounds=[_LOG_BOUNDS] * 2) for x in starts), key=lambda r: r.fun
    )
    x = np.asarray(found.x)
    return BetaFit(float(np.exp(x[0])), float(np.exp(x[1])), _inverse_curvature(loss, x))


def best_of_n_given(fit: BetaFit, successes: Ints, trials: Ints, N: Ints) -> Floats:
    """Chance that the best of N fresh answers is right for each question and N: shape (Q, len(N))."""
    a = fit.a + successes[:, None]
    b = fit.b + (trials - successes)[:, None]
    return np.asarray(1 - np.exp(betaln(a, b + N[None, :]) - betaln(a, b)))


def rates(fit: BetaFit, successes: Ints, trials: Ints) -> Floats:
    """Posterior mean success rate of each question, shape (Q,)."""
    return np.asarray((fit.a + successes) / (fit.a + fit.b + trials))


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
    a, b = a[alike] + s, b[alike] + n - s
    values = [1 - np.exp(betaln(a, b + m) - betaln(a, b)) @ times / times.sum() for m in N]
    return np.asarray([np.abs(value - value[0]).max() for value in values])


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
    return finished(mean, np.clip(draws, 0.0, 1.0), status, condition, options.level)


def parameter_draws(fit: BetaFit, s: Ints, n: Ints, N: Ints, R: int, rng: np.random.Generator) -> Floats:
    """Mean over questions of best-of-N with (a, b) drawn from their Laplace posterior: (R, len(N))."""
    draws = np.empty((R, len(N)))
    root = np.linalg.cholesky(fit.covariance)
    pairs, times = np.unique(np.stack([s, n]), axis=1, return_counts=True)
    for r in range(R):
        a, b = np.exp(np.clip(np.log([fit.a, fit.b]) + root @ rng.standard_normal(2), *_LOG_BOUNDS))
        each = best_of_n_given(BetaFit(float(a), float(b), fit.covariance), pairs[0], pairs[1], N)
        draws[r] = times @ each / times.sum()
    return draws


def _draws(fit: BetaFit, s: Ints, n: Ints, N: Ints, options: Options, rng: np.random.Generator) -> Floats:
    """Draws of the parameters, with the noise of a finite set of questions or of their answers."""
    each = best_of_n_given(fit, s, n, N)
    mean = each.mean(axis=0)
    spread = (each * (1 - each)).mean(axis=0) if options.target == "these-questions" else mean * (1 - mean)
    noise = np.sqrt(spread / len(s))
    R = options.replicates
    return np.asarray(parameter_draws(fit, s, n, N, R, rng) + noise * rng.standard_normal((R, 1)))


def _inverse_curvature(loss: Callable[[Floats], float], x: Floats) -> Floats:
    """The inverse Hessian of `loss` at x by central differences, its eigenvalues kept within [1e-6, 4]."""
    step, size = 1e-3, len(x)
    hessian = np.empty((size, size))
    unit = step * np.eye(size)
    for i in range(size):
        for j in range(size):
            corners = [loss(x + p * unit[i] + q * unit[j]) * p * q for p in (1, -1) for q in (1, -1)]
            hessian[i, j] = sum(corners) / (4 * step**2)
    values, vectors = np.linalg.eigh((hessian + hessian.T) / 2)
    return np.asarray((vectors / np.clip(values, 0.25, 1e6)) @ vectors.T)
