"""Our forecaster: each question's posterior over answer distributions, with a prior learnt from them all.

    1,319 questions × 8 answers   ->   vote at N = 64: 0.83, 90 % 0.81 … 0.85

The forecast at N is the mean over questions of  Σ_k P(atom k | counts of q) · f_N(k),  f_N exact, averaged
over all fits of `mixture_fit`. A vote curve is thereby a mixture of very different curves, which no single
exponential is. Unreadable answers: each question has its own rate, shrunk by a beta-binomial, and the
number of votes cast among N answers is binomial. Best-of-N is averaged with the beta-binomial's forecast,
whose errors differ. Where a question was sampled at several settings, its posterior at one of them also knows
its answers at the others (`shared_difficulty`).

The interval holds the draw of a fit and of its α (split normal; from the setting's own answers), the spread
of each question's posterior, what the model is allowed to be off far from the data, the luck of the pool that
the forecast will be compared with, and, for the target "population", the draw of the questions.

Settings without answers follow from the forecasts at those with answers, by the law along T of
`length_law`.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.stats import binom

from predict.length.settings import from_curves, other_settings
from predict.protocol import Floats, Ints, Observed, Options, Points, Pool, Prediction, Status, finished
from predict.questions.best_of_n import best_table
from predict.questions.beta_binomial import best_of_n_given, fit_beta, parameter_draws, rates
from predict.questions.population import Population, fit_rates, fit_votes, share_between
from predict.questions.votes import vote_table, votes_cast
from results.votes.exact import VoteCounts

PARAMETER_DRAWS = 200

FAR = 2.0
"""Standard errors that make a poor fit. The fit has seen these very answers, so one that describes them
misses them by much less than their noise (`tests/predict/curves/test_alarm_end_to_end.py`)."""

MODEL_ERROR = 0.004
"""What the model is allowed to be off at an accuracy of ½, for each factor e in N beyond the answers seen."""


def mixture(observed: Observed, targets: Points, options: Options) -> Prediction:
    """Forecasts from samples at every target; from curves alone `from_curves`, with a note saying so."""
    if not observed.pools:
        return from_curves(observed, targets, options)
    M = len(targets)
    mean, draws = np.full(M, np.nan), np.full((options.replicates, M), np.nan)
    status = np.full(M, str(Status.NOT_IDENTIFIABLE), dtype="<U20")
    options = replace(options, pool=options.pool or int(targets.N.max()))
    sampled = [pool.setting for pool in observed.pools]
    beyond = ~np.isin(targets.setting, sampled)
    grid = np.unique(targets.N)
    carried: list[tuple[Pool, Floats, Floats]] = []
    populations = fit_settings(observed.pools, observed.method)
    for i, (pool, population) in enumerate(zip(observed.pools, populations, strict=True)):
        here = np.flatnonzero(targets.setting == pool.setting)
        N = grid if beyond.any() else np.unique(targets.N[here])
        if not len(N):
            continue
        seeded = replace(options, seed=options.seed + i)
        means, drawn = forecast_pool(pool, population, observed.method, N, seeded)
        column = np.searchsorted(N, targets.N[here])
        mean[here], draws[:, here] = means[column], drawn[:, column]
        status[here] = _check(observed, pool, population)
        carried.append((pool, means, drawn))
    condition = np.where(np.isnan(mean), np.inf, np.nan)  # no system is solved for a sampled setting
    if beyond.any():
        at = np.flatnonzero(beyond)
        along = other_settings(carried, grid, _at(targets, at), observed.method, options)
        mean[at], status[at], condition[at] = along[0], along[1], along[2]
        if options.replicates:
            draws[:, at] = along[3]
    return finished(mean, np.clip(draws, 0.0, 1.0), status, condition, options.level)


def fit_settings(pools: Sequence[Pool], method: str) -> list[Population]:
    """The population of each setting, its questions leaning as their answers at the other settings say."""
    fit = fit_rates if method == "best_of_n" else fit_votes
    alone = [fit(pool.answers.counts()) for pool in pools]
    return share_between(alone, [pool.answers.question_ids for pool in pools])


def forecast_pool(
    pool: Pool, population: Population, method: str, N: Ints, options: Options
) -> tuple[Floats, Floats]:
    """Forecasts of one observed setting at `N` (M,): means (M,) and draws (R, M)."""
    counts = pool.answers.counts()
    rng = np.random.default_rng(options.seed)
    R = options.replicates
    if method == "best_of_n":
        values = np.stack([best_table(int(n)) for n in N], axis=1)
        each, square = population.moments(values)
        beta = fit_beta(counts.correct, counts.pools)
        other = best_of_n_given(beta, counts.correct, counts.pools, N).mean(axis=0)
        mean = (each.mean(axis=0) + other) / 2
    else:
        each, square, values = _with_nulls(population, counts, N)
        mean = each.mean(axis=0)
    if not R:
        return mean, np.empty((0, len(N)))
    drawn = population.parameter_draws(values, min(PARAMETER_DRAWS, R), rng)
    drawn = drawn[rng.integers(len(drawn), size=R)]
    variance = _variance(each, square, counts.pools, N, options) / len(counts.correct)
    if method == "best_of_n":  # the truth may lie between the two models, or as far beyond either
        share = rng.uniform(-1.0, 2.0, (R, 1))
        others = parameter_draws(beta, counts.correct, counts.pools, N, R, rng)
        drawn = np.clip(share * drawn + (1 - share) * others, 0.0, 1.0)
    else:
        drawn += mean - drawn.mean(axis=0)
        beyond = np.log(np.maximum(N / counts.pools.min(), 1.0))
        variance += (MODEL_ERROR * beyond) ** 2 * 4 * mean * (1 - mean)
    return mean, drawn + np.sqrt(variance) * rng.standard_normal((R, 1))


def _variance(each: Floats, square: Floats, seen: Ints, N: Ints, options: Options) -> Floats:
    """Variance of one question's part in the forecast error, averaged over questions: shape (M,).

    A question's true vote accuracy f has posterior mean `each` and mean square `square` (Q, M). The accuracy
    measured later on a pool of M answers scatters about f: two subsets of N out of M share N²/M answers, so
    their margins correlate by N/M and, near a tie, their votes by 2/π · arcsin(N/M) (Sheppard). Of that the
    answers already seen are known.
    """
    posterior = np.maximum(square - each**2, 0.0)
    if options.target == "population":
        return np.asarray(posterior.mean(axis=0) + each.var(axis=0))
    pool = max(options.pool or 0, int(N.max()), int(seen.max()))
    unseen = 1 - np.minimum(seen, pool)[:, None] / pool
    shared = 2 / np.pi * np.arcsin(np.minimum(N / pool, 1.0))
    luck = (each - square) * shared * unseen
    return np.asarray((posterior + luck).mean(axis=0))


def _with_nulls(population: Population, counts: VoteCounts, N: Ints) -> tuple[Floats, Floats, Floats]:
    """Posterior mean and mean square of the vote accuracy, (Q, M) each, and its values by atom (K, M)."""
    if not counts.nulls.any():
        values = np.stack([vote_table(int(n)) for n in N], axis=1)
        return *population.moments(values), values
    fit = fit_beta(counts.nulls, counts.pools)
    blank = rates(fit, counts.nulls, counts.pools)
    each, square = np.empty((len(blank), len(N))), np.empty((len(blank), len(N)))
    values = np.empty((len(vote_table(1)), len(N)))
    for j, n in enumerate(N):
        tables, spread = votes_cast(int(n))
        chance = np.asarray(binom.pmf(np.arange(n + 1)[None, :], n, 1 - blank[:, None])) @ spread
        mean, mean_square = population.moments(tables)
        each[:, j], square[:, j] = (chance * mean).sum(axis=1), (chance * mean_square).sum(axis=1)
        values[:, j] = tables @ chance.mean(axis=0)
    return each, square, values


def _check(observed: Observed, pool: Pool, population: Population) -> Status:
    """poor_fit where the population implies an accuracy (of one answer, or all) far from the observed one,
    bound_hit where there is only one answer a question."""
    if pool.answers.sizes.max() < 2:
        return Status.BOUND_HIT  # one answer a question says nothing of how questions differ
    if observed.method == "majority" and pool.answers.counts().nulls.any():
        return Status.OK  # the population describes the votes that were cast, the observed curve all answers
    table = vote_table if observed.method == "majority" else best_table
    here = np.flatnonzero(observed.points.setting == pool.setting)
    for i in (here[0], here[-1]):
        implied = population.prior() @ table(int(observed.points.N[i]))
        noise = np.fmax(observed.stderr[i], 0.5 / len(pool.answers.question_ids))
        if abs(observed.accuracy[i] - implied) > FAR * noise:
            return Status.POOR_FIT
    return Status.OK


def _at(points: Points, index: np.ndarray) -> Points:
    return Points(points.setting[index], points.T[index], points.N[index])
