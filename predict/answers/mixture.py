"""Our forecaster: each question's posterior over answer distributions, the prior learnt from all questions.

    1,319 questions × 8 answers   ->   vote at N = 64: 0.83, 90 % 0.81 … 0.85

The forecast at N is the mean over questions of  Σ_k P(atom k | counts of q) · f_N(k),  where f_N(k) is the
accuracy of the vote of N answers from atom k (`population`, `atom_votes`). So a vote curve is a mixture of
very different curves, which no single exponential is. Each question has its own rate of unreadable answers,
and the number of votes cast among N answers is beta-binomial: some questions are hardly ever answered. A
question's posterior at one setting also uses its answers at the other settings (`shared_difficulty`).
Of best-of-N only the chance of a right answer matters, and its law over questions (`best_of_n`).

The interval holds what the answers leave open of the population's law (drawn) and of each question's place
in it, and the luck of the pool that the forecast is compared with; for the target "population" also the draw
of questions. Where the law alone leaves more than `LOOSE` open, the forecast is not pinned down.

Settings without answers are forecast from those with answers by the law along T (`curves.new_settings`).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.stats import betabinom

from predict.answers.atom_votes import vote_table, votes_cast
from predict.answers.best_of_n import best_of_n_by_rate, fit_rates
from predict.answers.beta_binomial import fit_beta
from predict.answers.from_curve import from_curves
from predict.answers.population import Population, fit_population, share_between
from predict.curves.alarm import ENOUGH, loose
from predict.curves.new_settings import other_settings
from predict.estimate import Estimate, Options, Status, from_draws, more_severe
from predict.evidence.points import Evidence, Floats, Ints, Points, Pool
from results.normal import Z90
from results.votes.exact import VoteCounts

POOR_FIT = 2.0
"""Standard errors that make a poor fit. The fit has seen these very answers, so one that describes them
misses them by much less than their noise (`tests/predict/curves/test_alarm_end_to_end.py`)."""

FEWEST_VOTES = 2.0
"""With fewer readable answers a question than this, nothing is known of how questions differ."""


def mixture(observed: Evidence, targets: Points, options: Options) -> Estimate:
    """Forecasts from samples at every target; from curves alone `from_curves`, with a note saying so."""
    if not observed.pools:
        return from_curves(observed, targets, options)
    return from_answers(observed, targets, options, populations(observed))


def beta_binomial(observed: Evidence, targets: Points, options: Options) -> Estimate:
    """Best-of-N from samples where p ~ Beta(a, b) over questions, averaged over the posterior of (a, b)."""
    fits = [fit_rates(pool.answers.counts(), families=(2,)) for pool in observed.pools]
    return from_answers(observed, targets, options, fits)


def from_answers(
    observed: Evidence, targets: Points, options: Options, fitted: Sequence[Population]
) -> Estimate:
    """Forecasts from the population of each sampled setting, and along T from these."""
    M = len(targets)
    mean, draws = np.full(M, np.nan), np.full((2, options.replicates, M), np.nan)
    status = np.full(M, str(Status.NOT_IDENTIFIABLE), dtype="<U20")
    options = replace(options, pool=options.pool or int(targets.N.max()))
    beyond = np.flatnonzero(~np.isin(targets.setting, [pool.setting for pool in observed.pools]))
    grid = np.unique(targets.N)
    carried: list[tuple[Pool, Floats, Floats]] = []
    for i, (pool, population) in enumerate(zip(observed.pools, fitted, strict=True)):
        here = np.flatnonzero(targets.setting == pool.setting)
        N = grid if len(beyond) else np.unique(targets.N[here])
        if not len(N):
            continue
        seeded, counts = replace(options, seed=options.seed + i), pool.answers.counts()
        values, which = accuracy_by_atom(counts, N, observed.method)
        means, drawn, unsure = accuracies(population, values, which, counts.pools, N, seeded)
        column = np.searchsorted(N, targets.N[here])
        mean[here], draws[:, :, here] = means[column], drawn[:, :, column]
        status[here] = more_severe(loose(Z90 * unsure[column]), fit_status(observed, pool, population))
        carried.append((pool, means, drawn))
    if len(beyond):
        along = other_settings(carried, grid, targets[beyond], observed.method, options)
        mean[beyond], status[beyond], draws[:, :, beyond] = along
    these, new = np.clip(draws, 0.0, 1.0)
    return from_draws(mean, these, new, status, options.level)


def populations(observed: Evidence) -> list[Population]:
    """The population of each sampled setting; of votes, its questions lean as their other answers say."""
    counts = [pool.answers.counts() for pool in observed.pools]
    if observed.method == "best_of_n":
        return [fit_rates(one) for one in counts]
    names = [pool.answers.question_ids for pool in observed.pools]
    return share_between([fit_population(one) for one in counts], names)


def accuracies(
    population: Population, values: Floats, which: Ints, seen: Ints, N: Ints, options: Options
) -> tuple[Floats, Floats, Floats]:
    """Accuracy at one sampled setting for `N` (M,): means (M,), draws (2, R, M), and a sd (M,).

    The draws are those of these questions and of new ones. The sd is what the law alone leaves open.

    Arguments:
        values: accuracy at each N by atom, for each of B kinds of question: (B, K, M).
        which: the kind of each question, (Q,).
        seen: how many answers to each are known, (Q,).
    """
    rng = np.random.default_rng(options.seed)
    each, square = np.empty((2, len(which), len(N)))
    for i, of_kind in enumerate(values):
        rows = np.flatnonzero(which == i)
        each[rows], square[rows] = population.moments(of_kind, rows)
    mean = each.mean(axis=0)
    average = np.einsum("b,bkm->km", np.bincount(which) / len(which), values)
    drawn = population.parameter_draws(average, options.replicates, rng)
    drawn += mean - drawn.mean(axis=0) if len(drawn) else 0.0
    variances = np.stack(error_variance(each, square, seen, N, options))
    unsure = drawn.std(axis=0) if len(drawn) >= ENOUGH else np.zeros(len(N))
    luck = rng.standard_normal((len(drawn), 1))
    return mean, drawn + np.sqrt(variances)[:, None] * luck, unsure


def error_variance(
    each: Floats, square: Floats, seen: Ints, N: Ints, options: Options
) -> tuple[Floats, Floats]:
    """Variance of the forecast error for given weights, of these questions and of new ones, (M,) each.

    A question's true vote accuracy f has posterior mean `each` and mean square `square` (Q, M). The accuracy
    measured later on a pool of P answers scatters about f: two subsets of N out of P share N²/P answers, so
    their margins correlate by N/P and, near a tie, their votes by 2/π · arcsin(N/P) (Sheppard). Of that luck
    the answers already seen are known.
    """
    posterior = np.maximum(square - each**2, 0.0)
    new = (posterior.mean(axis=0) + each.var(axis=0)) / len(seen)
    pool = max(options.pool or 0, int(N.max()), int(seen.max()))
    unseen = 1 - np.minimum(seen, pool)[:, None] / pool
    shared = 2 / np.pi * np.arcsin(np.minimum(N / pool, 1.0))
    luck = (each - square) * shared * unseen
    return np.asarray((posterior + luck).mean(axis=0) / len(seen)), np.asarray(new)


def accuracy_by_atom(counts: VoteCounts, N: Ints, method: str = "majority") -> tuple[Floats, Ints]:
    """Accuracy at `N` (M,) by atom, for each of B rates of unreadable answers: (B, K, M).

    Also returns which rate each question has, (Q,): questions with as many of as many unreadable share one.
    For best-of-N an unreadable answer is a wrong one, and there is one rate.
    """
    alike = np.zeros(len(counts.pools), np.int64)
    if method == "best_of_n":
        return best_of_n_by_rate(N)[None], alike
    if not counts.nulls.any():
        return np.stack([vote_table(int(n)) for n in N], axis=1)[None], alike
    a, b = fit_beta(counts.nulls, counts.pools)
    pairs, which = np.unique(np.stack([counts.nulls, counts.pools]), axis=1, return_inverse=True)
    unread, read = (a + pairs[0])[:, None], (b + pairs[1] - pairs[0])[:, None]
    columns = []
    for n in N:
        tables, weights = votes_cast(int(n))
        cast = np.asarray(betabinom.pmf(np.arange(n + 1), n, read, unread))
        columns.append((tables @ weights.T @ cast.T).T)
    return np.stack(columns, axis=2), which.ravel()


def fit_status(observed: Evidence, pool: Pool, population: Population) -> Status:
    """poor_fit where the population implies an accuracy far from that observed at the largest N.

    The population is asked for as many votes as each question cast: how many answers are unreadable is no
    part of it. bound_hit with fewer than `FEWEST_VOTES`.
    """
    counts = pool.answers.counts()
    if (counts.pools - counts.nulls * (observed.method == "majority")).mean() < FEWEST_VOTES:
        return Status.BOUND_HIT
    last = np.flatnonzero(observed.points.setting == pool.setting)[-1]
    N = int(observed.points.N[last])
    if observed.method == "best_of_n":
        implied = float(population.fit.weights @ best_of_n_by_rate(np.array([N]))[:, 0])
    else:
        tables, weights = votes_cast(N)
        votes = np.rint(N * (1 - counts.nulls / counts.pools)).astype(np.int64)
        implied = float((weights[votes] @ (population.fit.weights @ tables)).mean())
    noise = np.fmax(observed.stderr[last], 0.5 / len(counts.pools))
    far = abs(observed.accuracy[last] - implied) > POOR_FIT * noise
    return Status.POOR_FIT if far else Status.OK
