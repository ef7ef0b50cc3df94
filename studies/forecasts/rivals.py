"""Rivals from the literature: a maximum-likelihood law of the questions, with each question's posterior.

4 answers a question  ->  vote of 64:  beta + Pitman–Yor 0.71, NPMLE 0.69

beta + Pitman–Yor   p ~ Beta(a, b); wrong answers agree as in a Pitman–Yor process (1997, Ann. Prob. 25)
NPMLE               the atoms or rates that make the answers likeliest (Kiefer & Wolfowitz 1956)
zero-inflated beta  best-of-N: a share of the questions is never right (Verine et al. 2026)
scaled beta         best-of-N: p = c · Beta(a, b) (Schaeffer et al. 2025, arXiv 2502.17578)

beta-binomial       best-of-N: p ~ Beta(a, b), averaged over its posterior (Levi 2024, arXiv 2410.16377)
joint               the paper's surface through all settings and N of the curves (`joint.py`)
plug-in             each question's own frequencies (`plug_in.py`)
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.optimize import minimize
from scipy.special import betainc, expit, gammaln
from scipy.stats import binom
from scipy.stats import t as student

from predict.answers.atoms import P, log_likelihood, patterns, relative
from predict.answers.best_of_n import BETA, fit_rates
from predict.answers.mixture import accuracy_by_atom, from_answers
from predict.answers.unread import Unread
from predict.curves.intervals import CurveForecast, on_curves
from predict.estimate import Estimate, Estimator, Options, Status
from predict.estimators import ESTIMATORS, estimate
from predict.evidence.points import Evidence, Floats, Ints, Points, renumbered
from results.normal import Interval
from results.votes.exact import AnswerPools, VoteCounts
from studies.forecasts.beta_binomial import fit_beta
from studies.forecasts.joint import joint
from studies.forecasts.plug_in import plug_in

Means = Callable[[VoteCounts, Ints], Floats]
"""(the answers of one setting, N (M,)) -> accuracy (M,)."""

EDGES = np.concatenate([[0.0], expit(np.linspace(-12, 12, 400)), [1.0]])
RATES = np.concatenate([[0.0], (EDGES[1:] + EDGES[:-1]) / 2])
"""0, and the midpoints of cells equally spaced in logit p."""

DRAWS, STICKS = 20_000, 48
"""Simulated votes at each N, over all questions; and new wrong answers with individual probabilities."""


COPIES = 12
"""The number of bootstrap samples for an interval."""


def predictor(means: Means) -> Estimator:
    """`means` as an estimator of sampled settings; its intervals are bootstrapped.

    The answers to each question are resampled with replacement, and the law is refitted; the forecasts from
    `COPIES` such samples give the standard error, and Student's law the interval for these questions. There
    are no intervals for new questions.
    """

    def predict(observed: Evidence, targets: Points, options: Options) -> Estimate:
        mean, sd = np.full(len(targets), np.nan), np.full(len(targets), np.nan)
        rng = np.random.default_rng(options.seed)
        for pool in observed.pools:
            here = targets.setting == pool.setting
            if here.any():
                N = targets.N[here]
                mean[here] = means(pool.answers.counts(), N)
                copies = [means(resampled(pool.answers, rng).counts(), N) for _ in range(COPIES)]
                sd[here] = np.std(copies, axis=0, ddof=1)
        reach = student.ppf((1 + options.level) / 2, COPIES - 1) * sd
        these = Interval(np.clip(mean - reach, 0, 1), np.clip(mean + reach, 0, 1), options.level)
        nothing = np.full(len(targets), np.nan)
        status = np.full(len(targets), str(Status.OK))
        return Estimate(mean, these, Interval(nothing, nothing, options.level), status, nothing)

    return predict


def resampled(answers: AnswerPools, rng: np.random.Generator) -> AnswerPools:
    """Each question's answers, resampled with replacement."""
    question = answers.question
    drawn = answers.starts[question] + (rng.random(len(question)) * answers.sizes[question]).astype(np.int64)
    return replace(answers, votes=renumbered(question, answers.votes[drawn]), tokens=answers.tokens[drawn])


def npmle(likelihood: Floats, times: Floats, steps: int = 400) -> Floats:
    """Weights (K,) that maximise Σ times · log(likelihood @ weights), by EM from equal ones."""
    weights = np.full(likelihood.shape[1], 1 / likelihood.shape[1])
    for _ in range(steps):
        weights = weights * ((times / (likelihood @ weights)) @ likelihood) / times.sum()
    return weights


def votes_npmle(counts: VoteCounts, N: Ints) -> Floats:
    """The vote with the plain maximum-likelihood weights of the mixture's atoms."""
    seen = patterns(counts)
    likelihood = relative(log_likelihood(seen))
    mass = likelihood * npmle(likelihood, seen.times.astype(float))
    mass = (mass / mass.sum(axis=1, keepdims=True))[seen.pattern]
    unread = None
    if counts.nulls.any():
        a, b = fit_beta(counts.nulls, counts.pools)  # for any p
        unread = Unread(np.full(len(P), a), np.full(len(P), b))
    by_rate, which = accuracy_by_atom(counts, N, unread=unread)
    each = [mass[which == i] @ values for i, values in enumerate(by_rate)]
    return np.asarray(np.concatenate(each).mean(axis=0))


def zero_inflated(x: Floats) -> Floats:
    """Weights of RATES: a share logistic(x_2) at 0, the others Beta(e^x_0, e^x_1)."""
    share, (a, b) = expit(x[2]), np.exp(x[:2])
    return np.concatenate([[share], (1 - share) * np.diff(betainc(a, b, EDGES))])


def scaled(x: Floats) -> Floats:
    """Weights of RATES: c · Beta(e^x_0, e^x_1) with c = logistic(x_2)."""
    a, b = np.exp(x[:2])
    return np.concatenate([[0.0], np.diff(betainc(a, b, np.minimum(EDGES / expit(x[2]), 1.0)))])


def fit_law(law: Callable[[Floats], Floats], likelihood: Floats, times: Floats) -> Floats:
    """The weights of `law` under which the counts are likeliest: simplex search from three starts."""

    def loss(x: Floats) -> float:
        return -float(times @ np.log(np.maximum(likelihood @ law(np.clip(x, -9, 9)), 1e-300)))

    starts = [np.array([0.0, 0.0, third]) for third in (-4.0, 0.0, 4.0)]
    search: Any = {"maxiter": 4000, "maxfev": 4000, "xatol": 1e-5, "fatol": 1e-7}
    found = [minimize(loss, start, method="Nelder-Mead", options=search) for start in starts]
    return law(np.clip(min(found, key=lambda one: float(one.fun)).x, -9, 9))


def best_by(weights: Callable[[Floats, Floats], Floats]) -> Means:
    """Best-of-N by a law of p on RATES: `weights`(likelihood (U, K), times (U,)) -> (K,)."""

    def means(counts: VoteCounts, N: Ints) -> Floats:
        pairs, times = np.unique(np.stack([counts.correct, counts.pools]), axis=1, return_counts=True)
        likelihood = binom.pmf(pairs[0][:, None], pairs[1][:, None], RATES)
        mass = likelihood * weights(likelihood, times.astype(float))
        mass /= mass.sum(axis=1, keepdims=True)
        return np.asarray(times @ mass @ (1 - (1 - RATES[:, None]) ** N) / times.sum())

    return means


def fit_pitman_yor(counts: VoteCounts) -> tuple[float, float]:
    """(θ, d) under which the partitions of the wrong answers are likeliest (Pitman 1995, eq. 16)."""
    kinds = np.diff(counts.starts)
    m = counts.pools - counts.nulls - counts.correct
    more = np.array([(kinds > i).sum() for i in range(1, kinds.max(initial=0))])
    sizes, times = np.unique(counts.wrong, return_counts=True)

    def loss(x: Floats) -> float:
        theta, d = np.exp(np.clip(x[0], -5, 9)), 0.95 * expit(x[1])
        new = more @ np.log(theta + d * np.arange(1, len(more) + 1))
        old = times @ (gammaln(sizes - d) - gammaln(1 - d))
        drawn = (gammaln(theta + m) - gammaln(theta + 1))[m > 0].sum()
        return float(drawn - new - old)

    found = minimize(loss, [0.0, -1.0], method="Nelder-Mead").x
    return float(np.exp(np.clip(found[0], -5, 9))), float(0.95 * expit(found[1]))


def beta_pitman_yor(counts: VoteCounts, N: Ints) -> Floats:
    """The vote by fresh answers simulated from each question's posterior.

    After counts c_1 … c_k the shares of the wrong answers are Dirichlet(c_1 − d, …, c_k − d, θ + kd), the
    last of them split by a new Pitman–Yor process (θ + kd, d) (Pitman 1996, Corollary 20). Answers beyond its
    `STICKS` largest are all different.
    """
    rng = np.random.default_rng(0)
    theta, d = fit_pitman_yor(counts)
    kinds, cast = np.diff(counts.starts), counts.pools - counts.nulls
    Q = len(kinds)
    seen = np.zeros((Q, int(kinds.max(initial=0))))
    row = np.repeat(np.arange(Q), kinds)
    seen[row, np.arange(len(row)) - counts.starts[row]] = counts.wrong
    q = np.repeat(np.arange(Q), DRAWS // Q + 1)
    a, b = fit_beta(counts.correct, cast)
    p = rng.beta(a + counts.correct[q], b + (cast - counts.correct)[q])[:, None]
    a, b = fit_beta(counts.nulls, counts.pools)
    blank = rng.beta(a + counts.nulls[q], b + (counts.pools - counts.nulls)[q])[:, None]
    rest = (theta + d * kinds)[q, None]
    known, new = rng.gamma(np.maximum(seen - d, 0.0)[q]), np.maximum(rng.gamma(rest), 1e-300)
    broken = rng.beta(1 - d, rest + d * np.arange(1, STICKS + 1))
    left = np.cumprod(1 - broken, axis=1)
    sticks = broken * np.concatenate([np.ones_like(p), left[:, :-1]], axis=1)
    shares = np.concatenate([known, new * sticks, new * left[:, -1:]], axis=1)
    wrong = (1 - p) * shares / shares.sum(axis=1, keepdims=True)
    chances = np.concatenate([(1 - blank) * p, (1 - blank) * wrong, blank], axis=1)
    chances /= chances.sum(axis=1, keepdims=True)
    return np.array([_vote(rng.multinomial(int(n), chances)) for n in N])


def _vote(drawn: Ints) -> float:
    """Mean credit of the right answer, column 0; the last but one are all different, the last no vote."""
    right, named, different = drawn[:, 0], drawn[:, 1:-2], drawn[:, -2]
    top = np.maximum(named.max(axis=1), different > 0)
    tied = (named == right[:, None]).sum(axis=1) + different * (right == 1)
    return float((((right >= top) & (right > 0)) / (1 + tied)).mean())


def beta_binomial(observed: Evidence, targets: Points, options: Options) -> Estimate:
    """Best-of-N from samples where p ~ Beta(a, b) over questions, averaged over the posterior of (a, b)."""
    fits = [fit_rates(pool.answers.counts(), families=(BETA,)) for pool in observed.pools]
    return from_answers(observed, targets, options, fits)


def counted(points: Points) -> Points:
    """The points with each even N as the odd one below it.

    With ties shared and two possible answers, one vote more than an odd number does not change the accuracy.
    From N = 1 to 2 that always holds. An exponential cannot follow such steps.
    """
    return replace(points, N=points.N - (points.N % 2 == 0))


def joint_of_odd(evidence: Evidence, targets: Points, options: Options) -> Estimate:
    """`joint`, for which an even N of a vote counts as the odd one below it."""

    def of_odd(points: Points, curves: Floats, at: Points) -> CurveForecast:
        return joint(counted(points), curves, counted(at))

    model = of_odd if evidence.method == "majority" else joint
    return on_curves(model)(evidence, targets, options)


JOINT = {"joint": joint_of_odd}
"""The rivals that use only curves."""

SIMPLE = {**JOINT, "plug-in": plug_in, "beta-binomial": beta_binomial}
"""Rivals that have a status, and are checked like the product's own predictors."""


def checked(name: str) -> Estimator:
    """The simple rival of that name, as `predict.estimators.estimate` calls one."""

    def predict(observed: Evidence, targets: Points, options: Options) -> Estimate:
        with patch.dict(ESTIMATORS, SIMPLE):
            return estimate(name, observed, targets, options)

    return predict


RIVALS: dict[str, dict[str, Estimator]] = {
    "majority": {
        "joint": checked("joint"),
        "plug-in": checked("plug-in"),
        "beta + Pitman–Yor": predictor(beta_pitman_yor),
        "NPMLE": predictor(votes_npmle),
    },
    "best_of_n": {
        "joint": checked("joint"),
        "beta-binomial": checked("beta-binomial"),
        "plug-in": checked("plug-in"),
        "zero-inflated beta": predictor(best_by(lambda seen, times: fit_law(zero_inflated, seen, times))),
        "scaled beta": predictor(best_by(lambda seen, times: fit_law(scaled, seen, times))),
        "NPMLE": predictor(best_by(npmle)),
    },
}
