"""Our forecaster: each question's posterior over answer distributions, the prior learnt from all questions.

    1,319 questions × 8 answers   ->   vote at N = 64: 0.83, 90 % 0.81 … 0.85

The forecast at N is the mean over questions of  Σ_k P(atom k | counts of q) · f_N(k),  where f_N(k) is the
accuracy of the vote of N answers from atom k (`population`, `atom_votes`). So a vote curve is a mixture of
very different curves, which no single exponential is. Each question has its own rate of unreadable answers,
and the number of votes cast among N answers is beta-binomial: some questions are hardly ever answered. A
question's posterior at one setting also uses its answers at the other settings (`shared_difficulty`).
Of best-of-N only the chance of a right answer matters, and its law over questions (`best_of_n`).

The interval of these questions holds what the answers leave open of the population's law
(drawn) and of each question's place in it, and the luck of the answers still to come in the
pool (`rest`); that of new questions holds their draw instead of the pool's luck. Both hold that
the law is not quite true (`COMMON_ERROR`).

Settings without answers are forecast from those with answers by the law along T
(`curves.law_along_t`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np
from scipy.special import ndtri
from scipy.stats import betabinom

from predict.answers.allowed import allowed
from predict.answers.atom_votes import vote_table, votes_cast
from predict.answers.atoms import P
from predict.answers.best_of_n import RATES, fit_rates
from predict.answers.population import Population, fit_population, learning_set, share_between
from predict.answers.rest import bests_of_pools, pool_sizes, votes_of_pools
from predict.answers.unread import Unread
from predict.curves.law_along_t import Carried, other_settings
from predict.estimate import Estimate, Options, Status, from_draws, more_severe
from predict.evidence.points import Evidence, Floats, Ints, Points, Pool
from results import BadInput
from results.normal import Interval
from results.votes.clusters import redrawn
from results.votes.exact import VoteCounts
from results.votes.multinomial import best_of_n_accuracy
from results.votes.unnamed import contents

POOR_FIT = 2.0
"""Standard errors that make a poor fit: one that describes the answers it has seen misses them by much less
(`tests/predict/answers/test_poor_fit.py`)."""

FEWEST_VOTES = 2.0
"""With fewer readable answers a question than this, nothing is known of how questions differ."""

OPEN = 0.08
"""Where the answers alone leave a range of accuracy so much wider than the draw of the questions, the prior
makes the forecast, and not they."""

IMAGINED, FEWEST = 2**15, 16
"""Completed questions in all, and at least of each one."""

COMMON_ERROR = 0.04
"""The law is not quite true, and off in many questions at once: errors of two are correlated by the square of
this. Without it 86 of 100 intervals of 90 % hold for best-of-N. From studies/forecasts/common_error.py,
families of models left out in turn: best-of-N wants 0.035; votes 0.015 or 0.05."""

SCATTER = 400
"""Draws that tell the scatter of a setting from which others are forecast."""


def mixture(observed: Evidence, targets: Points, options: Options) -> Estimate:
    """Forecasts from samples at every target."""
    if not observed.pools:
        raise BadInput("mixture: needs the answers to each question, not only curves: take default")
    return from_answers(observed, targets, options, populations(observed))


def from_answers(
    observed: Evidence, targets: Points, options: Options, fitted: Sequence[Population]
) -> Estimate:
    """Forecasts from the population of each sampled setting, and along T from these."""
    M = len(targets)
    mean, draws = np.full(M, np.nan), np.full((2, options.replicates, M), np.nan)
    status = np.full(M, str(Status.NOT_IDENTIFIABLE), dtype="<U20")
    beyond = np.flatnonzero(~np.isin(targets.setting, [pool.setting for pool in observed.pools]))
    grid = np.unique(targets.N)
    carried: list[Carried] = []
    ends = np.full((2, M), np.nan)
    for pool, population in zip(observed.pools, fitted, strict=True):
        here = np.flatnonzero(targets.setting == pool.setting)
        if len(here):
            N, column = np.unique(targets.N[here], return_inverse=True)
            drawn = accuracies(pool, population, N, pool.sizes, observed.method, options)
            mean[here], draws[:, :, here] = drawn.mean[column], drawn.draws[:, :, column]
            status[here] = fit_status(observed, pool, population)
            if options.allowed and observed.method == "majority":
                alone = _answers_alone(pool, population, N, options.level)
                ends[:, here] = alone[:2, column]
                wide = alone[2, column] > OPEN
                status[here] = more_severe(status[here], np.where(wide, Status.BOUND_HIT, Status.OK))
        if len(beyond):
            fresh = np.full(len(pool.sizes), np.inf)
            steady = replace(options, replicates=SCATTER)  # the forecast itself must not hang on how many
            drawn = accuracies(pool, population, grid, fresh, observed.method, steady)
            carried.append(Carried(pool, drawn.mean, *drawn.draws.var(axis=1)))
    if len(beyond):
        along = other_settings(carried, grid, targets[beyond], observed.method, options)
        mean[beyond], status[beyond], draws[:, :, beyond] = along
    these, new = np.clip(draws, 0.0, 1.0)
    allowed_ends = Interval(ends[0], ends[1], options.level) if options.allowed else None
    return replace(from_draws(mean, these, new, status, options.level), allowed=allowed_ends)


def _answers_alone(pool: Pool, population: Population, N: Ints, level: float) -> Floats:
    """What the answers alone allow of the vote of `N` (M,), as many of them read as of those seen: both ends,
    and by how much they are further apart than for as many answers as were seen, (3, M).

    NaN up to the answers seen, of which the vote is known: that is as wide as the draw of the
    questions.
    """
    answers = int(pool.answers.sizes.min())
    rows, times = learning_set(population.pattern)
    likelihood, unread = population.likelihood[rows], population.unread

    def ends(n: int) -> tuple[float, float]:
        vote = _partly_read(n, unread.unread, unread.read) if unread else vote_table(n)
        low, high = allowed(likelihood, times, vote, level)
        return round(low, 2), round(high, 2)  # the search is no more exact

    ends_of = np.full((3, len(N)), np.nan)
    if (answers < N).any():
        low, high = ends(answers)
        for i in np.flatnonzero(answers < N):
            ends_of[:2, i] = ends(int(N[i]))
        ends_of[2] = ends_of[1] - ends_of[0] - (high - low)
    return ends_of


def populations(observed: Evidence) -> list[Population]:
    """The population of each sampled setting; of votes, its questions lean as their other answers say."""
    answers = [pool.answers for pool in observed.pools]
    if observed.method == "best_of_n":
        return [fit_rates(one.counts()) for one in answers]
    return share_between([fit_population(one.counts()) for one in answers], answers)


@dataclass(frozen=True)
class Accuracies:
    """Accuracy at one setting at M values of N: mean (M,), and draws (2, R, M), of these questions and of new
    ones; scatter (M,), the mean variance of a question about its mean."""

    mean: Floats
    draws: Floats
    scatter: Floats


def accuracies(
    pool: Pool, population: Population, N: Ints, whole: Floats, method: str, options: Options
) -> Accuracies:
    """The accuracy at `N` (M,) of pools of `whole` (Q,) answers, those of `pool` among them.

    Every question is completed many times (`rest`). A draw takes a law of the population and,
    for each question, one of its completions with the weight that the law gives its atom.
    """
    counts, seed = pool.answers.counts(), [options.seed, crc32(b"".join(contents(pool.answers)))]
    Q, rng = len(counts.pools), np.random.default_rng(seed)
    mass = population.posterior()
    atom = drawn_atoms(mass, max(FEWEST, IMAGINED // Q), rng)
    values, which = accuracy_by_atom(counts, N, method, population.unread)
    fresh = values[which[:, None], atom]
    value = fresh.copy()
    sizes = pool_sizes(counts.pools, whole, N)
    ask = np.isfinite(sizes).all(axis=0)
    if ask.any():
        pools, draw = sizes[:, ask].astype(np.int64), int(rng.integers(2**31))
        if method == "majority":
            value[:, :, ask] = votes_of_pools(counts, N[ask], pools, atom, population.unread, draw)
        else:
            value[:, :, ask] = bests_of_pools(counts, N[ask], pools, atom, draw)
    exact = np.empty((Q, len(N)))
    for i, of_kind in enumerate(values):
        exact[which == i] = mass[which == i] @ of_kind
    # what the atoms drawn were off by is known, and is taken off
    mean = np.clip((value.mean(axis=1) - fresh.mean(axis=1) + exact).mean(axis=0), 0.0, 1.0)
    law = np.empty((options.replicates, len(N)))
    draws = np.empty((2, options.replicates, len(N)))
    for r, weights in enumerate(population.fit.draw_weights(options.replicates, rng)):
        chances = (weights / np.maximum(population.fit.weights, 1e-300))[atom]
        (anew,) = redrawn((1, Q), pool.answers.clusters, rng)
        law[r], draws[:, r] = _one_draw(chances, value, fresh, anew, rng)
    scatter = value.var(axis=1).mean(axis=0)
    if options.replicates:
        draws += mean - law.mean(axis=0)
        off = ndtri((rng.permutation(options.replicates) + 0.5) / options.replicates)
        draws += COMMON_ERROR * np.sqrt(scatter) * off[:, None]
    return Accuracies(mean, draws, scatter)


def drawn_atoms(mass: Floats, S: int, rng: np.random.Generator) -> Ints:
    """S atoms of each question from its posterior `mass` (Q, K), evenly spread over it: (Q, S)."""
    return drawn_at(mass, (np.arange(S) + rng.random((len(mass), 1))) / S)


def drawn_at(weights: Floats, u: Floats) -> Ints:
    """For each row of `weights` (Q, K) the indices that numbers `u` (Q, S) from 0 to 1 fall on, (Q, S)."""
    steps = np.cumsum(weights, axis=1)
    places = [np.searchsorted(row, at * row[-1], side="right") for row, at in zip(steps, u, strict=True)]
    return np.asarray(np.minimum(places, weights.shape[1] - 1), dtype=np.int64)


def _one_draw(
    chances: Floats, value: Floats, fresh: Floats, anew: Ints, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """From the weights (Q, S) of completions the mean (M,) of `value` (Q, S, M) over questions, and two draws
    of that mean (2, M): of the value of these questions, and of the `fresh` one of those drawn
    `anew`."""
    Q, S = chances.shape
    chances = np.where(chances.any(axis=1, keepdims=True), chances, 1.0)  # a law without any of its atoms
    total = chances.sum(axis=1, keepdims=True)
    mean = np.einsum("qs,qsm->m", chances / total, value) / Q
    steps = np.cumsum(chances / total, axis=1) + np.arange(Q)[:, None]  # rising through all questions
    picks = []
    for question in (np.arange(Q), anew):
        place = np.searchsorted(steps.ravel(), question + rng.random(Q))
        picks.append(np.clip(place - question * S, 0, S - 1))
    these = value[np.arange(Q), picks[0]].mean(axis=0)
    return mean, np.stack([these, fresh[anew, picks[1]].mean(axis=0)])


def accuracy_by_atom(
    counts: VoteCounts, N: Ints, method: str = "majority", unread: Unread | None = None
) -> tuple[Floats, Ints]:
    """Accuracy at `N` (M,) by atom, for each of B kinds of question, that differ in what could not be read:
    (B, K, M).

    Also returns which kind each question is, (Q,): those with as many of as many unreadable are
    one. For best-of-N an unreadable answer is a wrong one, and there is one kind.
    """
    alike = np.zeros(len(counts.pools), np.int64)
    if method == "best_of_n":
        return best_of_n_accuracy(RATES, N)[None], alike
    if unread is None:
        return np.stack([vote_table(int(n)) for n in N], axis=1)[None], alike
    pairs, which = np.unique(np.stack([counts.nulls, counts.pools]), axis=1, return_inverse=True)
    nulls = unread.unread + pairs[0][:, None]
    read = unread.read + (pairs[1] - pairs[0])[:, None]
    return np.stack([_partly_read(int(n), nulls, read) for n in N], axis=2), which.ravel()


def _partly_read(n: int, unread: Floats, read: Floats) -> Floats:
    """The vote of n answers by atom, (..., K), where of each p (..., P) as many are unreadable as
    Beta(unread, read) has."""
    tables, weights = votes_cast(n)
    cast = betabinom.pmf(np.arange(n + 1), n, read[..., None], unread[..., None])
    of_p = tables.reshape(len(P), -1, tables.shape[1])
    vote = np.einsum("prt,...pt->...pr", of_p, cast @ weights)
    return np.asarray(vote.reshape(*unread.shape[:-1], -1))


def fit_status(observed: Evidence, pool: Pool, population: Population) -> Status:
    """poor_fit where the population implies an accuracy far from that observed at the largest N.

    The population is asked for as many votes as each question cast: how many answers are
    unreadable is no part of it. bound_hit with fewer than `FEWEST_VOTES`.
    """
    counts = pool.answers.counts()
    if (counts.pools - counts.nulls * (observed.method == "majority")).mean() < FEWEST_VOTES:
        return Status.BOUND_HIT
    last = np.flatnonzero(observed.points.setting == pool.setting)[-1]
    N = int(observed.points.N[last])
    if observed.method == "best_of_n":
        implied = float(population.fit.weights @ best_of_n_accuracy(RATES, np.array([N]))[:, 0])
    else:
        tables, weights = votes_cast(N)
        votes = np.rint(N * (1 - counts.nulls / counts.pools)).astype(np.int64)
        law = population.given_unread(counts)
        implied = float((weights[votes] * (law @ tables)).sum(axis=1).mean())
    noise = np.fmax(observed.stderr[last], 0.5 / len(counts.pools))
    far = abs(observed.accuracy[last] - implied) > POOR_FIT * noise
    return Status.POOR_FIT if far else Status.OK
